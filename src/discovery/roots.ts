import path from 'node:path/posix'
import type { GitOpsSources, NotInspectedCause } from '../deployers/common/gitops-sources'
import { isReferenceOnly, readApplication } from '../gitops/application'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { readHelmRelease } from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import { groupKindOf, identityOf, type Manifest } from '../manifest/manifest'
import { mentionsOneOf } from '../manifest/mentions'
import type { Checkout } from '../revision/checkout'
import { closureOf, inside, type Kustomization, placeInArtifact } from '../sources/kustomization'
import type { Source } from '../sources/source'

/** The deployed folders, as far as the Argo CD and Flux objects of one side show them. */
export interface Roots {
  /** Whether they name every deployed folder: there are such objects, and the folders of each are known. */
  readonly known: boolean
  /** The files and folders that are deployed, or may be: a folder means all that is below it. */
  readonly places: ReadonlySet<string>
  /** The folders among them whose plain files Argo CD takes one by one. */
  readonly directories: ReadonlySet<string>
  /** Whether there are files of a tool that names its deployments in its own way: Fleet, helmfile, Kluctl. */
  readonly otherTools: boolean
}

interface Deployed {
  readonly checkout: Checkout
  /** The Argo CD and Flux objects that are applied. */
  readonly manifests: readonly Manifest[]
  readonly gitOps: GitOpsSources
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** The sources that an object or the config names. */
  readonly explicit: readonly Source[]
}

/** Reads which folders the objects of one side name, and whether they may name more. */
export async function readRoots(deployed: Deployed): Promise<Roots> {
  const { checkout, manifests, gitOps, kustomizations, explicit } = deployed
  const declared = declaredBy(explicit, checkout)
  const elsewhere = new Set(
    gitOps.notInspected.flatMap(({ manifest, cause }) => (cause === 'source-elsewhere' ? [manifest] : [])),
  )
  const read = manifests.map((manifest) => readDeployer(manifest, { checkout, declared, elsewhere }))
  const naming = read.filter(({ names, manifest }) => names && namesFolders(manifest))
  const places = new Set(read.flatMap(({ folders }) => folders))
  const addBeside = (files: Iterable<string>) => {
    const folders = new Set([...files].map((file) => (file.includes('/') ? path.dirname(file) : '')))
    // For a file of the root, the siblings are the other files of the root, not the whole repository.
    const atRoot = folders.delete('') ? [...checkout.tree.entries.keys()].filter((file) => !file.includes('/')) : []
    for (const place of [...folders, ...atRoot]) places.add(place)
  }
  for (const source of explicit) {
    places.add(source.kind === 'helm' ? source.chart : source.root)
    if (source.kind === 'helm') continue
    for (const start of [source.root, ...(source.components ?? [])])
      for (const { folder, leadsTo } of closureOf(start, kustomizations))
        for (const place of [folder, ...leadsTo]) places.add(place)
  }
  addBeside(gitOps.plain.keys())
  const archived = archivedCopies(naming, new Set(places))
  const live = new Set(
    [...naming, ...read.filter(({ applied }) => applied)].flatMap((one) =>
      archived.has(one) ? [] : [one.manifest.origin.path],
    ),
  )
  // An object that no other one deploys is applied by hand or by a script, most likely with its siblings.
  addBeside(live)
  for (const { folder, leadsTo } of takingIn(live, kustomizations))
    for (const place of [folder, ...leadsTo]) places.add(place)
  const ofTools = [...checkout.tree.entries.keys()].filter((file) => otherTools.test(file))
  for (const file of ofTools) places.add(file.includes('/') ? path.dirname(file) : '')
  const known =
    naming.length > 0 &&
    read.every(({ isResolved }) => isResolved) &&
    !namesMore(gitOps) &&
    !(await isCompleted(kustomizations, checkout, manifests))
  return { known, places, directories: gitOps.directories, otherTools: ofTools.length > 0 }
}

/** Whether a path, or a folder above it, is among the places. */
export function isBelow(places: ReadonlySet<string>, file: string): boolean {
  if (places.has('') || places.has(file)) return true
  for (let end = file.lastIndexOf('/'); end !== -1; end = file.lastIndexOf('/', end - 1))
    if (places.has(file.slice(0, end))) return true
  return false
}

