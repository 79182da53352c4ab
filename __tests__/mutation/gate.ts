import { noArgoFiles } from '../../src/deployers/common/argocd-files'
import { TouchedPlaces } from '../../src/deployers/common/touched-places'
import { readGitOps } from '../../src/deployers/gitops'
import { GuardError } from '../../src/errors'
import { loadFile } from '../../src/manifest/load'
import { Manifest } from '../../src/manifest/manifest'
import { Checkout } from '../../src/revision/checkout'
import { readTree } from '../../src/revision/tree'
import { readKustomizations } from '../../src/sources/read-kustomizations'
import { judge } from '../harness'
import { MemoryRevision } from '../memory-revision'

/** The path of a file of the corpus in a repository; any other is a plain manifest. */
const places: Readonly<Record<string, string>> = {
  'kustomization.yaml': 'overlays/live/kustomization.yaml',
  'component.yaml': 'parts/tls/kustomization.yaml',
  'values.yaml': 'charts/ingress/values.yaml',
  'application.yaml': 'argocd/storefront.yaml',
  'application-kustomize.yaml': 'argocd/overlays.yaml',
  'application-set.yaml': 'argocd/teams.yaml',
  'flux.yaml': 'clusters/live/flux.yaml',
  'guard.yaml': '.github/ingress-guard.yaml',
  'inventory.yaml': 'clusters/live/inventory.yaml',
  'role.json': 'apps/storefront/role.json',
  'json-stream.txt': 'apps/storefront/stream.json',
}

/** Whether an input says what else is deployed, or how it is judged. */
export function describes(origin: string): boolean {
  return origin in places
}

/** A small repository that has one of everything, with a file of the corpus as this text. */
function repositoryWith(origin: string, text: string): Record<string, string> {
  return {
    'apps/storefront/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'apps/storefront/ingress.yaml':
      'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec: {defaultBackend: {service: {name: web, port: {number: 80}}}}\n',
    'overlays/base/kustomization.yaml': 'resources: [service.yaml]\n',
    'overlays/base/service.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n',
    'overlays/live/kustomization.yaml': 'resources: [../base]\n',
    'charts/ingress/Chart.yaml': 'apiVersion: v2\nname: ingress\nversion: 1.0.0\n',
    'charts/ingress/values.yaml': 'controller: {replicaCount: 1}\n',
    'charts/ingress/templates/class.yaml':
      'apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: nginx}\nspec: {controller: k8s.io/ingress-nginx}\n',
    'shared/values.yaml': 'controller: {replicaCount: 2}\n',
    [places[origin] ?? 'apps/plain/input.yaml']: text,
  }
}

/** Reads Kustomizations and what Argo CD and Flux objects name, in a repository that holds the input. */
export async function readSources(origin: string, text: string): Promise<void> {
  const revision = new MemoryRevision('head', repositoryWith(origin, text))
  const checkout = new Checkout(revision, await readTree(revision, []), () => '/nowhere')
  const kustomizations = await readKustomizations(checkout)
  const manifests = loadFile({ text }).objects.map(
    (object) => new Manifest(object, 'head', { kind: 'file', path: places[origin] ?? 'apps/plain/input.yaml' }, []),
  )
  readGitOps(manifests, [], {
    checkout,
    kustomizations,
    repository: [],
    sourceIgnores: new Map(),
    generatorFiles: new Map(),
    argoFiles: noArgoFiles,
    touched: new TouchedPlaces(undefined, kustomizations),
    generatedBySets: new Map(),
    clusterNames: [],
    broughtBy: new Map(),
    writtenAs: new Map(),
  })
}

/** Judges the change from one text to another whole; a fault of the config is an error and no crash. */
export async function judgeChange(origin: string, before: string, after: string): Promise<void> {
  const isConfig = origin === 'guard.yaml'
  try {
    await judge({
      base: repositoryWith(isConfig ? '' : origin, isConfig ? '' : before),
      head: repositoryWith(isConfig ? '' : origin, isConfig ? '' : after),
      ...(isConfig ? { guard: after } : {}),
    })
  } catch (error) {
    if (!(error instanceof GuardError)) throw error
  }
}
