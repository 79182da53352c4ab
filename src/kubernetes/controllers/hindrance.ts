import { parseImage } from '../../cluster/image'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import { nameOfProgram, outcomeOf, programIn, scriptIn, wordsAt } from '../workload/command-outcome'
import { downscaledBy } from '../workload/downscaler'
import { mistypedNodeLabel } from '../workload/placement'
import type { Controller } from './controller'
import { counterpartOf } from './same-controller'

/** What keeps the Pods of a controller from serving, though they are there. */
export interface Hindrance {
  /** Whether it may do so only: a program is not known. */
  readonly how: 'hindered' | 'unknownProgram'
  readonly at: Cursor
  /** The reason, as a clause in which the workload is `it`. */
  readonly why: string
  readonly remedy: string
}

/**
 * What keeps the Pods of a controller from serving. With the base, a program that is not known counts too, where the
 * controller started another one. Sources: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/,
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/ and
 * https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/
 */
export function hindranceOf(controller: Controller, base?: Snapshot): Hindrance | undefined {
  if (controller.installed) return undefined
  const spec = podOf(controller.manifest).at('spec')
  return (
    downscaledIn(controller) ??
    gateIn(spec) ??
    labelIn(spec) ??
    digestIn(controller) ??
    apiServerIn(spec, controller) ??
    hiddenFilesIn(spec, controller) ??
    systemIn(spec, controller) ??
    excludedIn(spec, controller) ??
    initIn(spec) ??
    programOf(controller, base) ??
    probeIn(spec)
  )
}

function downscaledIn({ manifest }: Controller): Hindrance | undefined {
  const at = downscaledBy(manifest)
  if (!at) return undefined
  const why = `the annotation ${at.path.at(-1)} lets kube-downscaler keep it at no Pods`
  return { how: 'hindered', at, why, remedy: 'Remove the annotation' }
}

function labelIn(spec: Cursor): Hindrance | undefined {
  const found = mistypedNodeLabel(spec)
  if (!found) return undefined
  const { at, written, meant } = found
  const why = `its Pods ask for nodes with the label ${written}, where Kubernetes sets ${meant}`
  return { how: 'hindered', at, why, remedy: `Write ${meant}` }
}

function digestIn({ image }: Controller): Hindrance | undefined {
  if (!image.string?.endsWith(`@sha256:${'0'.repeat(64)}`)) return undefined
  const why = 'no image has the digest of its container, which is all zeros'
  return { how: 'hindered', at: image, why, remedy: 'Restore the digest' }
}

