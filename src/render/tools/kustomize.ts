import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { splitDocuments } from '../../manifest/documents'
import { withSetsTogether } from '../../manifest/set-inputs'
import { startOf } from '../../region'
import type { Checkout } from '../../revision/checkout'
import { asciiJson } from '../../sources/ascii-json'
import { inWords } from '../../sources/fetched-kustomizations'
import { chartNameOf, generatorsIn, type InflatedChart, inflatedCharts } from '../../sources/inflated-chart'
import {
  absentCharts,
  asGiven,
  closureOf,
  givenFor,
  inside,
  type Kustomization,
  type RemoteEntry,
  remoteEntries,
} from '../../sources/kustomization'
import { lackIn } from '../../sources/lack'
import type { KustomizeSource } from '../../sources/source'
import { type OpenVariable, openIn, substituted } from '../../sources/substitution'
import type { Fields } from '../../sources/untyped'
import { absentIn } from './absent-file'
import { shortened } from './helm'
import { foreignIn, overlayOf, pluginsOf, refusedIn } from './kustomize-input'
import {
  causeIn,
  errorOf,
  type Failure,
  type FailureCause,
  type Piece,
  type Rendering,
  withoutFolder,
} from './rendering'
import { type Limits, type Outcome, runTool } from './tool'

/** The program that builds Kustomizations: kustomize itself, or kubectl with kustomize in it. */
export interface Kustomize {
  readonly program: string
  /** The words before the folder. */
  readonly command: readonly string[]
  /** For `helmCharts:`. */
  readonly helm: string | undefined
}

/** The files of the repository from which a Kustomization is made. */
export function kustomizeFiles(
  { root, components = [] }: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string[] {
  const files = [root, ...components]
    .flatMap((start) => closureOf(start, all))
    .flatMap(({ folder, made, leadsTo, charts }) => [
      ...(made ? [] : checkout.below(folder)),
      ...leadsTo.flatMap((place) => checkout.tree.at(place)),
      ...charts.flatMap((chart) => checkout.below(chart.folder)),
    ])
  return [...new Set(files)].sort()
}

/** The parts that are left out of a source when it is built. */
export async function leftOutOf(
  source: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  revision: Checkout,
): Promise<Required<Pick<Rendering, 'charts' | 'data'>> & { readonly remote: readonly RemoteEntry[] }> {
  const checkout = revision.forKustomize
  const kustomizations = [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, all))
  return {
    charts: await inflatedCharts(source, all, checkout),
    remote: kustomizations.flatMap((one) => remoteEntries(one, checkout)),
    data: kustomizations.flatMap((one) => one.data.map((mention) => ({ ...mention, path: one.file }))),
  }
}