/** The causes for which an object names no folder besides those in its fields. */
const harmless: ReadonlySet<NotInspectedCause> = new Set<NotInspectedCause>([
  'chart-elsewhere',
  'source-elsewhere',
  'values-elsewhere',
  'values-outside',
  'values-replaced',
  'values-in-cluster',
  'values-encrypted',
  'file-parameters',
  'jsonnet',
  'file-names',
  'source-type',
  'source-override',
  'hook',
  'ignored',
  'folder-missing',
  'nothing-to-apply',
  'patched',
])

/** The files by which other tools deploy the folder that they are in. */
const otherTools = /(?:^|\/)(?:fleet\.ya?ml|helmfile\.ya?ml(?:\.gotmpl)?|\.kluctl\.ya?ml|deployment\.ya?ml\.jinja2?)$/

interface ReadDeployer {
  readonly manifest: Manifest
  /** The folders of this repository that it names. */
  readonly folders: readonly string[]
  /** Whether it deploys a folder or file of this repository. */
  readonly names: boolean
  /** Whether it is applied although it deploys nothing from this repository. */
  readonly applied: boolean
  /** Whether every folder that it names is known. */
  readonly isResolved: boolean
}

/**
 * The objects that nothing deploys and that are the same as a deployed one, at its path below another folder, as in
 * `archive/apps/web/ks.yaml` and `apps/web/ks.yaml`: the cluster has one object of that name, and it is the deployed one.
 */
function archivedCopies(deployers: readonly ReadDeployer[], places: ReadonlySet<string>): Set<ReadDeployer> {
  const keyOf = ({ manifest, folders }: ReadDeployer) => JSON.stringify([identityOf(manifest.ref), folders])
  const deployed = new Map<string, string[]>()
  const others: ReadDeployer[] = []
  for (const one of deployers) {
    const { path: file } = one.manifest.origin
    if (!isBelow(places, file)) others.push(one)
    else deployed.set(keyOf(one), [...(deployed.get(keyOf(one)) ?? []), file])
  }
  return new Set(
    others.filter((one) => deployed.get(keyOf(one))?.some((file) => one.manifest.origin.path.endsWith(`/${file}`))),
  )
}

function namesFolders({ ref }: Manifest): boolean {
  const kind = groupKindOf(ref)
  return kind === gitOpsKind.application || kind === gitOpsKind.applicationSet || kind === gitOpsKind.fluxKustomization
}

/** The lines of each file at which a source of a folder that is here is declared. */
function declaredBy(sources: readonly Source[], { tree }: Checkout): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  for (const source of sources) {
    const { path: file, region } = source.declaredAt
    if (source.origin === 'declared' || tree.at(source.kind === 'helm' ? source.chart : source.root).length === 0)
      continue
    const there = lines.get(file)
    if (there) there.push(region.startLine)
    else lines.set(file, [region.startLine])
  }
  return lines
}

interface RepositoryFolders {
  readonly checkout: Checkout
  readonly declared: ReadonlyMap<string, readonly number[]>
  /** Objects whose folder is not in this repository. */
  readonly elsewhere: ReadonlySet<Manifest>
}

