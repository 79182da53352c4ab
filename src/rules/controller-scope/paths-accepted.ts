import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { controllersConfiguredBy } from '../../kubernetes/controllers/nginx-config'
import { type RoutedPath, routedPaths } from '../../kubernetes/controllers/nginx-ingress'
import { counterpartOf } from '../../kubernetes/controllers/same-controller'
import { strictCheckOf, strictPathsKey } from '../../kubernetes/controllers/strict-paths'
import { abridged } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

type Refusal = Record<'controller' | 'ingresses' | 'path' | 'accepts', string>

const messages = {
  // Source: ingress-nginx controller-v1.12.0, internal/ingress/controller/controller.go, CheckIngress
  refused: ({ controller, ingresses, path, accepts }: Refusal) =>
    `After this change the admission webhook of ${controller} checks paths strictly, by default since ingress-nginx 1.12.0, or by its ${strictPathsKey}: with pathType Prefix or Exact, a path may hold only letters, digits and the characters ${accepts}, unlike ${path}. So ${ingresses} can no longer be applied, and a Flux Kustomization or a sync that has one fails. First set pathType: ImplementationSpecific for such paths, or set ${strictPathsKey}: "false" in its ConfigMap (controller.config in the values of its chart).`,
}

export default defineRule({
  id: 'controller-scope/paths-accepted',
  summary: 'The webhook of an ingress-nginx that changes still accepts the paths of the Ingresses that it serves.',
  since: '1.37.0',
  scope: 'change',
  kinds: [...controllerKinds, ...releaseKinds, ...partKinds],
  reads: [ingressKind],
  assumed: { since: '1.37.0' },
  messages,
  putBack: { refused: 'changed' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    if (mayDecide(manifest)) yield* ['pathType', ...marksOfControllers]
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    for (const controller of controllersConfiguredBy(change.after, head))
      checkController(controller, base, head, report)
  },
})

/** Whether an object may decide about paths. */
function mayDecide({ object }: Manifest): boolean {
  return ['ingress-nginx', strictPathsKey].some((word) => object.content.includes(word))
}

/** Reports a controller whose webhook refuses Ingresses that it accepted before. */
function checkController(is: Controller, base: Snapshot, head: Snapshot, report: ReportFunction<typeof messages>) {
  const was = counterpartOf(is, base)
  const check = strictCheckOf(is, head)
  if (!was || !check) return
  const before = strictCheckOf(was, base)
  const isLost = (path: RoutedPath) => check.refuses(path) && !before?.refuses(path)
  const refused = head.ofKind(ingressKind).flatMap((ingress) => {
    const path = routedPaths(ingress).find(isLost)
    return path && wasThere(path, ingress, base) && takesIngress(is, ingress, head) ? [{ ingress, path }] : []
  })
  const [first] = refused
  if (!first) return
  const ingresses = abridged(refused.map(({ ingress }) => nameOf(ingress.ref)))
  const args = { controller: nameOfController(is), ingresses, path: first.path.text, accepts: check.accepts }
  report([check.at, first.path.at], 'refused', args, { keys: [] })
}

/** Whether an Ingress had a path before; one that the change writes is reported where it is written. */
function wasThere({ text, pathType }: RoutedPath, { ref }: Manifest, base: Snapshot): boolean {
  return base.get(ref).some((one) => routedPaths(one).some((was) => was.text === text && was.pathType === pathType))
}
