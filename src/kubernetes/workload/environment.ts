import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import { configMapNamed } from '../object/named-object'
import type { Setting } from './settings'

/** The variables of a container's process, as the kubelet resolves them. */
export class Environment {
  private known: Map<string, Cursor> | undefined

  /** @param namespaceVariable the variable in which the process always has its Pod's namespace */
  constructor(
    private readonly container: Cursor,
    private readonly snapshot?: Snapshot,
    private readonly namespaceVariable?: string,
  ) {}

  /** A variable: undefined if no known source sets it. */
  get(name: string): Setting | undefined {
    return this.settingOf(name, 0)
  }

  /** The names of the known ones. */
  get names(): readonly string[] {
    return [...this.entries.keys()]
  }

  /** The ConfigMaps that add all of their variables. */
  get holders(): readonly Cursor[] {
    return this.sources.flatMap(({ data }) => data ?? [])
  }

  /** The source of unknown variables. */
  get hidden(): Cursor | undefined {
    return this.sources.find(({ data }) => !data)?.at
  }

  /**
   * Substitutes variables: `$(NAME)`, while `$$(NAME)` is text. Undefined if one of them is unknown.
   * Source: https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/
   *
   * @param at where it is written; a value from a ConfigMap is placed there
   */
  resolve(written: string, at: Cursor, depth = 0): Setting {
    if (isPlaceholder(written.replace(/\$?\$\([^)$]*\)/g, ''))) return { at, value: undefined }
    let isKnown = true
    let place = at
    const value = written.replace(/(\$?)\$\(([^)$]*)\)/g, (whole, doubled: string, name: string) => {
      if (doubled) return whole.slice(1)
      const resolved = this.settingOf(name, depth)
      if (resolved?.value === undefined) isKnown = false
      if (resolved && resolved.at.manifest !== at.manifest) place = resolved.at
      return resolved?.value ?? whole
    })
    return { at: place, value: isKnown ? value : undefined }
  }

  private settingOf(name: string, depth: number): Setting | undefined {
    const entry = this.entries.get(name)
    if (!entry) return name === this.namespaceVariable ? this.ownNamespace : undefined
    if (entry.manifest !== this.container.manifest) return { at: entry, value: entry.string }
    const at = entry.at('value').exists ? entry.at('value') : entry
    const from = entry.at('valueFrom')
    const field = from.at('fieldRef', 'fieldPath').string
    if (field !== undefined) return { at, value: this.fieldOf(field) }
    const key = from.at('configMapKeyRef')
    if (key.exists) {
      const map = configMapNamed(key.at('name').string, this.container.manifest, this.snapshot)
      const held = map?.root.at('data', key.at('key').string ?? '')
      return held?.exists ? { at: held, value: held.string } : { at, value: undefined }
    }
    if (from.exists || depth > deepestVariable) return { at, value: undefined }
    return this.resolve(entry.at('value').string ?? '', at, depth + 1)
  }

  private get ownNamespace(): Setting {
    return { at: this.container, value: this.fieldOf('metadata.namespace') }
  }

  /** Each variable with its place: its own entry, otherwise the last ConfigMap that adds all of its variables. */
  private get entries(): Map<string, Cursor> {
    this.known ??= new Map([
      ...this.sources.flatMap(({ prefix, data }) =>
        [...(data?.entries() ?? [])].map(([key, at]) => [prefix + key, at] as const),
      ),
      ...[...this.container.at('env').items()].map((entry) => [entry.at('name').string ?? '', entry] as const),
    ])
    return this.known
  }

  /** A source of variables, with its data if known. */
  private get sources(): { prefix: string; at: Cursor; data: Cursor | undefined }[] {
    return [...this.container.at('envFrom').items()].map((at) => {
      const map = configMapNamed(at.at('configMapRef', 'name').string, this.container.manifest, this.snapshot)
      return { prefix: at.at('prefix').string ?? '', at, data: map?.root.at('data') }
    })
  }

  /**
   * The known fields of the Pod before it runs.
   * Source: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
   */
  private fieldOf(path: string): string | undefined {
    const { manifest } = this.container
    const { ref } = manifest
    const pod = podOf(manifest)
    if (path === 'metadata.namespace') return ref.namespace || undefined
    if (path === 'spec.serviceAccountName') return pod.at('spec', 'serviceAccountName').string
    const [, labels, key] = path.match(/^metadata\.(labels|annotations)\['(.+)'\]$/) ?? []
    return labels && key ? pod.at('metadata', labels, key).string : undefined
  }
}

/** Variables may refer to earlier variables; this is deeper than anyone nests them. */
const deepestVariable = 8
