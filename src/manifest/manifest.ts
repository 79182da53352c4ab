import type { Assumption } from './assumption'
import { Cursor } from './cursor'
import type { LoadedObject } from './load'

/** One side of a change. */
export type Side = 'base' | 'head'

/**
 * The identity of an object across files and commits. `group` is the modern one (an Ingress of extensions/v1beta1 is
 * of networking.k8s.io); `namespace` is empty for cluster-scoped kinds and where the manifest gives none.
 */
export interface ObjectRef {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /**
   * Set for `generateName`: the API server completes the name at each creation, so `name` is the beginning and a `*`,
   * several objects may have it, and none of them is a copy of another.
   */
  readonly generated?: true
}

/** `ClusterRole view`, `Ingress shop/web`: how messages name an object. */
export function nameOf(ref: ObjectRef): string {
  return `${ref.kind} ${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}`
}

/** `Ingress/shop/web`, `ClusterRole/view`: how globs in exceptions and params name an object. */
export function pathOf(ref: ObjectRef): string {
  return [ref.kind, ref.namespace, ref.name].filter((part) => part !== '').join('/')
}

/** A string that is equal for equal identities only. */
export function identityOf({ group, kind, namespace, name }: ObjectRef): string {
  // As JSON writes it, which takes several times as long: identities are asked for more often than anything else.
  const isPlain = !needsEscape.test(`${group}${kind}${namespace}${name}`)
  return isPlain ? `["${group}","${kind}","${namespace}","${name}"]` : JSON.stringify([group, kind, namespace, name])
}

const needsEscape = /[^\w.:*/-]/

/**
 * The group of synthetic objects that no cluster holds: cluster descriptions, and releases without an object of their
 * own.
 */
export const ownGroup = 'ingress-guard'

/** `Ingress.networking.k8s.io`, `Secret`: a kind with its group, as kubectl writes it. */
export type GroupKind = string

export function groupKindOf(ref: ObjectRef): GroupKind {
  return ref.group === '' ? ref.kind : `${ref.kind}.${ref.group}`
}

/**
 * The source that a manifest was rendered from, as messages and reports name it. Paths start at the repository's root.
 */
export type RenderedSource =
  | {
      readonly kind: 'helm'
      /** The chart's folder or archive; the name of a chart that was fetched. */
      readonly path: string
      /** The repository and version of a fetched chart. */
      readonly repository?: string
      readonly version?: string
      readonly release: string
      readonly namespace: string
      readonly values: readonly string[]
    }
  | {
      readonly kind: 'kustomize'
      /** The Kustomization's folder. */
      readonly path: string
    }

/**
 * The reason why an object is deleted that the files still have, and the place of the head that shows it, if there is
 * one.
 */
export interface Deletion {
  readonly reason: string
  readonly at?: Cursor
}

/** The origin of a manifest's text; `path` is the file that a reader of the pull request can open for it. */
export type Origin = {
  /** The reason why it is deleted although the files still have it. */
  readonly deletedBy?: Deletion
} & (
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'rendered'
      readonly path: string
      /** The template as helm names it; empty for a Kustomization's object. */
      readonly template: string
      /** The same on both sides of a change. */
      readonly id: string
      readonly source: RenderedSource
      /** The file whose cluster it is deployed to, if an object there deploys it. */
      readonly deployer?: string
      /**
       * Its chart chooses this apiVersion by the capabilities of the cluster, and it was rendered without a cluster.
       */
      readonly guessed?: true
      /** Nothing known installs its chart, so that the namespace of the release is only supposed. */
      readonly unplaced?: true
      /** Its template has no place for the pathType of its paths. */
      readonly untyped?: true
      /** The values that its chart was rendered with and that no known release has: `ingress.enabled=true`. */
      readonly supposed?: string
      /** The values that its chart is deployed with and that are unknown, as messages name them. */
      readonly lacking?: string
      /** Whether a plugin may replace texts in it: `~vault:host~`. */
      readonly byPlugin?: true
      /**
       * Its source is not rendered whole. `written`: it is as its file has it; `changed`: so it is, and something that
       * is not known may be laid over it; `reduced`: something that may have changed it was left out.
       */
      readonly unbuilt?: 'written' | 'changed' | 'reduced'
      /** Set where a Kustomization of Flux applies it. */
      readonly flux?: FluxApply
      /** The variables in it that Flux replaces by nothing, as nothing sets them. */
      readonly unset?: readonly UnsetVariable[]
    }
)

/**
 * The way in which a Kustomization of Flux applies its objects: it first tries all of them, and applies none where the API
 * server refuses one. Source: https://github.com/fluxcd/pkg/blob/main/ssa/manager_apply.go, ApplyAll
 */
export interface FluxApply {
  /** Whether it deletes an object and creates it again where a field is immutable. */
  readonly forces: boolean
}

/** A variable that nothing sets. */
export interface UnsetVariable {
  readonly name: string
  /** Whether the object has it escaped, too, which its text no longer shows. */
  readonly escaped?: true
  /** One that is set and that may be meant. */
  readonly like?: string
  /** The objects that may set it and that a patch takes from the Kustomization: `Secret credentials`. */
  readonly replaced?: readonly string[]
}

/** The reasons why an object is thought to belong to its cluster, strongest first. */
export type ClusterEvidence = 'declared' | 'layout' | 'repeated' | 'none'

/** A file of values that an object names. */
interface OwnedValuesFile {
  /** The object that takes the values. */
  readonly owner: Manifest
  /** Whether this change touches the file. */
  readonly touched: boolean
}

/** One Kubernetes object as it is written on one side, and the clusters it is deployed to. */
export class Manifest {
  readonly root: Cursor

  constructor(
    readonly object: LoadedObject,
    readonly side: Side,
    readonly origin: Origin,
    readonly clusters: readonly string[],
    readonly evidence: ClusterEvidence = 'none',
    /** The owner of the values, if this is a file of values without an object. */
    readonly values?: OwnedValuesFile,
    /** The reason why it is assumed, if no file and no rendering contains it. */
    readonly assumption?: Assumption,
  ) {
    this.root = Cursor.root(this)
  }

  get ref(): ObjectRef {
    return this.object.ref
  }

  /** The values files that the object refers to by a name, in order; undefined if they are unknown. */
  valuesIn(name: string): readonly Cursor[] | undefined {
    const { object, side, clusters, evidence } = this
    return object.context?.files.get(name)?.map(
      ({ path, touched, ...file }) =>
        new Manifest({ ...object, ...file }, side, { kind: 'file', path }, clusters, evidence, {
          owner: this,
          touched,
        }).root,
    )
  }
}

/** An object as a manifest, and the objects that it is known to create. */
export function manifestsOf(object: LoadedObject, ...place: [Side, Origin, readonly string[], ClusterEvidence?]) {
  return [object, ...(object.context?.applications ?? [])].map((one) => new Manifest(one, ...place))
}
