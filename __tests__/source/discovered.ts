// The results of discovery in a revision in memory, with invented renderings.
import { discover } from '../../src/discovery/discover'
import type { FollowLimits } from '../../src/discovery/followed'
import { Checkout } from '../../src/revision/checkout'
import { readTree } from '../../src/revision/tree'
import { MemoryRevision } from '../memory-revision'
import { configMap, kustomization, repository } from './flux-objects'
import { url } from './probe'
import { temporaryFolder } from './repository'

export const application = (name: string, path: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  source: {repoURL: "${url}", path: ${path}}
  destination: {server: "https://kubernetes.default.svc", namespace: shop}
`

export const many = (count: number, one: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => one(index)).join('---\n')

/** A chart that may render Applications, so that each of its releases is rendered for them. */
export const chart = {
  'apps/Chart.yaml': 'apiVersion: v2\nname: apps\nversion: 1.0.0\n',
  'apps/templates/app.yaml': application('{{ .Release.Name }}-child', 'apps'),
}

/** Discovers the sources of some files; every rendering is counted, and brings the given objects. */
export async function discovered(
  files: Readonly<Record<string, string>>,
  limits: FollowLimits,
  brought: (release: string) => string,
) {
  const revision = new MemoryRevision('head', files)
  const checkout = new Checkout(revision, await readTree(revision, []), temporaryFolder)
  const rendered: string[] = []
  const found = await discover(
    checkout,
    {
      releases: [],
      repository: ['github.com/acme/platform'],
      isNew: () => false,
      informed: (source) => source,
      limits,
      render: async (source) => {
        rendered.push(source.id)
        const release = source.kind === 'helm' ? source.release : ''
        return [{ text: brought(release), path: 'apps/templates/app.yaml', template: '' }]
      },
    },
    'head',
  )
  const listed = found.notInspected.filter(({ cause }) => cause.startsWith('too-'))
  return { rendered, listed, sources: found.sources, notInspected: found.notInspected }
}

/** The limits of a run. */
export const wide: FollowLimits = { depth: 8, renderings: 500, objects: 20_000 }

/** The variables of a Flux Kustomization that takes them of so many ConfigMaps. */
export async function variablesOf(count: number) {
  const holders = Array.from({ length: count }, (_, index) => `values-${index}`)
  const from = holders.map((name) => `{kind: ConfigMap, name: ${name}}`).join(', ')
  const parent = kustomization('parent', './clusters', `postBuild: {substituteFrom: [${from}]}`)
  const maps = holders.map((name, index) => configMap(name, 'flux-system', `FOLDER: team-${index}`))
  const files = {
    'flux.yaml': [repository(), parent, ...maps].join('---\n'),
    'clusters/kustomization.yaml': 'resources: [web.yaml]\n',
    'clusters/web.yaml': '',
  }
  const { sources } = await discovered(files, wide, () => '')
  return sources.find((source) => source.kind === 'kustomize' && source.substitutions)
}
