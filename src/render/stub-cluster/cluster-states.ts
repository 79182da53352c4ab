import { apisOf, extensions, isOfKubernetes, stableKinds } from '../../kubernetes/versions/served-apis'
import type { ClusterState } from './ask-helm'
import type { ChartWords } from './chart-words'

/** Odd and even, in the middle, and larger than any that a template counts to. */
const revisions = [3, 10, 101, 1_000_002, 1_000_003]

/** Suffixes of versions in managed clusters. */
const endings = ['-eks-1', '+k3s1']

/** The properties, besides objects, of the clusters that a chart is rendered for. */
type Environment = Omit<ClusterState, 'finds'>

/** A cluster as most are: recent, and with no more than the stable APIs of Kubernetes. */
export function plainCluster(versions: readonly string[], known: string | undefined): Environment {
  const version = known ?? (versions.includes('1.33.0') ? '1.33.0' : (versions.at(-1) ?? '1.33.0'))
  return { name: 'the cluster has no extensions', revision: 2, version, served: apisOf(version, false) }
}

/** All that a chart may ask for at once, unlike in the plain cluster. */
export function otherCluster(plain: Environment, words: ChartWords, versions: readonly string[]): Environment {
  const version = versions.at(-1) ?? plain.version
  return {
    name: 'the release is old, and the cluster has all extensions',
    revision: 1_000_003,
    version: `${version}${versions.length > 0 ? endings[0] : ''}`,
    served: [...apisOf(version, true), ...extensions, ...namedExtensions(words)],
  }
}

/** A property in which clusters differ, apart from their objects. */
export type ClusterAspect = 'revision' | 'apiVersions' | 'kubeVersion'

/** For each aspect that the texts of a chart do not mention, a cluster that shows whether the chart uses it. */
export function probesFor(plain: Environment, other: Environment, words: ChartWords): [ClusterAspect, Environment][] {
  const { revision, version, served } = other
  const all: [ClusterAspect, Environment][] = [
    ['revision', { ...plain, name: `the release has revision ${revision}`, revision }],
    [
      'apiVersions',
      { ...plain, name: 'the cluster has all extensions', served: [...plain.served, ...served], byFlags: true },
    ],
    ['kubeVersion', { ...plain, name: `Kubernetes has version ${version}`, version, byFlags: true }],
  ]
  return all.filter(([aspect]) => !words[aspect])
}

/** One thing of the plain cluster is otherwise, at a time. */
export function clustersFor(
  plain: Environment,
  words: ChartWords,
  versions: readonly string[],
  aspects: ReadonlySet<ClusterAspect>,
): Environment[] {
  const states: Environment[] = []
  const [byFlags, isOdd] = [true, true] as const
  if (aspects.has('revision')) {
    const near = words.numbers.flatMap((number) => [number - 1, number, number + 1])
    for (const revision of new Set([...revisions, ...near]))
      if (revision > 2) states.push({ ...plain, name: `the release has revision ${revision}`, revision })
  }
  if (aspects.has('apiVersions')) {
    const all = extensionsFor(words)
    const named = words.apis.filter((api) => !isOfKubernetes(api)).map(withKind)
    states.push({ ...plain, name: 'the cluster has all extensions', served: [...plain.served, ...all], byFlags })
    for (const api of named) {
      states.push({
        ...plain,
        name: `the cluster has ${api}`,
        served: [...plain.served, ...kindsOf(api, all)],
        byFlags,
      })
      const others = all.filter((one) => !one.startsWith(groupVersionOf(api)))
      if (named.length > 1)
        states.push({
          ...plain,
          name: `the cluster has all extensions but ${api}`,
          served: [...plain.served, ...others],
          byFlags,
        })
    }
    const betas = apisOf('1.20.0', true)
    states.push({ ...plain, name: 'the cluster has beta APIs', served: [...plain.served, ...betas], isOdd })
    states.push({ ...plain, name: 'the cluster has few APIs', served: apisOf('1.15.0', false), isOdd })
  }
  if (versions.length > 1 && aspects.has('kubeVersion')) {
    for (const version of versionsFor(words, versions))
      states.push({ ...plain, name: `Kubernetes has version ${version}`, version, byFlags, isOdd })
    for (const ending of endings)
      states.push({
        ...plain,
        name: `Kubernetes has version ${plain.version}${ending}`,
        version: `${plain.version}${ending}`,
        byFlags,
        isOdd,
      })
  }
  return states
}

/** The first and last versions, some between, and those that the chart compares with. */
function versionsFor({ minors }: ChartWords, versions: readonly string[]): string[] {
  const near = minors.flatMap((minor) => [minor - 1, minor]).map((minor) => `1.${minor}.0`)
  const at = (part: number) => versions[Math.round((versions.length - 1) * part)] ?? ''
  const chosen = new Set([at(0), at(0.5), at(1), ...near])
  return versions.filter((version) => chosen.has(version))
}

/** The number of kinds in a chart that are combined with an API in it. */
const mostKinds = 40

/** The extensions that many clusters have, and those in a chart. */
function extensionsFor(words: ChartWords): string[] {
  const { groups } = words
  const own = namedExtensions(words)
  const known = new Set([...extensions, ...own].map((api) => api.split('/', 1)[0]))
  const guessed = groups
    .filter((group) => !known.has(group) && !isOfKubernetes(`${group}/v1`))
    .flatMap((group) => ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}/`))
  return [...new Set([...extensions, ...own, ...guessed])]
}

/** The extensions that a chart names; an API without a kind is combined with the chart's kinds. */
function namedExtensions({ apis, kinds }: ChartWords): string[] {
  const own = apis.filter((api) => !isOfKubernetes(api)).map(withKind)
  const named = kinds.slice(0, mostKinds)
  return own.flatMap((api) => (api.endsWith('/') ? [api, ...named.map((kind) => `${api}${kind}`)] : [api]))
}

/** An API without a kind has any. */
function withKind(api: string): string {
  return api.split('/').length === 2 && !/^v\d/.test(api) ? `${api}/` : api
}

function groupVersionOf(api: string): string {
  return `${api.split('/').slice(0, 2).join('/')}/`
}

/** The kinds of an API, where they are known. */
function kindsOf(api: string, all: readonly string[]): string[] {
  return api.endsWith('/') ? all.filter((one) => one.startsWith(api)) : [api]
}

/** Kinds that `lookup` may ask for. */
export function kindsFor({ kinds }: ChartWords): string[] {
  const common = [...stableKinds, ...extensions].map((one) => one.slice(one.lastIndexOf('/') + 1))
  return [...new Set([...kinds, ...common])]
}