/** Builds a Kustomization with the real kustomize. */
export async function renderKustomize(
  source: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  revision: Checkout,
  { kustomize, home, limits }: { kustomize: Kustomize; home: string; limits: Limits },
): Promise<Rendering> {
  const checkout = revision.forKustomize
  const kustomizations = [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, all))
  const own = closureOf(source.root, all)[0]
  if (!own) {
    const isThere = revision.tree.at(source.root).length > 0
    const reason = isThere ? `there is no Kustomization in ${source.root || '.'}` : withoutFolder(source.root)
    return { failure: { cause: 'kustomization-missing', about: source.root, reason, ...source.declaredAt } }
  }
  const refused = refusedIn(kustomizations, source, revision)
  if (refused) return { failure: refused }
  const { charts, remote, data } = await leftOutOf(source, all, revision)
  const missing = charts.find(({ vendored, repo }) => !vendored && repo === '')
  if (missing) return { failure: notVendored(missing), charts }
  const files = kustomizeFiles(source, all, checkout)
  const generators = await generatorsWithout(charts, checkout)
  let inflates = kustomizations.some(({ charts: its }) => its.length > absentCharts({ charts: its }, checkout).length)
  const plugins = await pluginsOf(kustomizations, all, checkout, generators)
  if ('failure' in plugins) return { ...plugins, charts }
  if (kustomizations.some(({ plugins }) => plugins)) {
    const texts = [...(await checkout.texts(files))].map(([file, text]) => generators.get(file) ?? text)
    inflates ||= texts.some((text) => text.includes('HelmChartInflationGenerator'))
  }
  const overlay = await overlayOf(source, checkout)
  if ('failure' in overlay) return { ...overlay, charts }
  await checkout.layOut(files)
  for (const [file, text] of await foreignIn(files, checkout)) await checkout.give(file, text)
  for (const [file, text] of plugins.written) await checkout.give(file, text)
  for (const one of kustomizations) await give(one, { remote, generators }, checkout)
  if (inflates && !kustomize.helm) return { failure: { ...noHelm, path: own.file, region: startOf(1) } }
  const folder = await folderToBuild(source, overlay, checkout, home)
  const inflating =
    inflates && kustomize.helm ? ['--enable-helm', '--helm-command', await onlyRendering(kustomize.helm, home)] : []
  // Where files outside of the folder are allowed, a plugin could read them from anywhere.
  const beside = source.allowsOutsideFiles && !plugins.mayReadFiles
  const loading = beside ? ['--load-restrictor', 'LoadRestrictionsNone'] : []
  const args = [...kustomize.command, ...inflating, ...loading, '--', folder]
  const outcome = await runTool(kustomize.program, args, { cwd: home, home, limits })
  if (outcome.status !== 0 || outcome.stopped) {
    const failure = placedAtOverlay(failureOf(outcome, kustomizations, checkout), outcome, source)
    const leftOut = charts.some(({ vendored }) => !vendored) && missesObjects.test(failure.reason)
    const isEmpty = kustomizations.length === 1 && own.includes.length === 0 && saysEmpty.test(failure.reason)
    const of = {
      ...(remote.length > 0 ? { remote } : {}),
      ...(leftOut ? { leftOut } : {}),
      ...(isEmpty ? { isEmpty } : {}),
    }
    return { failure: { ...failure, ...of }, charts }
  }
  const open = new Map<string, readonly OpenVariable[]>()
  const texts = splitDocuments(outcome.stdout).map(({ text }) => {
    const filled = substituted(text, source.substitutions)
    const names = openIn(text, source.substitutions)
    if (names.length > 0) open.set(filled, names)
    return filled
  })
  const pieces = withSetsTogether(texts).map((text): Piece => {
    const names = open.get(text)
    return { path: own.file, template: '', text, ...(names ? { open: names } : {}) }
  })
  return { pieces, remote, charts, data }
}

/** Kustomize's message for a Kustomization without a field. */
const saysEmpty = /kustomization\.yaml is empty/

/** An error in the fields of an Argo CD object occurs before kustomize names a resource. */
function placedAtOverlay(failure: Failure, { stderr }: Outcome, { overlaidAt }: KustomizeSource): Failure {
  const isOfOverlay = failure.cause === 'tool-failed' && overlaidAt !== undefined && !stderr.includes('accumulating')
  return isOfOverlay ? { ...failure, ...overlaidAt } : failure
}

const noHelm = { cause: 'tool-missing', reason: 'it inflates charts', missing: 'helm' } as const

/** Kustomize's message for a patch or replacement without a target. */
const missesObjects =
  /no matches for Id|no resource matches|failed to find unique target|nothing selected by|unable to find/

/** The message for a chart that has to be in the repository. */
export function notVendored({ name, folder, path: file, region }: InflatedChart): Failure {
  const home = path.posix.dirname(folder)
  const reason = `its chart ${name} is not in ${folder}; run \`helm pull --untar\` into ${home} and commit it`
  return { cause: 'chart-not-vendored', about: name, reason, path: file, region }
}

