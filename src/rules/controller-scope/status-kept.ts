import { satisfies } from 'semver'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  endsAt,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { sharedClaim, sharedNamespaces } from '../../kubernetes/controllers/controller-overlap'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { pruningDnsIn } from '../../kubernetes/controllers/external-dns'
import { controllersReadFrom, counterpartOf } from '../../kubernetes/controllers/same-controller'
import { Arguments } from '../../kubernetes/workload/arguments'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Emptied = { controller: string; dns: string }

const fate = (dns: string) => `and ${dns} deletes the DNS records of all their hosts until the status is written again`

export default defineRule({
  id: 'controller-scope/status-kept',
  summary:
    'The Ingress status that DNS records are created from is kept: no rollout clears it, and no setting stops it.',
  since: '1.1.0',
  scope: 'change',
  kinds: [...controllerKinds, ...releaseKinds, ...partKinds.filter((kind) => !releaseKinds.includes(kind))],
  messages: {
    stopped: ({ controller, by }: { controller: string; by: string }) =>
      `This change stops ${controller} from writing the status of the Ingresses it serves (${by}): new Ingresses get no address, and those of the others are never corrected, so DNS records made from them are missing or wrong. Keep the status on, or first let another controller write it.`,
    relabelled: ({ controller, dns, what }: Emptied & { what: string }) =>
      `This change changes a ${what} of ${controller}, so its last old Pod does not see the new Pods and clears the status of the Ingresses, ${fate(dns)}. First set --update-status-on-shutdown=false in a separate change, or set --policy=upsert-only on ${dns}.`,
    rolled: ({ controller, dns, release }: Emptied & { release: string }) =>
      `This change rolls out ${controller}, and ingress-nginx ${release} counts only Pods of its own ReplicaSet, so the last old Pod clears the status of the Ingresses, ${fate(dns)}. First set --update-status-on-shutdown=false in a separate change, or set --policy=upsert-only on ${dns}.`,
    replaced: ({ controller, dns, successor }: Emptied & { successor: string }) =>
      `This change removes ${controller}, whose Ingresses ${successor} also serves. Its last Pod clears their status when it stops, ${fate(dns)}. First set --update-status-on-shutdown=false in a separate change, or set --policy=upsert-only on ${dns}.`,
    turnedOn: ({ controller, dns }: Emptied) =>
      `This change removes --update-status-on-shutdown=false from ${controller}, so its last Pod clears the status of the Ingresses when it stops, ${fate(dns)}. Keep it, or set --policy=upsert-only on ${dns}.`,
  },
  later: { stopped: '1.2.0' },
  putBack: { stopped: 'changed' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    // A copy of it, too, and a controller that writes the status in its place.
    if (controllersOf(manifest).length > 0) yield* ['external-dns', manifest.ref.name, ...marksOfControllers]
  },
  check({ change, base, head, report }) {
    if (change.kind === 'added') return
    for (const { controller, by, at } of stoppedIn(change.before, base, head))
      report(endsAt(controller, [at]), 'stopped', { controller: nameOfController(controller), by }, { keys: [by] })
    if (!controllerKinds.includes(groupKindOf(change.before.ref))) return
    const { before, after } = { after: undefined, ...change }
    const [was, is] = [emptying(before), after && emptying(after)]
    const dns = was || is ? pruningDnsIn(head) : undefined
    if (!dns) return
    const names = { dns: nameOf(dns.ref) }
    const end = dns.root.at('metadata', 'name')
    if (!after) {
      const successor = was && head.get(before.ref).length === 0 ? successorOf(was, head) : undefined
      if (!successor) return
      const { manifest, place } = successor
      const args = { ...names, controller: nameOf(before.ref), successor: nameOf(manifest.ref) }
      report([before.root, place, end], 'replaced', args)
      return
    }
    if (was) {
      const controller = nameOf(after.ref)
      const at = relabelledAt(before, after)
      if (at) {
        const what = at.path.includes('selector') ? 'selector' : 'label'
        report([at, end], 'relabelled', { ...names, controller, what }, { keys: [what] })
      } else if (was.release && satisfies(was.release, '<1.0.3') && isRolled(before, after)) {
        report([podOf(after), end], 'rolled', { ...names, controller, release: was.release })
      }
    } else if (is && ingressNginxOf(before).length > 0) {
      report([is.place, end], 'turnedOn', { ...names, controller: nameOf(after.ref) })
    }
  },
})