function readDeployer(manifest: Manifest, { checkout, declared, elsewhere }: RepositoryFolders): ReadDeployer {
  const { root, origin, object } = manifest
  const made = declared.get(origin.path)?.some((line) => isWithin(line, object.region)) === true
  const kind = groupKindOf(manifest.ref)
  const written = writtenIn(manifest).map(textAt)
  const folders = written.flatMap((text) => {
    const place =
      kind === gitOpsKind.application ? inside('', text.replace(/^\/+/, '') || '.') : placeInArtifact(text || '.')
    return place !== undefined && place !== '' && checkout.tree.at(place).length > 0 ? [place] : []
  })
  const names = made || (folders.length > 0 && !elsewhere.has(manifest))
  const isFilled = made || !written.some((text) => /\$\{|\{\{/.test(text))
  switch (kind) {
    case gitOpsKind.application: {
      const sources = readApplication(root).sources.filter((source) => !isReferenceOnly(source))
      // A patch has no source of its own, or only a part of one.
      const isWhole = sources.length > 0 && sources.every(({ repoURL }) => textAt(repoURL) !== '')
      return { manifest, folders, names, applied: elsewhere.has(manifest), isResolved: isFilled && isWhole }
    }
    case gitOpsKind.fluxKustomization: {
      const isWhole = textAt(readFluxKustomization(root).sourceRef.at('kind')) !== ''
      return { manifest, folders, names, applied: false, isResolved: isFilled && (made || isWhole) }
    }
    default:
      return { manifest, folders, names, applied: false, isResolved: true }
  }
}

function isWithin(line: number, { startLine, endLine }: { startLine: number; endLine: number }): boolean {
  return startLine <= line && line <= endLine
}

/** The fields of an object that contain folders. */
function writtenIn({ root, ref }: Manifest): Cursor[] {
  switch (groupKindOf(ref)) {
    case gitOpsKind.application:
      return readApplication(root).sources.flatMap((source) => (source.chart.exists ? [] : [source.path]))
    case gitOpsKind.fluxKustomization: {
      const { path: at } = readFluxKustomization(root)
      return [at]
    }
    case gitOpsKind.helmRelease:
      return [readHelmRelease(root).chart.chart]
    default:
      return []
  }
}

/** Whether some object may name folders besides the known ones. */
export function namesMore({ notInspected }: GitOpsSources): boolean {
  return notInspected.some(({ cause, manifest }) => !harmless.has(cause) || installsMore(manifest))
}

/** Whether the values of a remote chart make it install Applications or Flux objects, which name further folders. */
function installsMore({ ref, object, root }: Manifest): boolean {
  if (groupKindOf(ref) === gitOpsKind.helmRelease) return mentionsOneOf(object.content, ['repoURL'])
  if (groupKindOf(ref) !== gitOpsKind.application) return false
  return readApplication(root).sources.some(
    ({ chart, helm }) => chart.exists && mentionsOneOf(JSON.stringify(helm.value ?? ''), ['repoURL']),
  )
}

/** The Kustomizations that include one of the files, directly or through others. */
function takingIn(files: ReadonlySet<string>, all: ReadonlyMap<string, Kustomization>): Set<Kustomization> {
  const takers = new Map<string, Kustomization[]>()
  for (const one of all.values()) {
    for (const place of one.leadsTo) {
      const there = takers.get(place)
      if (there) there.push(one)
      else takers.set(place, [one])
    }
  }
  const found = new Set<Kustomization>()
  const open = [...files]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const one of takers.get(place) ?? []) {
      if (found.has(one)) continue
      found.add(one)
      open.push(one.folder)
    }
  }
  return found
}

/** Whether a patch may set the folder, or the repository, of an Argo CD or Flux object. */
async function isCompleted(
  kustomizations: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  manifests: readonly Manifest[],
): Promise<boolean> {
  const patching = [...kustomizations.values()].filter(({ made, onlyTakesIn }) => !made && !onlyTakesIn)
  const texts = await checkout.texts(patching.map(({ file }) => file))
  const overlays = manifests.flatMap((manifest) => {
    const spec = manifest.root.at('spec')
    return [spec.at('patches'), ...[...spec.at('sources').items(), spec.at('source')].map((one) => one.at('kustomize'))]
  })
  return [...texts.values(), ...overlays.map(({ value }) => JSON.stringify(value ?? ''))].some(
    (text) => mentionsOneOf(text, patchedKinds) && writesFolder.test(text),
  )
}

const patchedKinds = ['Application', 'argoproj.io', 'kustomize.toolkit.fluxcd.io']

/** A JSON patch of such a field, or the field itself; a path of a JSON patch begins with a slash. */
const writesFolder =
  /\/spec\/(?:template\/spec\/)?(?:path|source)|repoURL|sourceRef|(?:^|\\n)[ ]*source:|(?:^|\\n)[ ]+path:[ ]*["']?[^\s/"']/m

/** Whether a template of a chart creates Applications or Flux objects, which are not read there. */
export async function chartsNameFolders(checkout: Checkout): Promise<boolean> {
  const templates = [...checkout.tree.entries.keys()].filter(
    (file) => /(?:^|\/)templates\//.test(file) && /\.(?:ya?ml|tpl)$/.test(file),
  )
  const texts = await checkout.texts(templates)
  return [...texts.values()].some(
    (text) =>
      !text.includes('CustomResourceDefinition') &&
      (text.includes('kustomize.toolkit.fluxcd.io/') ||
        (text.includes('argoproj.io/') && /\bkind:[ ]*["']?Application/.test(text))),
  )
}
