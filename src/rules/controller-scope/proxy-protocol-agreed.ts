import { controllerKinds, controllersOf, marksOfControllers } from '../../kubernetes/controllers/controller'
import { configsNamedBy } from '../../kubernetes/controllers/nginx-config'
import { disagreementsIn } from '../../kubernetes/controllers/proxy-protocol'
import { selectionMarks } from '../../kubernetes/object/service'
import { identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Names = Record<'map' | 'service', string>

export default defineRule({
  id: 'controller-scope/proxy-protocol-agreed',
  summary: 'Where a load balancer sends the PROXY protocol, and only there, ingress-nginx expects it.',
  since: '1.30.0',
  scope: 'change',
  kinds: ['ConfigMap', 'Service'],
  reads: controllerKinds,
  messages: {
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/configmap/#use-proxy-protocol
    unsent: ({ map, service }: Names) =>
      `After this change ingress-nginx expects the PROXY protocol by use-proxy-protocol in ${map}, and ${service} does not ask its load balancer to send it. Unless the load balancer is set up elsewhere, all connections break. Change both at once.`,
    unread: ({ map, service }: Names) =>
      `After this change ${service} asks its load balancer to send the PROXY protocol, and ingress-nginx does not expect it by use-proxy-protocol in ${map}, so it answers 400 to all requests. Change both at once.`,
  },
  putBack: { unsent: 'changed', unread: 'changed' },
  *partners(manifest) {
    const { kind, name } = manifest.ref
    if (kind === 'Service') yield* selectionMarks(manifest)
    else if (kind === 'ConfigMap') {
      if (manifest.object.content.includes('proxy-protocol')) yield* [name, ...marksOfControllers]
    } else {
      yield* selectionMarks(manifest)
      for (const { map } of controllersOf(manifest).flatMap(configsNamedBy)) yield map.name
    }
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const changed = identityOf(change.after.ref)
    const before = new Set(disagreementsIn(base).map(keyOf))
    for (const one of disagreementsIn(head)) {
      const { kind, map, service, ends } = one
      const isMap = identityOf(map.ref) === changed
      if ((!isMap && identityOf(service.ref) !== changed) || before.has(keyOf(one))) continue
      const at = isMap ? [ends.map, ends.service] : [ends.service, ends.map]
      report(at, kind, { map: nameOf(map.ref), service: nameOf(service.ref) }, { keys: [kind] })
    }
  },
})

function keyOf({ kind, map, service }: ReturnType<typeof disagreementsIn>[number]): string {
  return JSON.stringify([kind, identityOf(map.ref), identityOf(service.ref)])
}
