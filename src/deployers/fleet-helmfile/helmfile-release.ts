import path from 'node:path/posix'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import type { ReleaseLayer } from '../../manifest/load'
import { asciiJson } from '../../sources/ascii-json'
import { inside } from '../../sources/kustomization'
import type { Parameter, Target, Values } from '../../sources/source'
import { listOf, textOf } from '../../sources/untyped'
import { type FileDeployments, releaseKey } from '../common/file-deployments'
import { patchesOf } from './helmfile-patches'
import { filesFor, filledPath } from './helmfile-paths'
import { missingValuesOf } from './missing-values'

/** The parts of a file that its releases depend on. */
export interface Helmfile {
  readonly folder: string
  readonly path: string
  /** URLs of chart repositories, by their names. */
  readonly repositories: ReadonlyMap<string, string>
  /** The namespace of releases that name none. */
  readonly namespace: string
  /** The cluster of the whole file; empty if its path decides. */
  readonly cluster: string
  /** The one environment that there is; undefined where there are several. */
  readonly environment: string | undefined
  /** Whether it is a template; only its plain parts are read. */
  readonly isTemplate: boolean
  /** Whether missing values files are ignored. */
  readonly passesOverMissing: boolean
  readonly deployments: FileDeployments
}

/** The fields of a release that are templates even in plain YAML, and that decide which chart is deployed. */
const identifying = ['name', 'chart', 'namespace', 'version']

