import { openshiftRouteKind } from '../../kubernetes/ingress/openshift-route'
import { isIdle, lostRoutes, routerKind } from '../../kubernetes/ingress/openshift-router'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { abridged } from '../../listing'
import { sidesOf } from '../../manifest/change'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Loss {
  router: string
  routes: string
}

export default defineRule({
  id: 'controller-scope/router-kept',
  summary: 'The Routes of OpenShift keep an IngressController that serves them.',
  since: '1.29.0',
  scope: 'change',
  kinds: [routerKind],
  reads: [openshiftRouteKind, 'Namespace'],
  messages: {
    // Source: openshift/api, operator/v1/types_ingress.go, IngressControllerSpec
    stopped: ({ router, routes }: Loss) =>
      `${router} runs no router after this change, and no other IngressController here serves ${routes}, so nothing answers for their hosts. Keep at least one replica until another router serves them.`,
    // Source: openshift/cluster-ingress-operator, pkg/operator/controller/ingress/controller.go, ensureIngressDeleted
    removed: ({ router, routes, until }: Loss & { until: string }) =>
      `This change removes ${router}, and no other IngressController here serves ${routes}, so its router and its load balancer go, and nothing answers for their hosts${until}. Keep it until another router serves them.`,
    unselected: ({ router, routes, field }: Loss & { field: string }) =>
      `After this change the ${field} of ${router} leaves out ${routes}, and no other IngressController here takes their hosts, so the router answers 503 for these. Give the Routes the labels first, or keep the selector.`,
  },
  putBack: { stopped: 'changed', unselected: 'changed' },
  *partners({ object: { content } }) {
    yield* ['route.openshift.io', 'operator.openshift.io']
    if (content.includes('namespaceSelector')) yield 'Namespace'
  },
  check({ change, base, head, report }) {
    const { before, after } = sidesOf(change)
    if (!before || isIdle(before) || (!after && (outlivesPrune(before) || head.get(before.ref).length > 0))) return
    for (const { at, routes } of lostRoutes(before, after, base, head)) {
      const [first] = routes
      if (!first) continue
      const names = { router: nameOf(before.ref), routes: abridged(routes.map(({ ref }) => nameOf(ref))) }
      const ends = [at, first.root.at('spec', 'host')]
      if (!after) {
        const until = before.ref.name === 'default' ? renewed : ''
        report(ends, 'removed', { ...names, until }, { keys: [] })
      } else if (isIdle(after)) report(ends, 'stopped', names, { keys: [] })
      else {
        const field = String(at.path.at(-1))
        report(ends, 'unselected', { ...names, field }, { keys: [field] })
      }
    }
  },
})

/** What the operator of OpenShift does without an IngressController of the name `default`. */
const renewed = ' until OpenShift has created a new one without these settings, at another address'
