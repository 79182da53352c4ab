import { basename } from 'node:path'
import { dirname } from 'node:path/posix'
import type { Declarations } from '../cluster/clusters'
import { type Descriptions, readDescriptions } from '../configuration/descriptions'
import { withKubeVersion } from '../configuration/kube-version'
import { type Discovery, discover } from '../discovery/discover'
import { identify } from '../manifest/identity'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest, nameOf, type Origin, type RenderedSource, type Side } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import { type DeclaredRelease, defaultIgnore } from '../policy/config'
import { startOf } from '../region'
import { guessesOf } from '../render/guesses'
import type { TemplateOutput } from '../render/helm'
import type { Renderer } from '../render/renderer'
import type { Failure, Piece } from '../render/rendering'
import { Checkout } from '../revision/checkout'
import { isKustomizationFile } from '../revision/kustomization-file'
import type { Revision } from '../revision/revision'
import { readTree, type Skipped, type Tree } from '../revision/tree'
import type { InflatedChart } from '../sources/inflated-chart'
import { inside, type RemoteEntry, remoteEntries } from '../sources/kustomization'
import { readPlugins } from '../sources/kustomize-reader'
import type { HelmSource, KustomizeSource, Source } from '../sources/source'

/** A source as one side of a change has it, rendered. */
export interface RenderedSide {
  readonly source: Source
  readonly objects: readonly { readonly object: LoadedObject; readonly origin: Origin }[]
  readonly unreadable: readonly {
    readonly cause: 'unreadable-output'
    readonly path: string
    readonly reason: string
  }[]
  readonly failure: Failure | undefined
  /** Remote entries that were left out of the build. */
  readonly remote: readonly RemoteEntry[]
  /** The charts it inflates; those that are not in the repository were left out. */
  readonly charts: readonly InflatedChart[]
  /** Remote files of its ConfigMaps and Secrets, which were left out. */
  readonly data: readonly RemoteEntry[]
}

/** One side of a change: its files, and the sources that deploy them. */
export class SideOfChange {
  private constructor(
    readonly revision: Revision,
    /** Without the files that belong to charts and Kustomizations. */
    readonly tree: Tree,
    readonly checkout: Checkout,
    readonly discovery: Discovery,
    readonly descriptions: Descriptions,
    private readonly renderer: Renderer,
    /** Identifies a rendering of a source, by the source's id. */
    readonly keys: ReadonlyMap<string, string>,
  ) {}

  static async open(
    revision: Revision,
    side: Side,
    { ignore, inventories, releases, repository, renderer, base, changed, declarations }: Opening,
  ): Promise<SideOfChange> {
    const folder = renderer.newFolder()
    const shown = new Set<string>()
    const look = async () => {
      renderer.budget.doing(`listing the files of ${revision.name}`)
      const tree = await readTree(revision, ignore, shown)
      const checkout = new Checkout(revision, tree, folder, renderer.contents)
      const descriptions = await readDescriptions(side, { checkout, tree }, declarations[side])
      renderer.budget.doing(`looking for what is deployed in ${revision.name}`)
      const informed = withKubeVersion(descriptions, declarations)
      const known = { releases, repository, ...(base ? { base } : {}), isNew: declarations.isNew, informed }
      return { tree, checkout, descriptions, discovery: await discover(checkout, known, side) }
    }
    const isShown = showing(ignore, changed, base)
    let seen = await look()
    // Files that become visible may deploy further ignored files.
    for (;;) {
      const more = [...seen.discovery.ignorable].filter((file) => !shown.has(file) && isShown(file))
      if (more.length === 0) break
      for (const file of more) shown.add(file)
      seen = await look()
    }
    const { tree, checkout, descriptions, discovery } = seen
    const keys = await Promise.all(
      discovery.sources.map(async (source) => {
        const key = await renderer.keyOf(source, checkout, discovery.kustomizations)
        return [source.id, JSON.stringify([key, source.target])] as const
      }),
    )
    const plain = withoutOwned(tree, discovery, inventories)
    return new SideOfChange(revision, plain, checkout, discovery, descriptions, renderer, new Map(keys))
  }

  files(source: Source): Promise<string[]> {
    return this.renderer.files(source, this.checkout, this.discovery.kustomizations)
  }

  /** The entries of its Kustomizations that are not in the repository. */
  async remotePlaces(): Promise<string[]> {
    const kustomizations = [...this.discovery.kustomizations.values()]
    const entries = kustomizations.flatMap((one) => remoteEntries(one, this.checkout).map(({ text }) => text))
    const plugins = kustomizations.flatMap(({ plugins, file, leadsTo }) => (plugins ? [file, ...leadsTo] : []))
    const texts = await this.checkout.texts([...new Set(plugins)].filter((file) => this.checkout.has(file)))
    const places = [...texts.values()]
      .filter((text) => mentions(text, 'builtin'))
      .flatMap((text) => readPlugins(text).places.map(({ text: place }) => place))
    return [...entries, ...places.filter((place) => /^(?:[^=]*=)?https?:/i.test(place))]
  }

  /** Renders a release with edited templates; empty when that fails. */
  async renderRewritten(source: HelmSource, rewrite: (template: string) => string): Promise<TemplateOutput[]> {
    return this.renderer.renderRewritten(source, this.checkout, rewrite)
  }

  /** Builds a Kustomization in which each object records the file it comes from. */
  async renderWithOrigins(source: KustomizeSource): Promise<readonly Piece[]> {
    const overlay = { ...source.overlay, buildMetadata: ['originAnnotations'] }
    const rendering = await this.renderer.render({ ...source, overlay }, this.checkout, this.discovery.kustomizations)
    return 'failure' in rendering ? [] : rendering.pieces
  }

