import { gzipSync } from 'node:zlib'
import { identify } from '../../manifest/identity'

/** A cluster as helm sees it: it serves helm's requests during rendering. */
export interface StubCluster {
  /** `1.33.0-eks-1`. */
  readonly version: string
  /** The parts of an object that `lookup` finds. */
  readonly served: ReadonlySet<string>
  /** Kinds that `lookup` may ask for, of any API. */
  readonly kinds: ReadonlySet<string>
  /** Whether `lookup` finds what is at a path. */
  readonly finds: (path: string) => boolean
  readonly found: FoundObjects
  readonly release: StoredRelease
}

/** The fields that objects found by `lookup` have. */
export interface FoundObjects {
  /** Objects as the release makes them, by kind, namespace and name. */
  readonly known: ReadonlyMap<string, object>
  /** Keys that the data of ConfigMaps and Secrets may have. */
  readonly keys: readonly string[]
  /** The names of the objects in a list. */
  readonly names: readonly string[]
}

/** The release that is upgraded. */
export interface StoredRelease {
  readonly name: string
  readonly namespace: string
  /** The revision that an upgrade makes; 1 for a release that is installed. */
  readonly revision: number
  /** The objects that it had, as YAML. */
  readonly manifest: string
}

/** An answer to one request, and the question in the request: none for requests that helm makes itself. */
export interface StubAnswer {
  readonly status: number
  readonly body: object
  readonly question?: string
}

const notFound = {
  status: 404,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' },
}

/** Answers a request as an API server does. https://kubernetes.io/docs/reference/using-api/api-concepts/ */
export function answerOf(cluster: StubCluster, url: string): StubAnswer {
  const [rawPath = '', query = ''] = url.split('?', 2)
  const path = decoded(rawPath).replace(/(?<!\/)\/+$/, '')
  if (path === '/version') return { status: 200, body: versionOf(cluster.version) }
  if (path === '/api') return { status: 200, body: { kind: 'APIVersions', versions: ['v1'] } }
  if (path === '/apis') return { status: 200, body: groupsOf(cluster.served) }
  const parts = path.slice(1).split('/')
  const api = parts[0] === 'api' ? parts[1] : parts[0] === 'apis' ? parts.slice(1, 3).join('/') : undefined
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3)
  if (api === undefined) return notFound
  if (rest.length === 0 && (parts[0] === 'apis' || api === 'v1'))
    return { status: 200, body: resourcesOf(cluster, api) }
  const isStorage = new URLSearchParams(query).get('labelSelector')?.includes('owner=helm') ?? false
  if (isStorage) return { status: 200, body: storageOf(cluster.release) }
  return cluster.finds(path)
    ? { status: 200, body: foundAt(cluster, api, rest), question: path }
    : { ...notFound, question: path }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function versionOf(version: string): object {
  const [major, minor] = version.split('.')
  return { major, minor, gitVersion: `v${version}`, platform: 'linux/amd64' }
}

function groupsOf(served: ReadonlySet<string>): object {
  const groups = new Map<string, Set<string>>()
  for (const one of served) {
    const [group = '', version = ''] = one.split('/')
    if (/^v\d/.test(group)) continue
    groups.set(group, (groups.get(group) ?? new Set()).add(version))
  }
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...groups].map(([name, its]) => {
      const versions = [...its].sort().map((version) => ({ groupVersion: `${name}/${version}`, version }))
      return { name, versions, preferredVersion: versions[0] }
    }),
  }
}

/** The kinds of an API. Helm reports those that it does not find, and is started again with them. */
function kindsOf({ served }: StubCluster, api: string): string[] {
  const own = [...served].flatMap((one) => (one.startsWith(`${api}/`) ? [one.slice(api.length + 1)] : []))
  return own.filter((kind) => kind !== '')
}

function resourcesOf(cluster: StubCluster, api: string): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: api,
    resources: kindsOf(cluster, api).map((kind) => ({
      name: pluralOf(kind),
      singularName: kind.toLowerCase(),
      namespaced: identify(api, kind, 'x', 'x').namespace !== '',
      kind,
      verbs: ['get', 'list'],
    })),
  }
}