/** An API server on the loopback address of the Pod, where nothing else runs: in the network of a node, one may be there. */
function apiServerIn(spec: Cursor, controller: Controller): Hindrance | undefined {
  const isAlone = [...spec.at('containers').items()].length === 1 && !spec.at('initContainers').exists
  if (!isAlone || spec.at('hostNetwork').value === true) return undefined
  const container = containerOf(controller)
  const host = [...container.at('env').items()].find((one) => one.at('name').string === 'KUBERNETES_SERVICE_HOST')
  const words = ['command', 'args'].flatMap((list) => [...container.at(list).items()])
  const at = [host?.at('value'), ...words.filter(({ string }) => string?.startsWith('--apiserver-host='))].find((one) =>
    /^(?:--apiserver-host=)?(?:https?:\/\/)?(?:127\.|localhost\b|\[?::1)/.test(one?.string ?? ''),
  )
  if (!at) return undefined
  const why = `${at.string} leads it to its own Pod for the API server, where none runs`
  return { how: 'hindered', at, why, remedy: 'Remove that address' }
}

/** The folders of images in which a program has files that it starts with. */
const foldersOf: Readonly<Record<string, string>> = { 'ingress-nginx': '/etc/nginx' }

/** An empty volume over the folder of a program's own files, which nothing fills before it starts. */
function hiddenFilesIn(spec: Cursor, controller: Controller): Hindrance | undefined {
  const folder = entryOf(foldersOf, controller.facts.name)
  const mount = [...containerOf(controller).at('volumeMounts').items()].find(
    (one) => one.at('mountPath').string?.replace(/\/$/, '') === folder && !one.at('subPath').exists,
  )
  const name = mount?.at('name').string
  const volume = [...spec.at('volumes').items()].find((one) => one.at('name').string === name)
  if (!mount || !volume?.at('emptyDir').exists || spec.at('initContainers').exists) return undefined
  const why = `the empty volume ${name} hides the files of its image in ${folder}`
  return { how: 'hindered', at: mount.at('mountPath'), why, remedy: 'Mount it elsewhere' }
}

function gateIn(spec: Cursor): Hindrance | undefined {
  const [gate] = spec.at('schedulingGates').items()
  const name = gate?.at('name').string
  if (!gate || name === undefined || isPlaceholder(name)) return undefined
  const why = `the scheduling gate ${name} keeps its Pods from all nodes until something takes the gate away`
  return { how: 'hindered', at: gate.at('name'), why, remedy: 'Remove the gate' }
}

/** All images of ingress controllers are for Linux. */
function systemIn(spec: Cursor, { facts }: Controller): Hindrance | undefined {
  const at = [
    spec.at('nodeSelector', 'kubernetes.io/os'),
    spec.at('nodeSelector', 'beta.kubernetes.io/os'),
    spec.at('os', 'name'),
  ].find(({ string }) => string !== undefined && string !== 'linux' && !isPlaceholder(string))
  if (!at) return undefined
  const why = `it asks for nodes with the operating system ${at.string}, where no image of ${facts.title} runs`
  return { how: 'hindered', at, why, remedy: 'Ask for linux' }
}

/** A required affinity whose terms all leave out the nodes with Linux. */
function excludedIn(spec: Cursor, { facts }: Controller): Hindrance | undefined {
  const required = spec.at('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
  const terms = [...required.at('nodeSelectorTerms').items()].map((term) =>
    [...term.at('matchExpressions').items()].find(leavesOutLinux),
  )
  const [at] = terms
  if (!at || terms.includes(undefined)) return undefined
  const why = `its node affinity leaves out nodes with linux, and no image of ${facts.title} runs on others`
  return { how: 'hindered', at: at.at('values'), why, remedy: 'Let it run on linux' }
}

function leavesOutLinux(expression: Cursor): boolean {
  if (!/^(?:beta\.)?kubernetes\.io\/os$/.test(expression.at('key').string ?? '')) return false
  const values = [...expression.at('values').items()].map(({ string }) => string ?? '')
  const operator = expression.at('operator').string
  if (values.some(isPlaceholder)) return false
  return operator === 'NotIn' ? values.includes('linux') : operator === 'In' && !values.includes('linux')
}

function initIn(spec: Cursor): Hindrance | undefined {
  for (const container of spec.at('initContainers').items()) {
    // One that is restarted is a sidecar, which does not have to end.
    if (container.at('restartPolicy').string === 'Always') continue
    const words = wordsAt(container.at('command'), container.at('args'))
    const outcome = words && outcomeOf(words)
    const isPause = words?.length === 0 && /(?:^|\/)pause(?::|@|$)/.test(container.at('image').string ?? '')
    if (outcome !== 'endless' && outcome !== 'fails' && !isPause) continue
    const verb = outcome === 'fails' ? 'fails' : 'never ends'
    const why = `its init container ${container.at('name').string ?? ''} ${verb}, and the next containers wait for it`
    const at = [container.at('command'), container.at('args')].find(({ exists }) => exists) ?? container.at('image')
    return { how: 'hindered', at, why, remedy: 'Let that container end' }
  }
  return undefined
}

/** Flags by which a program prints something, and ends. */
const printing: ReadonlySet<string> = new Set(['--help', '-help', '-h', '--version', '-version'])

/** A program in the place of the controller's: the image's own one gets the arguments, unless a command replaces it. */
function programOf(controller: Controller, base: Snapshot | undefined): Hindrance | undefined {
  const container = containerOf(controller)
  const [command, args] = [container.at('command'), container.at('args')]
  const words = wordsAt(command, args)
  if (!words || words.length === 0) return undefined
  const at = command.exists ? command : args
  const remedy = `Start ${controller.facts.title}`
  const [program] = programIn(words)
  const text = words.join(' ')
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text
  const starts = `it starts \`${shown}\``
  if (outcomeOf(words)) return { how: 'hindered', at, why: `${starts} and not ${controller.facts.title}`, remedy }
  const flag = words.find((word) => printing.has(word))
  if (flag && scriptIn(words) === undefined)
    return { how: 'hindered', at, why: `${flag} lets it print a text and end`, remedy: `Remove ${flag}` }
  if (!base || !command.exists || isPlaceholder(program ?? '') || isOfProduct(words, controller)) return undefined
  const was = counterpartOf(controller, base)
  const before = was && wordsAt(containerOf(was).at('command'), containerOf(was).at('args'))
  const isSame = before && nameOfProgram(programIn(before)[0]) === nameOfProgram(program)
  if (!before || (isSame && scriptIn(before) === scriptIn(words))) return undefined
  return { how: 'unknownProgram', at, why: starts, remedy }
}

function containerOf({ image }: Controller): Cursor {
  return image.manifest.root.at(...image.path.slice(0, -1))
}

/** Whether a program, or one that it is given, has a word of the controller's product or of its image in its name. */
function isOfProduct(words: readonly string[], { facts, image }: Controller): boolean {
  const names = [
    facts.binary ?? '',
    ...facts.marks,
    parseImage(image.string ?? '')
      .repository.split('/')
      .at(-1) ?? '',
  ]
  const known = new Set(names.flatMap((name) => name.split(/[^A-Za-z0-9]+/)).filter((word) => word.length > 3))
  const texts = scriptIn(words)?.split(/\s+/) ?? words.filter((word) => !word.startsWith('-'))
  return texts.some((word) =>
    nameOfProgram(word)
      .split(/[^A-Za-z0-9]+/)
      .some((part) => known.has(part)),
  )
}

/** A probe, or a hook at the start, that no container passes. */
function probeIn(spec: Cursor): Hindrance | undefined {
  for (const container of spec.at('containers').items()) {
    for (const path of [['startupProbe'], ['readinessProbe'], ['livenessProbe'], ['lifecycle', 'postStart']]) {
      const at = container.at(...path, 'exec', 'command')
      const words = wordsAt(at)
      const outcome = words && outcomeOf(words)
      if (outcome !== 'fails' && outcome !== 'endless') continue
      const verb = outcome === 'fails' ? 'always fails' : 'never ends'
      const why = `the ${path.at(-1)} of its container ${container.at('name').string ?? ''} ${verb}`
      return { how: 'hindered', at, why, remedy: 'Let it succeed' }
    }
  }
  return undefined
}
