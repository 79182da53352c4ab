import path from 'node:path/posix'
import { filedRelease } from '../../kubernetes/charts/chart-release'
import type { Cursor } from '../../manifest/cursor'
import type { LoadedObject, ReleaseLayer, WrittenRelease } from '../../manifest/load'
import { ownGroup } from '../../manifest/manifest'
import type { Region } from '../../region'
import type { Checkout } from '../../revision/checkout'
import type { Kustomization } from '../../sources/kustomization'
import type { Parameter, PostRenderers, Source } from '../../sources/source'
import type { MissingValues } from './missing-values'

/** Something that a file of Fleet or helmfile deploys and that was not fully inspected. */
export interface Unread {
  readonly path: string
  readonly region: Region
  readonly reason: string
  /** The release it belongs to, if it is one of several in the file. */
  readonly release?: string
  /** The releases that are not judged, of a file that is a template. */
  readonly names?: readonly string[]
  /** The base that is a template, which may be filled in for this file. */
  readonly base?: string
  /** It deploys nothing, as the deployer itself fails there: listed, and no reason against the rest of the file. */
  readonly failing?: true
  /** The file itself cannot be read, which is listed of every file. */
  readonly unreadable?: true
}

/** A file that something takes which cannot be judged, and why. */
export interface Taken {
  readonly path: string
  readonly reason: string
  /** The template, or the key of the release, that takes it and that may be filled in. */
  readonly by?: string
}

/** A release of a chart that is not in this repository. */
export interface ReleaseElsewhere {
  /** Equal on both sides of a change for the same release. */
  readonly id: string
  /** The file that declares it. */
  readonly path: string
  readonly deployer: string
  /** Its name in the cluster. */
  readonly name: string
  /** The chart, and where it comes from. */
  readonly chart: string
  readonly repository: string
  /** The files of this repository that it takes values of. */
  readonly files: readonly string[]
  readonly object: LoadedObject
  /** The arguments of `--set`; undefined where the chart is changed in a way that is not followed. */
  readonly parameters: readonly Parameter[] | undefined
  /** The changes to what the chart renders to, and the files that they are written in. */
  readonly postRenderers?: PostRenderers | undefined
  readonly patches?: readonly string[]
  /** The line that names the chart. */
  readonly place: Cursor
}

/** A release as its file declares it. */
interface Declared {
  readonly at: Cursor
  readonly deployer: string
  readonly name: string
  readonly namespace: string
  /** The cluster of the release; empty if its file decides. */
  readonly cluster: string
  readonly chart: string
  readonly repository: string
  readonly version: Cursor
  readonly layers: readonly ReleaseLayer[]
  readonly parameters: readonly Parameter[] | undefined
  readonly postRenderers?: PostRenderers | undefined
  readonly patches?: readonly string[]
  readonly place: Cursor
}

/** Plain YAML of a folder, as a target of Fleet gets it. */
export interface PlainBundle {
  readonly folder: string
  /** The folders in `overlays/` whose files are laid over it, in order. */
  readonly overlays: readonly string[]
  readonly source: Pick<Source, 'id' | 'origin' | 'target' | 'declaredAt' | 'forcedAt'>
  readonly namespace: string
  /** The namespace that all objects get; empty where they keep their own. */
  readonly forced: string
}

/** The parts of the repository that these files can refer to. */
export interface FileSurroundings {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
}

/** Collects the sources that files of Fleet and helmfile deploy, and those that are not in this repository. */
export class FileDeployments {
  readonly sources: Source[] = []
  readonly releases: ReleaseElsewhere[] = []
  readonly unread: Unread[] = []
  /** The files that were read. */
  readonly files = new Set<string>()
  /** Those of them that are templates; only their plain parts were read. */
  readonly templates = new Set<string>()
  /** Plain YAML, once for each target that gets it. */
  readonly plain: PlainBundle[] = []
  /** The folders whose plain YAML no target gets, with the values in them, and why. */
  readonly withoutPlain: { readonly folder: string; readonly values: readonly string[]; readonly reason: string }[] = []
  /** Kustomizations without a file, by the folders for which they are made. */
  readonly generated = new Map<string, Kustomization>()
  /** Files for which only the deployer knows the objects. */
  readonly taken: Taken[] = []
  /** Files that such a deployer lays over others, and how: they are no manifests by themselves. */
  readonly patches = new Map<string, string>()
  /** Files with patches of what a release renders to, and whose they are: no manifests by themselves, but judged. */
  readonly applied = new Map<string, string>()
  /** Files that such a deployer passes by in a folder that it deploys, and why. */
  readonly ignored = new Map<string, string>()
  /** The repositories of charts that files declare. */
  readonly places = new Set<string>()
  /** Files that releases name and that are not there, so their deployer fails. */
  readonly missing: MissingValues[] = []
  /** The releases of files that declare several, as they are written, by `releaseKey`. */
  readonly written = new Map<string, string>()

  private charts: ReadonlyMap<string, readonly string[]> | undefined

  constructor(readonly surroundings: FileSurroundings) {}

  /** The folder of the one chart of this repository that has a folder of this name. */
  chartNamed(name: string): string | undefined {
    this.charts ??= foldersOfCharts(this.surroundings.checkout)
    const [folder, another] = this.charts.get(name) ?? []
    return another === undefined ? folder : undefined
  }

  /** @param release the release that it belongs to, if it is one of several in the file */
  skip({ region, manifest }: Cursor, reason: string, release?: string): void {
    this.unread.push({ path: manifest.origin.path, region, reason, ...(release === undefined ? {} : { release }) })
  }

  release({ at, name, namespace, cluster, chart, repository, version, layers, ...rest }: Declared) {
    const { deployer, parameters, postRenderers, patches, place } = rest
    const { object, origin } = at.manifest
    const written: WrittenRelease = { cluster, chart, repository, at: at.path, version: version.path, layers }
    const [kind = ''] = filedRelease.split('.')
    const files = layers.flatMap((layer) => ('file' in layer ? [layer.file] : []))
    const id = `${deployer}:${origin.path}:${cluster}:${namespace}/${name}`
    const alike = this.releases.filter((one) => one.id === id || one.id.startsWith(`${id}#`)).length
    this.releases.push({
      id: alike > 0 ? `${id}#${alike}` : id,
      parameters,
      postRenderers,
      patches,
      place,
      path: origin.path,
      deployer,
      name,
      chart,
      repository,
      files,
      object: {
        ...object,
        ref: { group: ownGroup, kind, namespace, name },
        content: JSON.stringify([written, version.value, layers.map((one) => contentOf(one, at))]),
        region: at.region,
        context: { files: new Map(), release: written },
      },
    })
  }
}

function foldersOfCharts({ tree }: Checkout): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const file of tree.entries.keys()) {
    if (!file.endsWith('/Chart.yaml')) continue
    const folder = path.dirname(file)
    const name = path.basename(folder)
    found.set(name, [...(found.get(name) ?? []), folder])
  }
  return found
}

/** Identifies a release of a file. */
export function releaseKey(path: string, name: string): string {
  return JSON.stringify([path, name])
}

function contentOf(layer: ReleaseLayer, { manifest }: Cursor): unknown {
  return 'keys' in layer ? manifest.root.at(...layer.keys).value : null
}
