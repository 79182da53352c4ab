import { isStopped } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isMentionedTwice, isUnmade } from '../../kubernetes/charts/absent-object'
import { isServiceOf, makerOf, servicesOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { mayBeReleased } from '../../kubernetes/charts/makers'
import {
  type AuthenticationService,
  authenticationKinds,
  authenticationServiceOf,
  authenticationServicesIn,
  authenticationSubjects,
  hasReader,
  marksOfReaders,
  namesInAddress,
} from '../../kubernetes/controllers/authentication-service'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import { portsOfService } from '../../kubernetes/ingress/backend'
import { gatewayClassKind } from '../../kubernetes/ingress/gateway-parameters'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { selectionMarks, selects } from '../../kubernetes/object/service'
import { isServedByIngressNginx } from '../../kubernetes/tls/annotated-secret'
import { workloadsBehind } from '../../kubernetes/workload/serving-pods'
import { enumerated } from '../../listing'
import { type Change, sidesOf } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { type ChangeInCluster, defineRule } from '../../rule/rule'

const authenticationMarks = authenticationSubjects.flatMap(({ marks }) => marks)

export default defineRule({
  id: 'controller-scope/authentication-resolves',
  summary: 'The Service by which a controller has requests checked is there, with its port.',
  since: '1.29.0',
  scope: 'snapshot',
  kinds: authenticationKinds,
  reads: ['Service', 'IngressClass.networking.k8s.io', gatewayClassKind, ...controllerKinds, ...releaseKinds],
  subjects: authenticationSubjects,
  direct: true,
  messages: {
    // Source: https://nginx.org/en/docs/http/ngx_http_auth_request_module.html: any other answer than 2xx, 401 and 403 is an
    // error; ingress-nginx controller-v1.15.1, rootfs/etc/nginx/template/nginx.tmpl, auth_request; traefik v3.7.9,
    // pkg/middlewares/auth/forward.go, ServeHTTP: 500
    removed: ({ user, service }: Record<'user' | 'service', string>) =>
      `This change removes ${service}, by which ${user} has requests checked, so each of them gets 500. Restore it, or name another Service there.`,
    port: ({ user, port, service, known }: Record<'user' | 'port' | 'service' | 'known', string>) =>
      `${user} has requests checked by the port ${port} of ${service}, which has only ${known}, so each of them gets 500. Write a port that the Service has.`,
    replaced: ({ user, service, former }: Record<'user' | 'service' | 'former', string>) =>
      `After this change ${user} has requests checked by ${service}, which is not in this repository, and no longer by ${former}, which is. Unless something else creates it, each of these requests gets 500. Check the name, or deploy it first.`,
    unknown: ({ user, service }: Record<'user' | 'service', string>) =>
      `After this change ${user} has requests checked by ${service}, and no other file here mentions it or its namespace. Unless it is in the cluster already, each of these requests gets 500. Check the name, or deploy it first.`,
    absent: ({ user, service }: Record<'user' | 'service', string>) =>
      `After this change ${user} has requests checked by ${service} of its own namespace, which no other file here mentions. Unless it is in the cluster already, each of these requests gets 500. Check the name, or deploy it first.`,
    stopped: ({ user, service, workload }: Record<'user' | 'service' | 'workload', string>) =>
      `After this change no Pods are behind ${service}, by which ${user} has requests checked: ${workload} was the last workload that ran some. So each of these requests gets 500. Keep one Pod at least, or name another Service there.`,
  },
  later: { absent: '1.30.0', stopped: '1.30.0' },
  putBack: { absent: 'nothing', port: 'changed', replaced: 'changed', unknown: 'nothing' },
  names: {
    *of(change) {
      const service = newlyAsked(change)
      if (service && isMissing(service, change.head)) yield* [service.service, service.namespace]
    },
    isUsedIn: mentionsWhole,
  },
  *partners(manifest, _, isGone) {
    if (controllerKinds.includes(groupKindOf(manifest.ref)) && (isGone || isStopped(manifest)))
      yield* [...selectionMarks(manifest), ...authenticationMarks, ...marksOfControllers]
    if (manifest.ref.kind === 'Service') yield* [`//${manifest.ref.name}`, 'extAuth', ...marksOfControllers]
    const names = namesInAddress(manifest)
    if (names.length > 0) yield* [...names, ...marksOfControllers, ...marksOfReaders]
  },
  check({ manifest, snapshot, report }) {
    const asked = authenticationServiceOf(manifest, snapshot)
    if (!asked || !isRead(manifest, snapshot)) return
    const services = servicesOf(asked, snapshot)
    const [first] = services
    if (!first || !services.every((one) => isServiceOf(asked, one))) return
    const ports = services.map(numbersOf)
    if (ports.some((numbers) => !numbers || numbers.includes(asked.wanted))) return
    const [known = []] = ports
    const port = String(asked.wanted)
    const args = {
      user: nameOf(manifest.ref),
      port,
      service: nameOf(first.ref),
      known: enumerated(known.map(String), 4),
    }
    report([asked.port, first.root.at('spec', 'ports')], 'port', args, { keys: [asked.service, port] })
  },
  checkChange({ change, base, head, isUsed, report, skip }) {
    if (change.kind !== 'added' && controllerKinds.includes(groupKindOf(change.before.ref))) {
      for (const { asked, service } of leftAlone(change, head)) {
        const args = { user: nameOf(asked.name.manifest.ref), service: nameOf(service.ref) }
        const at = change.kind === 'removed' ? change.before.root : change.after.root.at('spec', 'replicas')
        report([at, asked.name], 'stopped', { ...args, workload: nameOf(change.before.ref) }, { keys: [args.user] })
      }
      return
    }
    if (change.kind === 'removed') {
      const removed = change.before
      if (removed.ref.kind !== 'Service') return
      for (const asked of authenticationServicesIn(head).get(removed.ref.name) ?? []) {
        const { manifest } = asked.name
        if (!isServiceOf(asked, removed) || servicesOf(asked, head).length > 0 || !isRead(manifest, head)) continue
        const maker = makerOf(removed, base, head)
        if (maker) {
          skip(removed.root, `${nameOf(maker.ref)} may create the Service`)
          return
        }
        const user = nameOf(manifest.ref)
        report([removed.root, asked.name], 'removed', { user, service: nameOf(removed.ref) }, { keys: [user] })
      }
      return
    }
    const asked = newlyAsked({ change, base, head })
    if (!asked || !isMissing(asked, head)) return
    const { after } = change
    const args = { user: nameOf(after.ref), service: `Service ${asked.namespace}/${asked.service}` }
    const former = formerOf(asked, change, base, head)
    const keys = [asked.namespace, asked.service]
    if (former) {
      report([asked.name, former.root], 'replaced', { ...args, former: nameOf(former.ref) }, { keys })
      return
    }
    const [isOfNamespace, isOfService] = [asked.namespace, asked.service].map(
      (name) => isUsed(name) || isMentionedTwice(name, head),
    )
    if (isOfService) return
    if (!isOfNamespace) report(asked.name, 'unknown', args, { keys })
    // Other repositories may deploy to other namespaces.
    else if (asked.namespace === after.ref.namespace) report(asked.name, 'absent', args, { keys })
  },
})

/** The Services that controllers ask, and behind which a change leaves no Pods. */
function* leftAlone(change: Exclude<Change, { kind: 'added' }>, head: Snapshot) {
  const { before, after } = sidesOf(change)
  const isGone = after ? isStopped(after) : !outlivesPrune(change.before)
  if (!before || isStopped(before) || !isGone) return
  // An autoscaler, or a release, may run them.
  if (mayBeReleased(before.ref.namespace, before.ref.name, head)) return
  for (const asked of [...authenticationServicesIn(head).values()].flat()) {
    const [service] = servicesOf(asked, head)
    if (!service || !isServiceOf(asked, service) || !isRead(asked.name.manifest, head)) continue
    if (selects(service, before) && workloadsBehind(service, head).length === 0) yield { asked, service }
  }
}

/** Whether a controller reads the address: an annotation often stays where another controller came. */
function isRead(user: Manifest, snapshot: Snapshot): boolean {
  return user.ref.kind !== 'Ingress' || isServedByIngressNginx(user, snapshot)
}

/** The Service that an object of a change names, and did not before. */
function newlyAsked({ change, base, head }: ChangeInCluster): AuthenticationService | undefined {
  const { before, after } = sidesOf(change)
  const asked = after && authenticationServiceOf(after, head)
  const was = before && authenticationServiceOf(before, base)
  const isOld = was?.service === asked?.service && was?.namespace === asked?.namespace
  return after && asked?.isWhole && !isOld && isRead(after, head) ? asked : undefined
}

/** Whether no object here is the Service, or may create it, although the controller that asks it is here. */
function isMissing(asked: AuthenticationService, head: Snapshot): boolean {
  return (
    hasReader(asked.name.manifest, head) &&
    servicesOf(asked, head).length === 0 &&
    isUnmade(asked.namespace, asked.service, head, asked.name.manifest)
  )
}

/** The Service that the object named before, if it is still here, beside the place of the one that it names now. */
function formerOf(asked: AuthenticationService, change: Change, base: Snapshot, head: Snapshot): Manifest | undefined {
  const { before } = sidesOf(change)
  const was = before && authenticationServiceOf(before, base)
  return was?.namespace === asked.namespace ? servicesOf(was, head).find((one) => isServiceOf(was, one)) : undefined
}

/** The numbers of the ports of a Service; undefined where they do not decide: one without an address of its own has those of its Pods. */
function numbersOf(service: Manifest): unknown[] | undefined {
  if (service.root.at('spec', 'clusterIP').string === 'None') return undefined
  return portsOfService(service)?.map(({ number }) => number)
}
