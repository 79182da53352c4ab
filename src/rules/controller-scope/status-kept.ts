import { satisfies } from 'semver'
import { Arguments } from '../../kubernetes/arguments'
import { type Controller, controllerKinds, controllersOf } from '../../kubernetes/controller'
import { pruningDnsIn } from '../../kubernetes/external-dns'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

type Emptied = { controller: string; dns: string }

const fate = (dns: string) => `and ${dns} deletes the DNS records of all its hosts until it is written again`

export default defineRule({
  id: 'controller-scope/status-kept',
  summary: 'No rollout of an ingress controller empties the status that DNS records are made from.',
  since: '1.1.0',
  scope: 'change',
  kinds: controllerKinds,
  messages: {
    relabelled: ({ controller, dns, what }: Emptied & { what: string }) =>
      `This change gives ${controller} another ${what}, so the last of the old ones takes itself for the last of all and empties the status of the Ingresses, ${fate(dns)}. Set --update-status-on-shutdown=false in a change before this one, or --policy=upsert-only of ${dns}.`,
    rolled: ({ controller, dns, release }: Emptied & { release: string }) =>
      `This change rolls ${controller} out anew, and ingress-nginx ${release} counts only Pods of its own ReplicaSet, so the last of the old ones empties the status of the Ingresses, ${fate(dns)}. Set --update-status-on-shutdown=false in a change before this one, or --policy=upsert-only of ${dns}.`,
    turnedOn: ({ controller, dns }: Emptied) =>
      `This change takes --update-status-on-shutdown=false from ${controller}, so the last of its Pods to stop empties the status of the Ingresses, ${fate(dns)}. Keep it, or set --policy=upsert-only of ${dns}.`,
  },
  *partners(manifest) {
    if (controllersOf(manifest).length > 0) yield 'external-dns'
  },
  check({ change, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    const [was, is] = [emptying(before), emptying(after)]
    const dns = was || is ? pruningDnsIn(head) : undefined
    if (!dns) return
    const names = { dns: nameOf(dns.ref) }
    const end = dns.root.at('metadata', 'name')
    if (was) {
      const controller = nameOf(after.ref)
      const at = relabelledAt(before, after)
      if (at) {
        const what = at.path.includes('selector') ? 'selector' : 'label'
        report([at, end], 'relabelled', { ...names, controller, what }, { keys: [what] })
      } else if (was.release && satisfies(was.release, '<1.0.3') && isRolled(before, after)) {
        report([after.root.at('spec', 'template'), end], 'rolled', { ...names, controller, release: was.release })
      }
    } else if (is && ingressNginxOf(before).length > 0) {
      report([is.place, end], 'turnedOn', { ...names, controller: nameOf(after.ref) })
    }
  },
})

/** The ingress-nginx of a workload whose last Pod empties the status it wrote; others leave it as it is. */
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

/**
 * Where the labels by which Pods know each other are changed: a Pod that stops looks for others with all of its labels. A
 * selector is immutable, so what changes it is made anew.
 * Source: ingress-nginx controller-v1.15.1, internal/ingress/status/status.go (Shutdown, isRunningMultiplePods)
 */
function relabelledAt(before: Manifest, after: Manifest): Cursor | undefined {
  const places = [
    ['spec', 'template', 'metadata', 'labels'],
    ['spec', 'selector', 'matchLabels'],
  ]
  const place = places.find((keys) => textOf(before.root.at(...keys)) !== textOf(after.root.at(...keys)))
  if (!place) return undefined
  const was = new Map([...before.root.at(...place).entries()].map(([key, value]) => [key, value.string]))
  const changed = [...after.root.at(...place).entries()].find(([key, value]) => was.get(key) !== value.string)
  return changed?.[1] ?? after.root.at(...place)
}

/** Whether the Pods are made anew. */
function isRolled(before: Manifest, after: Manifest): boolean {
  return textOf(before.root.at('spec', 'template')) !== textOf(after.root.at('spec', 'template'))
}

/** A value as text that is equal for equal values, in whatever order their keys are written. */
function textOf(at: Cursor): string {
  const entries = [...at.entries()].map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`)
  if (at.isMap) return `{${entries.sort().join()}}`
  const items = [...at.items()].map(textOf)
  return items.length > 0 ? `[${items.join()}]` : (JSON.stringify(at.value) ?? '')
}
