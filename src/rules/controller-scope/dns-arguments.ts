import { didYouMean } from '../../closest'
import { podOf, workloadKinds } from '../../cluster/pod'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { faultsOfContainer, faultsOfRelease } from '../../kubernetes/controllers/external-dns-arguments'
import { dnsFlags, releasesWithDnsFlag } from '../../kubernetes/controllers/external-dns-flags'
import { dnsInstancesOf } from '../../kubernetes/controllers/external-dns-instance'
import { dnsScopesOf } from '../../kubernetes/controllers/external-dns-scope'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import type { Settings } from '../../kubernetes/workload/settings'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'object' | 'text' | 'others', string>

const outcome = 'so it exits as soon as it starts, and the hosts of new routes get no DNS records'

export default defineRule({
  id: 'controller-scope/dns-arguments',
  summary: 'ExternalDNS can read its arguments.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: [...workloadKinds, ...releaseKinds],
  reads: releasePartKinds,
  messages: {
    dash: ({ object, text }: Fault) =>
      `ExternalDNS gets the argument ${text} from ${object}, which begins with a dash that is no hyphen, ${outcome}. Write the two hyphens of a flag: --.`,
    repeated: ({ object, text }: Fault) =>
      `ExternalDNS gets the flag --${text} from ${object} twice, which it takes once, ${outcome}. Remove one of them; the chart writes some flags itself.`,
    selector: ({ object, text }: Fault) =>
      `ExternalDNS gets the filter ${text} from ${object}, which is no label selector that this filter can have, ${outcome}. Write key=value, key in (a, b) or key notin (a, b).`,
    unknown: ({ object, text, others }: Fault) =>
      `ExternalDNS gets the flag --${text} from ${object}, which no release of it has, ${outcome}. Remove the flag.${others}`,
    otherRelease: ({ object, text, others }: Fault) =>
      `ExternalDNS gets the flag --${text} from ${object}, which its release does not have, ${outcome}. Remove the flag, or use a release that has it: ${others}.`,
    policy: ({ object, release }: Record<'object' | 'release', string>) =>
      `ExternalDNS ${release} of ${object} has no --policy, which releases from 0.22.0 on need, ${outcome}. Add --policy=sync, which was the default and deletes records without a source, or --policy=upsert-only.`,
    // Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/pkg/apis/externaldns/types.go: Flag("source", …).Required()
    sourceless: ({ object }: Record<'object', string>) =>
      `ExternalDNS of ${object} has no --source, ${outcome}. Add the kinds that it is to read, as in --source=ingress.`,
  },
  later: { unknown: '1.15.0', otherRelease: '1.15.0', policy: '1.25.0', sourceless: '1.31.0' },
  *partners(manifest) {
    if (!workloadKinds.includes(groupKindOf(manifest.ref))) yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    const object = nameOf(manifest.ref)
    const containers = workloadKinds.includes(groupKindOf(manifest.ref))
      ? [...podOf(manifest).at('spec', 'containers').items()]
      : []
    const faults = [
      ...containers.flatMap(faultsOfContainer),
      ...remoteReleasesOf(manifest, snapshot).flatMap(faultsOfRelease),
    ]
    for (const { kind, at, text } of faults) {
      const others = kind === 'unknown' ? didYouMean(text, dnsFlags) : (releasesWithDnsFlag(text) ?? '')
      report(at, kind, { object, text, others }, { keys: [text] })
    }
    for (const { at, release = '', hasPolicy, needsPolicy } of dnsInstancesOf(manifest, snapshot))
      if (needsPolicy && !hasPolicy) report(at, 'policy', { object, release }, { keys: [release] })
    for (const { settings } of containers.length > 0 ? dnsScopesOf(manifest, snapshot) : [])
      if (isSourceless(settings)) report(settings.place, 'sourceless', { object }, { keys: [] })
  },
})

/**
 * Whether an ExternalDNS that has flags has no source. A word with a variable may be one, and a word with an at sign names a file of
 * flags. Source: alecthomas/kingpin v2, parser.go, ExpandArgsFromFile
 */
function isSourceless(settings: Settings): boolean {
  if (settings.opaque || settings.has('source') || settings.get('source') || !settings.has('provider')) return false
  const words = [...settings.place.items()].map(({ string = '' }) => string)
  return words.every((word) => !isPlaceholder(word) && !word.startsWith('@'))
}
