import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { stringify } from 'yaml'
import { groupKindOf, type Manifest, nameOf } from '../manifest/manifest'
import type { Checkout } from './checkout'
import { inside, type Kustomization } from './kustomization'
import type { Source, SpokenAt, Target, Values } from './source'
import type { Skipped } from './tree'

/** What Argo CD and Flux objects say is deployed. */
export interface Named {
  readonly sources: readonly Source[]
  /** What they name that is not in this repository. */
  readonly notInspected: readonly Skipped[]
}

/** What is known of the repository that the objects name parts of. */
export interface Surroundings {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** The names of this repository, as `repositoryName` gives them; when there are none, every path that exists is in it. */
  readonly repository: readonly string[]
}

type Json = Record<string, unknown>

/** `https://github.com/Org/repo.git`, `git@github.com:org/repo` → `github.com/org/repo`. */
export function repositoryName(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^/@]+@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
}

/** Reads what the Argo CD and Flux objects of one side name. */
export function readGitOps(manifests: readonly Manifest[], surroundings: Surroundings): Named {
  const reader = new GitOpsReader(manifests, surroundings)
  for (const manifest of manifests) reader.read(manifest)
  return reader
}

class GitOpsReader implements Named {
  readonly sources: Source[] = []
  readonly notInspected: Skipped[] = []

  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly surroundings: Surroundings,
  ) {}

  read(manifest: Manifest): void {
    const spec = json(manifest.root.at('spec').value)
    switch (groupKindOf(manifest.ref)) {
      case 'Application.argoproj.io':
        this.application(manifest, manifest.ref.name, spec)
        break
      case 'ApplicationSet.argoproj.io':
        this.applicationSet(manifest, spec)
        break
      case 'HelmRelease.helm.toolkit.fluxcd.io':
        this.helmRelease(manifest, spec)
        break
      case 'Kustomization.kustomize.toolkit.fluxcd.io':
        this.fluxKustomization(manifest, spec)
        break
    }
  }

  private skip(manifest: Manifest, reason: string): void {
    this.notInspected.push({ path: manifest.origin.path, reason: `${nameOf(manifest.ref)}: ${reason}` })
  }

  private isHere(url: string, place: string): boolean {
    const { repository, checkout } = this.surroundings
    return repository.length > 0 ? repository.includes(repositoryName(url)) : checkout.tree.at(place).length > 0
  }

  /** https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml */
  private application(manifest: Manifest, name: string, spec: Json): void {
    const destination = json(spec.destination)
    const namespace = text(destination.namespace) || 'default'
    const server = text(destination.name) || text(destination.server)
    const local = ['', 'in-cluster', 'https://kubernetes.default.svc'].includes(server)
    const target: Target = local ? { path: manifest.origin.path } : { cluster: server }
    const all = [spec.source, ...list(spec.sources)].map(json).filter((source) => Object.keys(source).length > 0)
    for (const source of all) {
      const url = text(source.repoURL)
      if (source.ref !== undefined && source.path === undefined && source.chart === undefined) continue
      if (source.chart !== undefined) {
        this.skip(manifest, `the chart ${text(source.chart)} of ${url} is not in this repository`)
        continue
      }
      const place = inside('', text(source.path).replace(/^\/+/, ''))
      if (place === undefined || !this.isHere(url, place)) {
        this.skip(manifest, `${url} ${text(source.path)} is not in this repository`.replace('  ', ' '))
        continue
      }
      const at = spokenAt(manifest)
      const id = `argocd:${manifest.origin.path}:${name}:${place}`
      if (this.surroundings.checkout.has(path.join(place, 'Chart.yaml'))) {
        const helm = json(source.helm)
        const values = this.argoValues(manifest, helm, place, all)
        if (!values) continue
        const parameters = list(helm.parameters).map(json)
        const set = Object.fromEntries(
          parameters.map((one) => [text(one.name), one.forceString ? text(one.value) : scalar(one.value)]),
        )
        this.sources.push({
          kind: 'helm',
          id,
          known: 'named',
          target,
          at,
          chart: place,
          values,
          set,
          release: text(helm.releaseName) || name,
          namespace: text(helm.namespace) || namespace,
          ...(helm.kubeVersion ? { kubeVersion: text(helm.kubeVersion) } : {}),
          ...(Array.isArray(helm.apiVersions) ? { apiVersions: helm.apiVersions.map(text) } : {}),
          ...(helm.skipCrds === true ? { skipCrds: true } : {}),
        })
      } else if (this.surroundings.kustomizations.has(place)) {
        const overlay = overlayOf(json(source.kustomize))
        this.sources.push({
          kind: 'kustomize',
          id,
          known: 'named',
          target,
          at,
          root: place,
          ...(overlay ? { overlay } : {}),
        })
      }
    }
  }

  private argoValues(manifest: Manifest, helm: Json, chart: string, sources: readonly Json[]): Values[] | undefined {
    const values: Values[] = []
    for (const file of list(helm.valueFiles).map(text)) {
      const ref = file.match(/^\$([^/]+)\/(.*)$/)
      const owner = ref && sources.find((source) => text(source.ref) === ref[1])
      if (/^[a-z]+:\/\//.test(file) || (ref && !(owner && this.isHere(text(owner.repoURL), ref[2] ?? '')))) {
        this.skip(manifest, `its values ${file} are not in this repository`)
        return undefined
      }
      const place = ref
        ? inside('', ref[2] ?? '')
        : file.startsWith('/')
          ? inside('', file.slice(1))
          : inside(chart, file)
      if (place === undefined) {
        this.skip(manifest, `its values ${file} are outside this repository`)
        return undefined
      }
      if (helm.ignoreMissingValueFiles === true && !this.surroundings.checkout.has(place)) continue
      values.push({ path: place })
    }
    // In Argo CD valuesObject takes the place of values, and both are laid over the files.
    const inline = helm.valuesObject !== undefined ? stringify(helm.valuesObject) : text(helm.values)
    if (inline.trim()) values.push({ text: inline, name: `the values in ${manifest.origin.path}` })
    return values
  }

  /** Generators whose elements stand in the object or in the tree: list, and directories of this repository. */
  private applicationSet(manifest: Manifest, spec: Json): void {
    const template = json(spec.template)
    for (const generator of list(spec.generators).map(json)) {
      const elements = this.elementsOf(generator)
      if (!elements) {
        this.skip(
          manifest,
          `its generator ${Object.keys(generator).join(', ') || '(none)'} is not read; only list and git directories are`,
        )
        continue
      }
      for (const element of elements) {
        const filled = json(fill(template, element))
        const left = JSON.stringify(filled).match(/\{\{.*?\}\}/)
        if (left) {
          this.skip(manifest, `${left[0]} in its template cannot be filled in`)
          break
        }
        this.application(manifest, text(json(filled.metadata).name), json(filled.spec))
      }
    }
  }

  private elementsOf(generator: Json): Record<string, string>[] | undefined {
    const elements = json(generator.list).elements
    if (Array.isArray(elements)) return elements.map((element) => flattened(json(element)))
    const git = json(generator.git)
    if (!Array.isArray(git.directories) || !this.isHere(text(git.repoURL), '')) return undefined
    const rules = git.directories.map(json)
    const folders = new Set<string>()
    for (const file of this.surroundings.checkout.tree.entries.keys()) {
      for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end))
    }
    const matches = (folder: string, rule: Json) => minimatch(folder, text(rule.path))
    return [...folders]
      .filter((folder) => rules.some((rule) => rule.exclude !== true && matches(folder, rule)))
      .filter((folder) => !rules.some((rule) => rule.exclude === true && matches(folder, rule)))
      .sort()
      .map((folder) => {
        const base = path.basename(folder)
        const own = { path: folder, 'path.path': folder, 'path.basename': base, 'path.basenameNormalized': base }
        const segments = folder.split('/').map((segment, index) => [`path[${index}]`, segment] as const)
        return { ...own, ...Object.fromEntries(segments), ...flattened(json(git.values), 'values.') }
      })
  }

  /** https://fluxcd.io/flux/components/helm/helmreleases/ */
  private helmRelease(manifest: Manifest, spec: Json): void {
    const chart = json(json(spec.chart).spec)
    const reference = json(chart.sourceRef)
    const own = manifest.ref.namespace || this.namespaceOf(manifest)
    const namespace = text(spec.targetNamespace) || own || 'default'
    const name = manifest.ref.name
    const source = this.fluxSource(reference, own)
    const place = inside('', text(chart.chart).replace(/^\/+/, ''))
    const url = text(json(source?.root.at('spec').value).url)
    const git = text(reference.kind) === 'GitRepository'
    // Flux's own repository is often made by its bootstrap and written nowhere but in the cluster.
    const here =
      git &&
      place !== undefined &&
      (source ? this.isHere(url, place) : this.surroundings.checkout.has(path.join(place, 'Chart.yaml')))
    if (!here || place === undefined) {
      const what = text(chart.chart) || text(json(spec.chartRef).name)
      this.skip(manifest, `the chart ${what}${url ? ` of ${url}` : ''} is not in this repository`)
      return
    }
    const values = this.fluxValues(manifest, spec, chart, place, own)
    if (!values) return
    this.sources.push({
      kind: 'helm',
      id: `flux:${own}/${name}:${manifest.origin.path}`,
      known: 'named',
      target: { path: manifest.origin.path },
      at: spokenAt(manifest),
      chart: place,
      values,
      set: {},
      release: text(spec.releaseName) || (spec.targetNamespace ? `${text(spec.targetNamespace)}-${name}` : name),
      namespace,
    })
  }

  private fluxValues(manifest: Manifest, spec: Json, chart: Json, place: string, own: string): Values[] | undefined {
    const values: Values[] = []
    for (const file of list(chart.valuesFiles).map(text)) {
      const at = inside(place, file)
      if (at === undefined) {
        this.skip(manifest, `its values ${file} are outside this repository`)
        return undefined
      }
      // Paths of valuesFiles start at the root of the source; older releases wrote them from the chart's folder.
      const fromRoot = inside('', file)
      values.push({ path: fromRoot !== undefined && this.surroundings.checkout.has(fromRoot) ? fromRoot : at })
    }
    for (const reference of list(spec.valuesFrom).map(json)) {
      const name = text(reference.name)
      const holder = this.manifests.find(
        ({ ref }) =>
          ref.kind === text(reference.kind) && ref.name === name && (ref.namespace === '' || ref.namespace === own),
      )
      const key = text(reference.valuesKey) || 'values.yaml'
      const held = holder && text(json(holder.root.at('data').value)[key])
      if (held) {
        const target = text(reference.targetPath)
        values.push({
          text: target ? stringify(nested(target.split('.'), scalar(held))) : held,
          name: `${text(reference.kind)} ${name} in ${holder.origin.path}`,
        })
      } else if (reference.optional !== true) {
        this.skip(manifest, `its values of ${text(reference.kind)} ${name} are not in this repository`)
        return undefined
      }
    }
    if (spec.values !== undefined && spec.values !== null)
      values.push({ text: stringify(spec.values), name: `the values in ${manifest.origin.path}` })
    return values
  }

  /** https://fluxcd.io/flux/components/kustomize/kustomizations/ */
  private fluxKustomization(manifest: Manifest, spec: Json): void {
    const place = inside('', text(spec.path).replace(/^\/+/, '') || '.')
    const reference = json(spec.sourceRef)
    const source = this.fluxSource(reference, manifest.ref.namespace)
    const url = text(json(source?.root.at('spec').value).url)
    const git = text(reference.kind) === 'GitRepository'
    if (place === undefined || !git || (source && url && !this.isHere(url, place))) {
      this.skip(
        manifest,
        `${url || `${text(reference.kind)} ${text(reference.name)}`} ${text(spec.path)} is not in this repository`,
      )
      return
    }
    if (!this.surroundings.kustomizations.has(place)) return
    const build = json(spec.postBuild)
    const substitutions: Record<string, string> = {}
    for (const from of list(build.substituteFrom).map(json)) {
      const holder = this.manifests.find(({ ref }) => ref.kind === text(from.kind) && ref.name === text(from.name))
      for (const [key, value] of Object.entries(json(holder?.root.at('data').value))) {
        if (text(from.kind) === 'ConfigMap') substitutions[key] = text(value)
      }
    }
    for (const [key, value] of Object.entries(json(build.substitute))) substitutions[key] = text(value)
    const overlay = overlayOf({ ...spec, namespace: spec.targetNamespace })
    this.sources.push({
      kind: 'kustomize',
      id: `flux:${manifest.ref.namespace}/${manifest.ref.name}:${manifest.origin.path}`,
      known: 'named',
      target: spec.kubeConfig
        ? { cluster: `${manifest.ref.name} of ${manifest.origin.path}` }
        : { path: manifest.origin.path },
      at: spokenAt(manifest),
      root: place,
      ...(overlay ? { overlay } : {}),
      ...(spec.postBuild ? { substitutions } : {}),
    })
  }

  private fluxSource(reference: Json, own: string): Manifest | undefined {
    const namespace = text(reference.namespace) || own
    const named = this.manifests.filter(
      ({ ref }) =>
        ref.group === 'source.toolkit.fluxcd.io' &&
        ref.kind === text(reference.kind) &&
        ref.name === text(reference.name),
    )
    return named.find(({ ref }) => ref.namespace === namespace) ?? named[0]
  }

  /** The namespace that the Kustomization beside an object gives it. */
  private namespaceOf({ origin }: Manifest): string {
    const folder = origin.path.includes('/') ? path.dirname(origin.path) : ''
    return this.surroundings.kustomizations.get(folder)?.namespace ?? ''
  }
}