/** The files of generators, without the generators of charts that are not in the repository. */
async function generatorsWithout(charts: readonly InflatedChart[], checkout: Checkout): Promise<Map<string, string>> {
  const absent = charts.filter(({ vendored }) => !vendored)
  const texts = await checkout.texts([...new Set(absent.map(({ path: file }) => file))])
  return new Map(
    [...texts].flatMap(([file, text]) => {
      if (generatorsIn(text).length === 0) return []
      const names = absent.flatMap((chart) => (chart.path === file ? [chart.name] : []))
      const left = splitDocuments(text).filter(
        (document) => !generatorsIn(document.text).some((one) => names.includes(chartNameOf(one))),
      )
      return [[file, left.map((document) => document.text).join('---\n')] as const]
    }),
  )
}

/**
 * Gives kustomize the inspected content of a Kustomization, without entries that are not in this repository, so that
 * the rest can be built.
 */
async function give(
  kustomization: Kustomization,
  { remote, generators }: { remote: readonly RemoteEntry[]; generators: ReadonlyMap<string, string> },
  checkout: Checkout,
): Promise<void> {
  const { file, folder, made, includes } = kustomization
  if (made) {
    // A name that looks like a URL can still be the name of a file.
    const resources = includes.map(({ text }) => (/[:@?]/.test(text) ? `./${text}` : text))
    await checkout.give(path.posix.join(folder, 'kustomization.yaml'), asciiJson({ resources }))
    return
  }
  const absent = new Set(absentCharts(kustomization, checkout).map(({ unpackedIn }) => unpackedIn))
  const entries = new Set(remote.flatMap((entry) => (entry.path === file ? [entry.text] : [])))
  const isEmptied = (entry: string) => generators.get(inside(folder, entry) ?? '')?.trim() === ''
  const text = await checkout.text(file)
  if (text !== undefined)
    await checkout.give(
      file,
      asGiven(file, text, {
        isGone: (entry) => entries.has(entry) || isEmptied(entry),
        instead: (entry) => givenFor(entry, folder, checkout),
        charts: absent,
      }),
    )
}

const notFetched = 'a chart that is not in the repository is not fetched'

/**
 * A helm that only renders and fetches nothing, with any arguments of kustomize. Kustomize asks for helm 3; helm 4
 * renders as well. A schema of values that is in another place, to which helm has no access here, is left out, where
 * helm has the option for it.
 */
async function onlyRendering(helm: string, home: string): Promise<string> {
  const file = path.join(home, 'helm.sh')
  const quoted = `'${helm.replaceAll("'", `'\\''`)}'`
  const script = `#!/bin/sh
case "$1" in
  version) echo v3.99.0; exit ;;
  template)
    { said=$(${quoted} "$@" 2>&1 >&3); } 3>&1
    status=$?
    case "$said" in
      *'failing loading "http'* | *'failing loading "file:'*)
        { again=$(${quoted} "$@" --skip-schema-validation 2>&1 >&3); } 3>&1
        code=$?
        case "$again" in
          *'unknown flag'*) ;;
          *) said=$again status=$code ;;
        esac
        ;;
    esac
    [ -z "$said" ] || printf '%s\\n' "$said" >&2
    exit $status
    ;;