/**
 * The controllers that are read from an object and stop writing the status with this change, with the setting that
 * turns it off.
 */
function stoppedIn(object: Manifest, base: Snapshot, head: Snapshot) {
  const before = controllersReadFrom(object, base).filter((one) => one.facts.takes === 'Ingresses')
  const writing = before.filter(({ status }) => ['source', 'service', 'nodes'].includes(status.writes))
  return writing.flatMap((was) => {
    const all = controllersIn(head)
    const controller = counterpartOf(was, head)
    if (controller?.status.writes !== 'nothing' || controller.status.by === '') return []
    const isWritten = all.some((one) => writes(one) && sharedNamespaces(was, one, head) && sharedClaim(was, one, head))
    return isWritten ? [] : [{ controller, by: controller.status.by, at: controller.status.at }]
  })
}

/** Whether it writes the status of Ingresses, or may. */
function writes({ facts, status }: Controller): boolean {
  return facts.takes === 'Ingresses' && status.writes !== 'nothing'
}

/**
 * The ingress-nginx of a workload whose last Pod clears the status that it wrote; other controllers leave it as it is.
 */
function emptying(manifest: Manifest): Controller | undefined {
  return ingressNginxOf(manifest).find((one) => argumentsOf(one).isOn('update-status-on-shutdown', true) === true)
}

/** The ingress-nginx of a workload that writes status at all. */
function ingressNginxOf(manifest: Manifest): Controller[] {
  return controllersOf(manifest).filter(
    ({ facts, status }) => facts.name === 'ingress-nginx' && status.writes !== 'nothing' && status.writes !== 'unknown',
  )
}

function argumentsOf({ image }: Controller): Arguments {
  return new Arguments(image.manifest.root.at(...image.path.slice(0, -1)))
}

/** The controllers that take the Ingresses of a removed one, with Pods that do not match its labels. */
function successorOf(gone: Controller, head: Snapshot): Controller | undefined {
  const labels = [...labelsOf(gone.manifest).entries()]
  return controllersIn(head).find((one) => {
    const other = labelsOf(one.manifest)
    const passes =
      one.namespace === gone.namespace && labels.every(([key, { string }]) => other.at(key).string === string)
    return (
      one.facts.takes === 'Ingresses' && !passes && sharedNamespaces(gone, one, head) && sharedClaim(gone, one, head)
    )
  })
}

function labelsOf(manifest: Manifest): Cursor {
  return podOf(manifest).at('metadata', 'labels')
}

/**
 * The place of a change of the labels by which Pods find each other: a Pod that stops looks for others with all of its
 * labels, so an added label does not matter. A selector is immutable, so a change of it recreates the workload. Source:
 * ingress-nginx controller-v1.15.1, internal/ingress/status/status.go (Shutdown, isRunningMultiplePods)
 */
function relabelledAt(before: Manifest, after: Manifest): Cursor | undefined {
  const labels = labelsOf(after)
  for (const [key, { string }] of labelsOf(before).entries()) {
    if (labels.at(key).string !== string) return labels.at(key).exists ? labels.at(key) : labels
  }
  const [was, is] = [before, after].map(({ root }) => root.at('spec', 'selector', 'matchLabels'))
  if (!was || !is || textOf(was) === textOf(is)) return undefined
  return [...is.entries()].find(([key, { string }]) => was.at(key).string !== string)?.[1] ?? is
}

/** Whether the Pods are recreated. */
function isRolled(before: Manifest, after: Manifest): boolean {
  return textOf(podOf(before)) !== textOf(podOf(after))
}

/** A value as text that is equal for equal values, in any order of their keys. */
function textOf(at: Cursor): string {
  const entries = [...at.entries()].map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`)
  if (at.isMap) return `{${entries.sort().join()}}`
  const items = [...at.items()].map(textOf)
  return items.length > 0 ? `[${items.join()}]` : (JSON.stringify(at.value) ?? '')
}