/** Reads a release of a helmfile: one of a chart of this repository is rendered, of another its values are read. */
export async function readHelmfileRelease(release: Cursor, helmfile: Helmfile): Promise<void> {
  const { folder, deployments } = helmfile
  const { checkout, kustomizations } = deployments.surroundings
  const field = (key: string) => textOf(release.at(key).value)
  const name = field('name')
  if (release.at('installed').value === false) return
  // What the rest of the file decides: a chart of another repository is another one.
  const around = [helmfile.cluster, namespaceOf(release, helmfile), repositoryOf(field('chart'), helmfile)]
  deployments.written.set(releaseKey(helmfile.path, name), JSON.stringify([release.value, ...around]))
  deployments.missing.push(...missingValuesOf(release, folder, helmfile.passesOverMissing, checkout))
  const skip = (at: Cursor, reason: string) => deployments.skip(at, reason, name)
  const templated = identifying.find((key) => /\{\{|\$\{/.test(field(key)))
  if (templated || field('chart') === '') {
    const why = templated ? `its ${templated} is a template` : 'its chart is in a template that it inherits'
    skip(release.at('name'), `the release ${name} is not judged: ${why}, which only helmfile fills in`)
    const reason = `the release ${name} of ${helmfile.path} uses it, and ${why}, which only helmfile fills in`
    for (const layer of layersOf(release, helmfile))
      if ('file' in layer) deployments.taken.push({ path: layer.file, reason, by: releaseKey(helmfile.path, name) })
    return
  }
  const chart = field('chart')
  const namespace = namespaceOf(release, helmfile)
  const cluster = field('kubeContext') || helmfile.cluster
  const here = chartHere(chart, helmfile)
  const place = here ?? inside(folder, chart)
  const isLocal =
    here !== undefined ||
    /^\.{0,2}\//.test(chart) ||
    (place !== undefined && checkout.has(path.join(place, 'Chart.yaml')))
  const layers = layersOf(release, helmfile)
  const { postRenderers, files, unread } = await patchesOf(release, folder, checkout)
  for (const file of files) deployments.applied.set(file, `a patch of the release ${name} of ${helmfile.path}`)
  if (!isLocal) {
    const url = repositoryOf(chart, helmfile)
    deployments.release({
      at: release,
      deployer: 'helmfile',
      name,
      namespace,
      cluster,
      chart: url === undefined ? chart : chart.slice(chart.indexOf('/') + 1),
      repository: url ?? chart,
      version: release.at('version'),
      layers,
      parameters: unread ? undefined : parametersOf(release),
      postRenderers,
      patches: files,
      place: release.at('chart'),
    })
    return
  }
  if (place === undefined) {
    skip(release.at('chart'), `its chart ${chart} leads out of this repository, and is not followed`)
    return
  }
  const target: Target = cluster === '' ? { path: helmfile.path } : { cluster }
  const id = `helmfile:${helmfile.path}:${cluster}:${namespace}/${name}`
  const alike = deployments.sources.filter((one) => one.id === id || one.id.startsWith(`${id}#`)).length
  const lacking = layers.flatMap((layer) => ('hidden' in layer ? [layer.about ?? ''] : []))
  const values = layers.flatMap((layer) => valuesOf(layer, release))
  const isUnfilled = values.some((one) => 'text' in one && one.text.includes('${'))
  const common = {
    id: alike > 0 ? `${id}#${alike}` : id,
    origin: 'named' as const,
    ...(here !== undefined || lacking.length > 0 || isUnfilled ? { incomplete: true as const } : {}),
    target,
    declaredAt: { path: release.manifest.origin.path, region: release.at('name').region },
    namespace: namespace || 'default',
  }
  const isChart = checkout.has(path.join(place, 'Chart.yaml')) || checkout.has(place)
  const unfollowed = unread ?? (postRenderers && !isChart ? release.at(postRenderers.field) : undefined)
  if (unfollowed) skip(unfollowed, `the release ${name} is rendered without its ${textOf(unfollowed.path.at(-1))}`)
  if (!isChart) {
    if (kustomizations.has(place)) deployments.sources.push({ ...common, kind: 'kustomize', root: place })
    // A folder of plain YAML is judged file by file, and rendering reports one that is not there.
    if (kustomizations.has(place) || checkout.tree.at(place).length > 0) return
  }
  deployments.sources.push({
    ...common,
    kind: 'helm',
    chart: place,
    values,
    ...(lacking.length > 0 ? { lacking: abridged(lacking, 2) } : {}),
    set: {},
    parameters: parametersOf(release),
    ...(postRenderers ? { postRenderers, definitionFiles: files } : {}),
    release: name,
  })
}

/**
 * The chart of this repository that a name such as `stable/web` means: its repository is declared nowhere, and is the
 * one that this repository's charts are published to.
 */
function chartHere(chart: string, { repositories, deployments }: Helmfile): string | undefined {
  const [alias = '', name = '', ...more] = chart.split('/')
  const isOther = more.length > 0 || /^\.|:|^$/.test(alias) || repositories.has(alias)
  return isOther ? undefined : deployments.chartNamed(name)
}

/** The URL of the repository whose alias a chart's name begins with. */
function repositoryOf(chart: string, { repositories }: Helmfile): string | undefined {
  return repositories.get(chart.split('/')[0] ?? '')
}

function valuesOf(layer: ReleaseLayer, { manifest }: Cursor): Values[] {
  if ('file' in layer) return [{ path: layer.file }]
  if (!('keys' in layer) || layer.parameters) return []
  const { value } = manifest.root.at(...layer.keys)
  return [{ text: asciiJson(value), name: `the values in ${manifest.origin.path}` }]
}

function namespaceOf(release: Cursor, helmfile: Helmfile): string {
  return textOf(release.at('namespace').value) || helmfile.namespace
}

/** The values of a release, the last over the others, and the layers that are not in the repository. */
function layersOf(release: Cursor, helmfile: Helmfile): ReleaseLayer[] {
  const { deployments, folder, environment, passesOverMissing } = helmfile
  const { checkout } = deployments.surroundings
  const name = textOf(release.at('name').value)
  const missing = release.at('missingFileHandler')
  const variables = { name, namespace: namespaceOf(release, helmfile), environment }
  const hidden = (at: Cursor, why: string): ReleaseLayer[] => {
    deployments.skip(at, `the release ${name} is read without ${why}`, name)
    return [{ hidden: true, about: why }]
  }
  const unseen = ['inherit', 'secrets', 'valuesTemplate', 'setTemplate'].flatMap((key): ReleaseLayer[] => {
    const at = release.at(key)
    return at.exists && listOf(at.value).length > 0 ? hidden(at, `its ${key}, which only helmfile knows`) : []
  })
  for (const secret of release.at('secrets').items()) {
    const reason = `encrypted values of the release ${name} of ${helmfile.path}, which only helmfile reads`
    const files = filesFor(folder, filledPath(textOf(secret.value), variables), checkout)
    deployments.taken.push(...files.map((file) => ({ path: file, reason })))
  }
  const values = [...release.at('values').items()].flatMap((item): ReleaseLayer[] => {
    if (item.isMap) {
      if (JSON.stringify(item.value).includes('"ref+')) return hidden(item, 'the values that it fetches')
      return [{ keys: item.path }]
    }
    const prefix = textOf(release.at('valuesPathPrefix').value)
    const original = `${prefix}${textOf(item.value)}`
    const written = filledPath(original, variables)
    if (/:\/\/|^[a-z0-9]+::/i.test(written)) return hidden(item, `${written}, which is not in this repository`)
    const place = inside(folder, written)
    if (place === undefined) return hidden(item, `${written}, which leads out of this repository`)
    if (/\.gotmpl$|\{\{|[*?[]/.test(written)) {
      const by = releaseKey(helmfile.path, name)
      const user = `the release ${name} of ${helmfile.path}`
      for (const file of filesFor(folder, written, checkout))
        deployments.taken.push({ path: file, reason: useOf(file, textOf(item.value), user), by })
      return hidden(item, `${textOf(item.value)}, which only helmfile fills in`)
    }
    const mayBeMissing = passesOverMissing || written !== original || missing.exists
    return mayBeMissing && !checkout.has(place) ? [] : [{ file: place }]
  })
  const set = release.at('set')
  const files = [...set.items()].filter((one) => one.at('file').exists)
  const fromFiles = files[0] ? hidden(files[0], 'the values that its `set` reads from files') : []
  const single: ReleaseLayer[] = set.exists ? [{ keys: set.path, parameters: true }] : []
  const strings = release.at('setString')
  const texts: ReleaseLayer[] = strings.exists ? [{ keys: strings.path, parameters: true }] : []
  const unfilled: ReleaseLayer[] = helmfile.isTemplate ? [{ hidden: true, about: 'what only helmfile fills in' }] : []
  return [...unfilled, ...values, ...unseen, ...single, ...texts, ...fromFiles]
}

/** What a file is to a release that names it by what only helmfile fills in. */
function useOf(file: string, written: string, user: string): string {
  if (file.endsWith('.gotmpl')) return `it is a template of values for ${user}, and only helmfile fills it in`
  const how = written.includes('{{') ? 'a template that only helmfile fills in' : 'a pattern that only helmfile follows'
  return `it may be a values file of ${user}, which names it with ${how}`
}

/**
 * The arguments of `--set` and `--set-string`, which win over all other values; helmfile escapes special characters in
 * them.
 */
function parametersOf(release: Cursor): Parameter[] {
  const escaped = (value: unknown) => textOf(value).replace(/[{},]/g, '\\$&')
  return ['set', 'setString'].flatMap((key) =>
    [...release.at(key).items()].flatMap((one): Parameter[] => {
      const [name, value, list] = [textOf(one.at('name').value), one.at('value'), one.at('values')]
      const isText = key === 'setString'
      if (value.exists) return [{ assignment: `${name}=${escaped(value.value)}`, isText }]
      if (!list.exists) return []
      return [{ assignment: `${name}={${listOf(list.value).map(escaped).join()}}`, isText }]
    }),
  )
}