esac
echo "${notFetched}" >&2
exit 1
`
  await writeFile(file, script, { mode: 0o700 })
  return file
}

/** The Kustomization's folder, or a generated one with the overlay of an Argo CD or Flux object. */
async function folderToBuild(
  { root, components, keepsNamespaces }: KustomizeSource,
  { overlay }: { readonly overlay: Fields | undefined },
  checkout: Checkout,
  home: string,
): Promise<string> {
  const folder = path.join(checkout.folder, root)
  if (!overlay && !components) return folder
  // Outside the folder of files: kustomize includes nothing above the folder that it builds.
  const over = path.join(home, 'over')
  await mkdir(over, { recursive: true })
  const resources = [path.relative(over, folder)]
  const laid = components
    ? { components: components.map((one) => path.relative(over, path.join(checkout.folder, one))) }
    : {}
  const fields = keepsNamespaces ? settingNamespaces(overlay) : overlay
  await writeFile(path.join(over, 'kustomization.yaml'), asciiJson({ ...fields, ...laid, resources }))
  return over
}

/** Sets the namespace by kustomize's transformer: the field `namespace` renames Namespaces as well. */
function settingNamespaces({ namespace, ...rest }: Fields = {}): Fields {
  const transformer = {
    apiVersion: 'builtin',
    kind: 'NamespaceTransformer',
    metadata: { name: 'namespace', namespace },
    setRoleBindingSubjects: 'none',
    fieldSpecs: [{ path: 'metadata/namespace', create: true }],
  }
  return { ...rest, transformers: [asciiJson(transformer)] }
}

/** Kustomize's own words, at the entry of the innermost Kustomization that they name. */
function failureOf(outcome: Outcome, kustomizations: readonly Kustomization[], checkout: Checkout): Failure {
  const own = kustomizations[0]
  const start = { path: own?.file ?? '', region: startOf(1) }
  const at = (cause: FailureCause, reason: string): Failure => ({ cause, reason, ...start })
  if (outcome.broken)
    return { ...at('tool-missing', `kustomize cannot be run: ${outcome.broken}`), missing: 'kustomize' }
  if (outcome.stopped) return at('tool-stopped', `kustomize was stopped because ${outcome.stopped}`)
  const message = errorOf(outcome.stderr)
  if (message === '') return at('tool-stopped', `kustomize exited with status ${outcome.status} without a message`)
  if (message.includes(notFetched)) {
    const [url = 'elsewhere'] = message.match(/\b(?:oci|https?):\/\/[^\s'"]+/) ?? []
    const reason = `it inflates a chart from ${url}, which is not in this repository; run \`helm pull --untar\` and commit it`
    return { ...at('chart-not-vendored', reason), about: url }
  }
  const named = kustomizations
    .flatMap(({ file, folder, includes }) =>
      includes.map(({ text, region }) => ({
        text,
        file,
        region,
        // The entry in the named file, if several have the same text.
        isWhole: message.includes(`'${path.join(checkout.folder, folder, givenFor(text, folder, checkout) ?? text)}'`),
        place: message.lastIndexOf(`'${givenFor(text, folder, checkout) ?? text}'`),
      })),
    )
    .filter(({ place }) => place !== -1)
    .sort((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.place - a.place)[0]
  // The text before it lists the including Kustomizations, which differ for each root.
  const words = message
    .slice(Math.max(0, message.lastIndexOf('accumulating resources from ')))
    .replaceAll(`${checkout.folder}/`, '')
    .replaceAll(`../../${path.basename(checkout.folder)}/`, '')
    // Go prints where an object is in memory, which differs in every run.
    .replace(/\b0x[0-9a-f]{8,}\b/g, '…')
    .trim()
  const lack = lackIn(message)
  const isEncrypted = lack?.what === 'encrypted' && message.includes('GITCRYPT')
  const cause = isEncrypted ? `git-crypt encrypts ${lack.about}` : inWords(causeIn(withoutOddQuote(words)), checkout)
  const failed = at('tool-failed', `kustomize cannot build it: ${shortened(cause, checkout.folder)}`)
  const absent = absentIn(message, checkout.folder)
  const failure = { ...failed, ...(absent === undefined ? {} : { absent }), ...(lack && { lack }) }
  return named ? { ...failure, about: named.text, path: named.file, region: named.region } : failure
}

/** A message without the quote at its end, if the place where it was opened has been cut. */
function withoutOddQuote(words: string): string {
  const isOdd = words.split('"').length % 2 === 0
  return isOdd && words.endsWith('"') ? words.slice(0, -1) : words
}
