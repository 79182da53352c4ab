import { podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { portsOf } from './controller-service'

/** A Service, and a workload whose Pods it selects. */
export interface Led {
  readonly service: Manifest
  readonly workload: Manifest
}

/** A port of a Service, and the port of the Pods that it leads to. */
interface Way {
  readonly at: Cursor
  readonly port: Cursor
  readonly number: unknown
}

/** Annotations by which a load balancer ends TLS itself, so that port 443 may lead to a port without. */
const endsTls = /ssl|tls|cert|backend-protocol/i

/** The names and numbers of ports for TLS. */
const forTls = /https|websecure|tls|ssl|443/i

/**
 * The place where the ports 443 and 80 of a Service come to lead to each other's port of the Pods; undefined where they do not, or the
 * load balancer may end TLS, or the settings of the programs changed, too.
 */
export function swappedPorts(before: Led, after: Led): Cursor | undefined {
  const [secure, plain] = waysOf(before)
  const [secureNow, plainNow] = waysOf(after)
  if (!secure || !plain || !secureNow || !plainNow || secure.number === plain.number) return undefined
  if (secureNow.number !== plain.number || plainNow.number !== secure.number) return undefined
  if (!forTls.test(`${secure.port.at('name').string ?? ''} ${secure.number}`)) return undefined
  const annotations = [...after.service.root.at('metadata', 'annotations').entries()]
  if (annotations.some(([key]) => endsTls.test(key)) || settingsOf(before) !== settingsOf(after)) return undefined
  return secureNow.at.at('targetPort').exists ? secureNow.at.at('targetPort') : secureNow.at
}

/** The ways of the ports 443 and 80. */
function waysOf({ service, workload }: Led): (Way | undefined)[] {
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  const listed = containers.flatMap((container) => [...container.at('ports').items()])
  return ['TCP/443', 'TCP/80'].map((key) => {
    const at = portsOf(service).find((one) => one.key === key)?.at
    const target = at?.at('targetPort').value ?? at?.at('port').value
    const port = listed.find((one) => [one.at('name').value, one.at('containerPort').value].includes(target))
    return at && port && { at, port, number: port.at('containerPort').value }
  })
}

/** What the containers are started with. */
function settingsOf({ workload }: Led): string {
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  return JSON.stringify(containers.map((one) => ['command', 'args', 'env'].map((key) => one.at(key).value ?? null)))
}