  /** The file that kustomize records as an object's origin, relative to the generated folder above its own. */
  fileFrom(origin: string): string | undefined {
    const start = `/${basename(this.checkout.forKustomize.folder)}/`
    const place = inside('', origin.slice(origin.indexOf(start) + start.length))
    return place !== undefined && this.checkout.has(place) ? place : undefined
  }

  async render(source: Source): Promise<RenderedSide> {
    const rendering = await this.renderer.render(source, this.checkout, this.discovery.kustomizations)
    const { charts = [], data = [] } = rendering
    if ('failure' in rendering) {
      const { failure } = rendering
      return { source, objects: [], unreadable: [], failure, remote: failure.remote ?? [], charts, data }
    }
    if (source.origin === 'probed')
      return { source, objects: [], unreadable: [], failure: undefined, remote: [], charts, data }
    const isGuess = await guessesOf(source, this.checkout)
    const objects: RenderedSide['objects'][number][] = []
    const unreadable: RenderedSide['unreadable'][number][] = []
    for (const { path, template, text } of rendering.pieces) {
      this.renderer.budget.doing(`reading what ${path} renders to`, path)
      const file = loadFile({ text })
      const origin: Origin = { kind: 'rendered', path, template, id: source.id, source: described(source) }
      const staying = file.objects.filter(
        (object) => source.kind !== 'helm' || staysInstalled(new Manifest(object, 'head', origin, [])),
      )
      for (const object of staying) {
        const guessed = isGuess(object.apiVersion, path)
        objects.push({ object: withNamespace(object, source), origin: guessed ? { ...origin, guessed } : origin })
      }
      unreadable.push(...file.unreadable.map(({ reason }) => ({ cause: 'unreadable-output' as const, path, reason })))
      const most = this.renderer.limits.objects
      if (objects.length > most) {
        const reason = `it renders to more than ${most} objects`
        const failure = { cause: 'too-many-objects' as const, reason, path, region: startOf(1) }
        return { source, objects: [], unreadable: [], failure, remote: [], charts, data }
      }
    }
    return { source, objects, unreadable, failure: undefined, remote: rendering.remote ?? [], charts, data }
  }
}

/**
 * Whether a file is judged although `ignore` excludes it, because something deploys it: always if the glob is a
 * default, and otherwise if the change touches the file or starts to deploy it.
 */
function showing(
  ignore: readonly string[],
  changed: ReadonlySet<string> | undefined,
  base: Discovery | undefined,
): (file: string) => boolean {
  if (ignore === defaultIgnore) return () => true
  return (file) => {
    if (!changed) return false
    if (changed.has(file) || (base && !base.ignorable.has(file))) return true
    // The files of a Kustomization are known once it is read.
    const beside = `${dirname(file)}/`
    return isKustomizationFile(file) && [...changed].some((path) => path.startsWith(beside))
  }
}

interface Opening {
  readonly ignore: readonly string[]
  /** The files that describe clusters and are deployed to none. */
  readonly inventories: ReadonlySet<string>
  readonly releases: readonly DeclaredRelease[]
  readonly declarations: Declarations
  readonly repository: readonly string[]
  readonly renderer: Renderer
  /** The discovery of the base, when the head is opened. */
  readonly base?: Discovery | undefined
  /** The paths that differ; undefined when one side is judged whole. */
  readonly changed: ReadonlySet<string> | undefined
}

/** A source as reports name it. */
export function described(source: Source): RenderedSource {
  if (source.kind === 'kustomize') return { kind: 'kustomize', path: source.root || '.' }
  const { chart, release, namespace, values } = source
  const names = values.map((one) => ('path' in one ? one.path : one.name))
  return { kind: 'helm', path: chart || '.', release, namespace, values: names }
}

/**
 * Whether helm keeps an object in the cluster while the release exists: hooks of tests, rollbacks and uninstalling are
 * created at another time, so an object that becomes such a hook is removed. https://helm.sh/docs/topics/charts_hooks/
 */
function staysInstalled({ root }: Manifest): boolean {
  const written = root.at('metadata', 'annotations', 'helm.sh/hook').string
  return !written || written.split(',').some((hook) => /^\s*(?:pre|post)-(?:install|upgrade)\s*$/.test(hook))
}

/** A release gives its namespace to the objects that name none, and so does an Argo CD Application. */
function withNamespace(object: LoadedObject, source: Source): LoadedObject {
  if (source.namespace === undefined || object.ref.namespace !== '') return object
  const { kind, name } = object.ref
  return { ...object, ref: identify(object.apiVersion, kind, source.namespace, name) }
}

function withoutOwned(tree: Tree, { ownership, notInspected }: Discovery, inventories: ReadonlySet<string>): Tree {
  const orphans = new Map<string, string[]>()
  const files = new Map(tree.files)
  for (const path of inventories) files.delete(path)
  for (const [path, { deployed, reason }] of ownership) {
    if (files.delete(path) && !deployed) orphans.set(reason, [...(orphans.get(reason) ?? []), path])
  }
  const skipped = [...orphans].map(([reason, [path = '', ...more]]): Skipped => {
    return { path, reason: more.length > 0 ? `${reason}, nor ${more.length} more beside it` : reason, cause: 'orphan' }
  })
  const passedOver = notInspected.map(
    ({ manifest, cause, reason }): Skipped => ({
      path: manifest.origin.path,
      reason: `${nameOf(manifest.ref)}: ${reason}`,
      cause,
    }),
  )
  return { ...tree, files, skipped: [...tree.skipped, ...skipped, ...passedOver] }
}
