import { parseImage } from '../../cluster/image'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { classOf } from '../ingress/ingress-class'
import { isLabelSelector, matchesLabels } from '../object/label-selector'
import { Arguments } from '../workload/arguments'
import { type Settings, valuesOfFlag } from '../workload/settings'
import { asReleased } from './external-dns-instance'

/** An ExternalDNS that a workload runs, with the Ingresses that it makes records of. */
export interface DnsScope {
  readonly workload: Manifest
  readonly settings: Settings
  /** Whether it deletes records that it no longer makes; undefined if that is unknown. */
  readonly prunes: boolean | undefined
}

/** The ExternalDNS that the containers of a workload run. */
export function dnsScopesOf(workload: Manifest, snapshot: Snapshot): DnsScope[] {
  return [...podOf(workload).at('spec', 'containers').items()].flatMap((container) => {
    if (!asReleased.test(parseImage(container.at('image').string ?? '').repository)) return []
    const settings = new Arguments(container, { variables: 'EXTERNAL_DNS_' }, snapshot)
    // The default before 0.22.0; later releases do not start without a policy.
    const policy = settings.get('policy')
    const prunes = settings.opaque || (policy && policy.value === undefined) ? undefined : isSync(policy?.value)
    return [{ workload, settings, prunes }]
  })
}

function isSync(policy = 'sync'): boolean {
  return policy === 'sync'
}

/**
 * The flags that decide which Ingresses it makes records of, each with the question whether it takes one: undefined if that is
 * unknown. Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/source/ingress.go
 */
const filters: Readonly<Record<string, (ingress: Manifest, settings: Settings) => boolean | undefined>> = {
  source: (_, settings) => {
    // Without any, it exits, and so deletes nothing.
    const sources = valuesOfFlag(settings, 'source') ?? []
    return sources.length > 0 ? sources.includes('ingress') : undefined
  },
  namespace: ({ ref }, settings) => {
    const given = settings.get('namespace')
    return given && given.value === undefined ? undefined : !given?.value || given.value === ref.namespace
  },
  'ingress-class': (ingress, settings) => {
    const names = valuesOfFlag(settings, 'ingress-class')
    return names && (names.length === 0 || names.includes(classOf(ingress) ?? ''))
  },
  'annotation-filter': (ingress, settings) => isSelected(settings, 'annotation-filter', ingress, 'annotations'),
  'label-filter': (ingress, settings) => isSelected(settings, 'label-filter', ingress, 'labels'),
}

function isSelected(settings: Settings, flag: string, { root }: Manifest, field: string): boolean | undefined {
  const given = settings.get(flag)
  if (given && given.value === undefined) return undefined
  const selector = given?.value ?? ''
  if (selector.trim() === '') return true
  const labels: Cursor = root.at('metadata', field)
  return isLabelSelector(selector) ? matchesLabels(selector, (key) => labels.at(key).string) : undefined
}

/** Whether it makes records of an Ingress; undefined if that is unknown. */
export function takesForDns({ settings }: DnsScope, ingress: Manifest): boolean | undefined {
  const answers = Object.values(filters).map((takes) => takes(ingress, settings))
  if (answers.includes(false)) return false
  return answers.includes(undefined) || settings.opaque ? undefined : true
}

/** The first flag that leaves an Ingress out. */
export function leftOutBy({ settings }: DnsScope, ingress: Manifest): string {
  const [flag = ''] = Object.entries(filters).find(([, takes]) => takes(ingress, settings) === false) ?? []
  return flag
}
