import { append } from '../../append'
import { isMistyped } from '../../closest'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { istioGatewayKind } from '../../kubernetes/ingress/virtual-service'
import { servingKinds } from '../../kubernetes/workload/serving-pods'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

/** The kinds that may run gateways of Istio which are not among the workloads here. */
const makerKinds: readonly GroupKind[] = [...releaseKinds, 'IstioOperator.install.istio.io']

export default defineRule({
  id: 'controller-scope/istio-gateway-selects',
  summary: 'The selector of a Gateway of Istio selects the Pods that are to serve its hosts.',
  since: '1.29.0',
  scope: 'change',
  kinds: [istioGatewayKind],
  reads: [...servingKinds, ...makerKinds],
  direct: true,
  messages: {
    // Source: istio/istio at 097fb51acbef, pkg/config/analysis/analyzers/gateway/gateway.go: the analyzer of Istio reports a selector
    // that no Pod has; no proxy opens the ports of such a Gateway
    lost: ({ gateway, selector, before }: Record<'gateway' | 'selector' | 'before', string>) =>
      `This change has ${gateway} select Pods with ${selector}, and no workload here has these labels, while the selector before it selected ${before}. So no proxy serves the hosts of the Gateway any more. Keep the selector, or add a workload with the labels.`,
    mistyped: ({ gateway, selector, label, workload }: Record<'gateway' | 'selector' | 'label' | 'workload', string>) =>
      `${gateway} selects Pods with ${selector}, and no workload here has these labels; ${workload} has ${label}. So no proxy serves the hosts of the Gateway, unless one comes from elsewhere. Write the label as the Pods have it.`,
  },
  putBack: { lost: 'changed', mistyped: 'changed' },
  *partners(manifest) {
    for (const [key] of selectorOf(manifest)) yield key
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    const selector = selectorOf(after)
    const values = selector.map(([, { string }]) => string ?? '')
    // Istio runs the Pods of a Gateway of Gateway API itself, and labels them with its name.
    const isUnknown =
      values.some((one) => one === '' || isPlaceholder(one)) || selector.some(([key]) => key.includes('/'))
    if (isUnknown || selector.length === 0 || selectedBy(after, head).length > 0) return
    const before = change.kind === 'changed' ? selectedBy(change.before, base) : []
    const like = likeLabelOf(after, head)
    const [first] = before
    const place = like?.at ?? after.root.at('spec', 'selector')
    if (!first && !like) return
    const maker = makerKinds
      .flatMap((kind) => head.ofKind(kind))
      .find(({ object }) => values.some((one) => mentions(object.content, one)))
    if (maker) {
      skip(place, `${nameOf(maker.ref)} mentions the labels that the Gateway selects, and may run such Pods`)
      return
    }
    const args = { gateway: nameOf(after.ref), selector: abridged(selector.map(inWords)) }
    if (first) {
      const ends = [place, podOf(first).at('metadata', 'labels')]
      report(ends, 'lost', { ...args, before: abridged(before.map(({ ref }) => nameOf(ref))) }, { keys: values })
    } else if (like) {
      const fix = replaced(like.at, like.label[1].string ?? '')
      const found = { label: inWords(like.label), workload: nameOf(like.label[1].manifest.ref) }
      report([like.at, like.label[1]], 'mistyped', { ...args, ...found }, { keys: values, fix })
    }
  },
})

type Label = readonly [string, Cursor]

function selectorOf({ root }: Manifest): Label[] {
  return [...root.at('spec', 'selector').entries()]
}

function inWords([key, { string }]: Label): string {
  return `${key}: ${string}`
}

/** The workloads of all namespaces whose Pods a Gateway selects. */
function selectedBy(gateway: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const selector = selectorOf(gateway)
  const [first] = selector
  return first
    ? among(
        workloadsIn(snapshot)
          .get(first[0])
          ?.get(first[1].string ?? ''),
        selector,
      )
    : []
}

/** Those of some workloads whose Pods have some labels. */
function among(workloads: readonly Manifest[] | undefined, labels: readonly Label[]): Manifest[] {
  return (workloads ?? []).filter((one) => labels.every(([key, { string }]) => labelAt(one, key).string === string))
}

function labelAt(workload: Manifest, key: string): Cursor {
  return podOf(workload).at('metadata', 'labels', key)
}

/** The workloads of a snapshot by a label of their Pods: its key, then its value. */
type Workloads = ReadonlyMap<string, ReadonlyMap<string, readonly Manifest[]>>

const known = new WeakMap<Snapshot, Workloads>()

function workloadsIn(snapshot: Snapshot): Workloads {
  const workloads = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, workloads)
  return workloads
}

function indexed(snapshot: Snapshot): Workloads {
  const index = new Map<string, Map<string, Manifest[]>>()
  for (const workload of servingKinds.flatMap((kind) => snapshot.ofKind(kind))) {
    for (const [key, { string }] of podOf(workload).at('metadata', 'labels').entries()) {
      const values = index.get(key) ?? new Map<string, Manifest[]>()
      index.set(key, values)
      append(values, string ?? '', workload)
    }
  }
  return index
}

/** A label with more values is not searched for the one that is meant. */
const mostValues = 200

/** The label of Pods for which a Gateway has another one by a typing error, where they have all others that it selects. */
function likeLabelOf(
  gateway: Manifest,
  snapshot: Snapshot,
): { readonly at: Cursor; readonly label: Label } | undefined {
  const selector = selectorOf(gateway)
  for (const [key, at] of selector) {
    const values = workloadsIn(snapshot).get(key)
    if (!values || values.size > mostValues) continue
    const others = selector.filter(([other]) => other !== key)
    const near = [...values].filter(([value]) => isLike(at.string ?? '', value))
    const [workload] = near.flatMap(([, workloads]) => among(workloads, others))
    if (workload) return { at, label: [key, labelAt(workload, key)] }
  }
  return undefined
}

/** `ingress-gateway` and `ingressgateway`, too. */
function isLike(written: string, label: string): boolean {
  return isMistyped(written, label) || written.replaceAll('-', '') === label.replaceAll('-', '')
}