/** The name of a kind in a path. */
export function pluralOf(kind: string): string {
  const name = kind.toLowerCase()
  if (name === 'endpoints' || name.endsWith('metrics')) return name
  if (/(?:s|x|ch)$/.test(name)) return `${name}es`
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

/** The list that helm's storage of releases asks for. https://helm.sh/docs/topics/advanced/#storage-backends */
function storageOf({ name, namespace, revision, manifest }: StoredRelease): object {
  const version = revision - 1
  const at = '2026-01-01T00:00:00Z'
  const release = {
    name,
    namespace,
    version,
    info: { first_deployed: at, last_deployed: at, status: 'deployed' },
    chart: { metadata: { name, version: '0.0.0', apiVersion: 'v2' }, templates: [], values: {} },
    config: {},
    manifest,
  }
  const packed = gzipSync(Buffer.from(JSON.stringify(release)), { level: 1 }).toString('base64')
  const metadata = {
    name: `sh.helm.release.v1.${name}.v${version}`,
    namespace,
    labels: { name, owner: 'helm', status: 'deployed', version: String(version) },
  }
  const data = { release: Buffer.from(packed).toString('base64') }
  const stored = { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata, data }
  return { kind: 'SecretList', apiVersion: 'v1', metadata: {}, items: version > 0 ? [stored] : [] }
}

function foundAt(cluster: StubCluster, api: string, rest: readonly string[]): object {
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2
  const [resource = '', name] = isInNamespace ? rest.slice(2) : rest
  const namespace = isInNamespace ? (rest[1] ?? '') : ''
  const kind = [...kindsOf(cluster, api), ...cluster.kinds].find((one) => pluralOf(one) === resource) ?? ''
  const object = (its: string) => foundObject(cluster, { api, kind, namespace, name: its })
  if (name !== undefined) return object(name)
  const names = kind === 'Namespace' ? ['default', 'kube-node-lease', 'kube-public', 'kube-system'] : ['found']
  const items = [...new Set([...names, ...cluster.found.names])].map(object)
  return { kind: `${kind}List`, apiVersion: api, metadata: { resourceVersion: '1' }, items }
}

interface Wanted {
  readonly api: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

function foundObject({ found, release }: StubCluster, { api, kind, namespace, name }: Wanted): object {
  const known = found.known.get(JSON.stringify([kind, namespace, name])) ?? {}
  const metadata = {
    uid: '3f0c9a5e-6b1d-4c77-9e0f-2a8d51c6b7e4',
    resourceVersion: '48211',
    creationTimestamp: '2025-03-04T05:06:07Z',
    ...('metadata' in known && known.metadata !== null && typeof known.metadata === 'object' ? known.metadata : {}),
    name,
    ...(namespace === '' ? {} : { namespace }),
  }
  const labels = {
    'app.kubernetes.io/managed-by': 'Helm',
    ...(kind === 'Namespace' ? { 'kubernetes.io/metadata.name': name } : {}),
  }
  const annotations = { 'meta.helm.sh/release-name': release.name, 'meta.helm.sh/release-namespace': release.namespace }
  return {
    ...typical(kind, found.keys),
    ...known,
    apiVersion: api,
    kind,
    metadata: {
      ...metadata,
      labels: { ...field(metadata, 'labels'), ...labels },
      annotations: { ...field(metadata, 'annotations'), ...annotations },
    },
  }
}

function field(object: object, name: string): object {
  const value: unknown = Object.entries(object).find(([key]) => key === name)?.[1]
  return value !== null && typeof value === 'object' ? value : {}
}

/** The usual content of an object of a kind in a cluster that works. */
function typical(kind: string, keys: readonly string[]): object {
  const ready = { type: 'Ready', status: 'True' }
  const data = Object.fromEntries(keys.map((key) => [key, 'Zm91bmQ=']))
  switch (kind) {
    case 'Namespace':
      return { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }
    case 'Secret':
      return { type: 'Opaque', data }
    case 'ConfigMap':
      return { data }
    case 'Pod':
      return { spec: {}, status: { phase: 'Running', conditions: [ready] } }
    case 'PersistentVolumeClaim':
      return { spec: {}, status: { phase: 'Bound' } }
    case 'Service':
      return { spec: { clusterIP: '10.96.0.10', type: 'ClusterIP', ports: [] }, status: { loadBalancer: {} } }
    case 'CustomResourceDefinition':
      return { spec: { versions: [] }, status: { conditions: [{ type: 'Established', status: 'True' }] } }
    default:
      return {
        data,
        spec: {},
        status: { conditions: [ready, { type: 'Available', status: 'True' }], replicas: 1, readyReplicas: 1 },
      }
  }
}
