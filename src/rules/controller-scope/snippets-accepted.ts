import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { mayTakeIngress, takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { controllersConfiguredBy } from '../../kubernetes/controllers/nginx-config'
import {
  allowKey,
  riskKey,
  snippetNames,
  snippetPolicyOf,
  snippetsOf,
} from '../../kubernetes/controllers/nginx-snippets'
import { counterpartOf } from '../../kubernetes/controllers/same-controller'
import { abridged, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

type Loss = Record<'controller' | 'ingresses', string>

const messages = {
  // Source: ingress-nginx controller-v1.12.0, internal/ingress/controller/store/store.go, syncIngress: it leaves the Ingress out
  unread: ({ controller, ingresses }: Loss) =>
    `After this change ${controller} accepts no annotations of the risk Critical: by default since ingress-nginx 1.12.0, or by its ${riskKey}. All snippets have that risk, so it no longer serves ${ingresses}, which have some. Set ${riskKey}: Critical in its ConfigMap (controller.config in the values of its chart), or first remove the snippets.`,
  // Source: controller.go, dropSnippetDirectives and CheckIngress
  dropped: ({ controller, ingresses }: Loss) =>
    `After this change ${controller} ignores the snippets in annotations of ${ingresses}, and its webhook refuses changes of these Ingresses: ${allowKey} is false, its default since ingress-nginx 1.9.1. Set it to true in its ConfigMap (controller.allowSnippetAnnotations in the values of its chart), or first replace the snippets with other annotations.`,
  refused: ({ ingress, names, controller, setting }: Record<'ingress' | 'names' | 'controller' | 'setting', string>) =>
    `${ingress} has ${names}, and ${controller} accepts no snippets: ${setting}. So its webhook refuses the Ingress; without the webhook, the snippet has no effect, or the Ingress is not served. Use other annotations, or change the setting first.`,
}

export default defineRule({
  id: 'controller-scope/snippets-accepted',
  summary: 'An ingress-nginx accepts the snippets in the annotations of the Ingresses that it serves.',
  since: '1.33.0',
  scope: 'change',
  kinds: [...controllerKinds, ...releaseKinds, ...partKinds, ingressKind],
  assumed: { since: '1.33.0' },
  messages,
  putBack: { dropped: 'changed', refused: 'changed', unread: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === ingressKind) {
      if (snippetsOf(manifest).length > 0) yield* marksOfControllers
      return
    }
    yield* namesOfParts(manifest)
    if (mayDecide(manifest)) yield* [...snippetNames, ...marksOfControllers]
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    if (groupKindOf(after.ref) === ingressKind)
      return checkIngress(after, change.kind === 'changed' ? change.before : undefined, head, report)
    for (const is of controllersConfiguredBy(after, head)) checkController(is, base, head, report)
  },
})

/** Whether an object may decide about snippets. */
function mayDecide({ object }: Manifest): boolean {
  return ['ingress-nginx', allowKey, riskKey].some((word) => object.content.includes(word))
}

type ReportMessage = ReportFunction<typeof messages>

/** Reports a controller that no longer accepts the snippets of Ingresses that were there before. */
function checkController(is: Controller, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  const was = counterpartOf(is, base)
  if (!was) return
  const [before, after] = [snippetPolicyOf(was, base), snippetPolicyOf(is, head)]
  const message =
    before.reads?.holds && after.reads?.holds === false
      ? 'unread'
      : before.allows?.holds && after.allows?.holds === false
        ? 'dropped'
        : undefined
  const at = message && (message === 'unread' ? after.reads : after.allows)?.at
  if (!at || before.allows?.holds !== true) return
  const ingresses = head
    .ofKind(ingressKind)
    .filter((one) => snippetsOf(one).length > 0 && base.get(one.ref).length > 0 && takesIngress(is, one, head))
  const [first] = ingresses
  if (!first) return
  const args = { controller: nameOfController(is), ingresses: abridged(ingresses.map(({ ref }) => nameOf(ref))) }
  // The default of another release decides, if nothing is set.
  report([at.exists ? at : is.image, ...snippetsOf(first).slice(0, 1)], message, args, { keys: [] })
}

/** Reports snippets that an Ingress comes to have, and that no controller which may take it accepts. */
function checkIngress(after: Manifest, before: Manifest | undefined, head: Snapshot, report: ReportMessage): void {
  const had = new Set((before ? snippetsOf(before) : []).map(nameIn))
  const [first, ...others] = snippetsOf(after).filter((one) => !had.has(nameIn(one)))
  const takers = controllersHere(head).filter((one) => mayTakeIngress(one, after, head))
  const [taker] = takers
  if (!first || !taker || !takers.some((one) => takesIngress(one, after, head))) return
  const refusals = takers.map((one) => refusalOf(one, head))
  const [refusal] = refusals
  if (!refusal || refusals.some((one) => !one)) return
  const names = enumerated([first, ...others].map(nameIn), 3)
  const args = { ingress: nameOf(after.ref), names, controller: nameOfController(taker), setting: refusal.setting }
  report([first, refusal.at], 'refused', args, { keys: [nameIn(first)] })
}

/** The reason why a controller accepts no snippets, if that is known. */
function refusalOf(controller: Controller, head: Snapshot): { setting: string; at: Cursor } | undefined {
  const { allows, reads } = snippetPolicyOf(controller, head)
  if (allows?.holds === false) return { setting: `${allowKey} is not true`, at: allows.at }
  return reads?.holds === false ? { setting: `${riskKey} is not Critical`, at: reads.at } : undefined
}

function nameIn(annotation: Cursor): string {
  return String(annotation.path.at(-1))
}
