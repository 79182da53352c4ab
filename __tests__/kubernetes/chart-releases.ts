import { type Controller, controllersOf } from '../../src/kubernetes/controllers/controller'
import { manifestIn } from '../manifest/manifests'

export function releaseOf(
  values: object,
  version = '4.12.1',
  chart = 'ingress-nginx',
  spec: object = {},
  repository = chart,
): readonly Controller[] {
  const sourceRef = { kind: 'HelmRepository', name: repository }
  const object = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'web', namespace: 'edge' },
    spec: { chart: { spec: { chart, version, sourceRef } }, values, ...spec },
  }
  return controllersOf(manifestIn(JSON.stringify(object)))
}

export function only(found: readonly Controller[]): Controller {
  const [controller, ...more] = found
  if (!controller || more.length > 0) throw new Error(`${found.length} controllers`)
  return controller
}

export const claimsOf = ({ claims }: Controller) =>
  claims.map(({ names, controller, made }) => `${names.join()} of ${controller} makes ${made}`)

/** The facts of the first controller that the rendered chart shows: each row was compared with them. */
export const described = ({
  watched,
  status,
  locks,
  serviceAccount,
  namespace,
  installed,
  claims,
  release,
}: Controller) => ({
  watched: watched.scope === 'namespaces' ? watched.names.join() : watched.scope,
  status: status.writes === 'source' ? `${status.flag.split('.').at(-1)}=${status.value}` : status.writes,
  lock: locks[0]?.name,
  account: serviceAccount.name,
  namespace,
  service: installed?.service?.value,
  made: claims[0]?.made,
  unclassed: claims[0]?.unclassed,
  by: claims[0]?.by,
  release,
})