/** The fields that Argo CD and Flux lay over a Kustomization, as a `kustomization.yaml` writes them. */
function overlayOf(fields: Json): Record<string, unknown> | undefined {
  const own = [
    'namePrefix',
    'nameSuffix',
    'namespace',
    'patches',
    'images',
    'replicas',
    'commonLabels',
    'commonAnnotations',
  ]
  const overlay: Record<string, unknown> = {}
  for (const key of own)
    if (fields[key] !== undefined && fields[key] !== null && fields[key] !== '') overlay[key] = fields[key]
  // Argo CD writes images as `name=new:tag`.
  if (Array.isArray(overlay.images))
    overlay.images = overlay.images.map((image) => (typeof image === 'string' ? imageOf(image) : image))
  return Object.keys(overlay).length > 0 ? overlay : undefined
}

function imageOf(written: string): Json {
  const [name = '', replacement] = written.includes('=')
    ? written.split('=', 2)
    : [written.split(/[:@]/)[0] ?? '', written]
  const [, newName, tag, digest] = (replacement ?? '').match(/^(.*?)(?::([^/@]+))?(?:@(.*))?$/) ?? []
  return { name, ...(newName ? { newName } : {}), ...(tag ? { newTag: tag } : {}), ...(digest ? { digest } : {}) }
}

function spokenAt({ origin, object }: Manifest): SpokenAt {
  return { path: origin.path, region: object.region }
}

/** Fills `{{name}}` and `{{ .name }}` into every string of a template. */
function fill(value: unknown, element: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return value.replace(/\{\{\s*\.?([\w.[\]-]+)\s*\}\}/g, (written, name: string) => element[name] ?? written)
  if (Array.isArray(value)) return value.map((item) => fill(item, element))
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, element)]))
  return value
}

function flattened(value: Json, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item !== null && typeof item === 'object' && !Array.isArray(item)
        ? Object.entries(flattened(item as Json, `${prefix}${key}.`))
        : [[`${prefix}${key}`, text(item)]],
    ),
  )
}

function nested([key = '', ...rest]: readonly string[], value: unknown): Json {
  return { [key]: rest.length > 0 ? nested(rest, value) : value }
}

function json(value: unknown): Json {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''
}

/** As `--set` reads a word. */
function scalar(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === 'null') return null
  return /^-?(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : value
}
