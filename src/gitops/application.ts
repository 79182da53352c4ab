import type { Cursor } from '../manifest/cursor'
import { textAt } from './text'

/**
 * An Application, each field where it is written. The template of an ApplicationSet has the same fields.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml
 */
export interface Application {
  readonly name: Cursor
  /**
   * The sources that Argo CD uses: that of `sourceHydrator`, or else `sources`, or else `source`. Hydrated manifests
   * are committed elsewhere, and all of them are made from the dry source.
   */
  readonly sources: readonly ApplicationSource[]
  /** The branch to which the manifests of a hydrator are committed, and from which they are deployed. */
  readonly hydratedBranch: Cursor
  readonly destination: Destination
  readonly syncOptions: readonly string[]
  /** Whether Argo CD syncs it without being asked to. */
  readonly syncs: boolean
  /** Whether Argo CD deletes an object that the source no longer has. */
  readonly prunes: boolean
  /**
   * Whether its deletion deletes the objects that it deployed:
   * https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/
   */
  readonly cascades: boolean
}

/** One source of an Argo CD Application. */
export interface ApplicationSource {
  readonly repoURL: Cursor
  readonly path: Cursor
  readonly chart: Cursor
  readonly targetRevision: Cursor
  /** Only tags that start with this are versions, and the version is what follows it. */
  readonly tagPrefix: Cursor
  /** The name by which other sources take files of this one. */
  readonly ref: Cursor
  readonly helm: Cursor
  readonly kustomize: Cursor
  readonly directory: Cursor
  readonly plugin: Cursor
}

/** The cluster and the namespace that an Application deploys to. */
export interface Destination {
  /** The name or the server of the cluster; empty where none is given. */
  readonly cluster: string
  readonly namespace: Cursor
}

export function readApplication(root: Cursor): Application {
  const spec = root.at('spec')
  const destination = spec.at('destination')
  const automated = spec.at('syncPolicy', 'automated')
  return {
    name: root.at('metadata', 'name'),
    sources: sourcesOf(spec)
      .filter(({ exists }) => exists)
      .map(sourceAt),
    hydratedBranch: spec.at('sourceHydrator', 'syncSource', 'targetBranch'),
    destination: {
      cluster: textAt(destination.at('name')) || textAt(destination.at('server')),
      namespace: destination.at('namespace'),
    },
    syncOptions: [...spec.at('syncPolicy', 'syncOptions').items()].map(textAt),
    syncs: automated.isMap && automated.at('enabled').value !== false,
    prunes: automated.at('prune').value === true,
    cascades: [...root.at('metadata', 'finalizers').items()].some(({ string }) =>
      string?.startsWith('resources-finalizer.argocd.argoproj.io'),
    ),
  }
}

/** https://github.com/argoproj/argo-cd/blob/v3.5.1/pkg/apis/application/v1alpha1/types.go (GetSources) */
function sourcesOf(spec: Cursor): Cursor[] {
  const hydrator = spec.at('sourceHydrator')
  if (hydrator.exists) return [hydrator.at('drySource')]
  const several = [...spec.at('sources').items()]
  return several.length > 0 ? several : [spec.at('source')]
}

function sourceAt(root: Cursor): ApplicationSource {
  return {
    repoURL: root.at('repoURL'),
    path: root.at('path'),
    chart: root.at('chart'),
    targetRevision: root.at('targetRevision'),
    tagPrefix: root.at('tagPrefix'),
    ref: root.at('ref'),
    helm: root.at('helm'),
    kustomize: root.at('kustomize'),
    directory: root.at('directory'),
    plugin: root.at('plugin'),
  }
}

/** Whether a source only provides files to the others. */
export function isReferenceOnly({ ref, path, chart }: ApplicationSource): boolean {
  return ref.exists && !path.exists && !chart.exists
}

/** Whether a destination is Argo CD's own cluster. */
export function isOwnCluster(destination: string): boolean {
  return ['', 'in-cluster', 'https://kubernetes.default.svc'].includes(destination)
}

/** The values that are written in a source: `valuesObject` takes the place of `values`. */
export interface InlineValues {
  /** The cursor of the parameters, also if they are missing. */
  readonly place: Cursor
  readonly isText: boolean
  /** The map that they are; undefined where they are no YAML. */
  readonly map: Cursor | undefined
}

/** https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ */
export function inlineValuesOf({ helm }: ApplicationSource): InlineValues {
  const object = helm.at('valuesObject')
  if (object.exists) return { place: object, isText: false, map: object }
  const text = helm.at('values')
  return {
    place: text,
    isText: true,
    get map() {
      return text.nested
    },
  }
}

/** A file that `valueFiles` names: a path behind the `ref` of another source, or one of the source itself. */
export interface ValueFile {
  readonly entry: string
  readonly ref: string | undefined
  /** The path behind the `ref`, or the entry. */
  readonly path: string
  readonly at: Cursor
}

/**
 * https://argo-cd.readthedocs.io/en/stable/user-guide/multiple_sources/#helm-value-files-from-external-git-repository
 */
export function valueFilesOf({ helm }: ApplicationSource): ValueFile[] {
  return [...helm.at('valueFiles').items()].map((item) => {
    const entry = textAt(item)
    const [, ref, behind = ''] = entry.match(/^\$([^/]+)\/(.*)$/) ?? []
    return { entry, ref, path: ref === undefined ? entry : behind, at: item }
  })
}

/** The source that a `ref` names. */
export function sourceNamed(ref: string, sources: readonly ApplicationSource[]): ApplicationSource | undefined {
  return sources.find((source) => textAt(source.ref) === ref)
}
