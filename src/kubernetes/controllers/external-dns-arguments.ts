import { parseImage } from '../../cluster/image'
import type { Cursor } from '../../manifest/cursor'
import type { LayeredValue } from '../charts/layered-value'
import { type RemoteRelease, seenValuesOf } from '../charts/remote-release'
import { isPlaceholder } from '../ingress/ingress'
import { isLabelSelector } from '../object/label-selector'
import { knowsDnsFlag, releasesWithDnsFlag } from './external-dns-flags'
import { asReleased } from './external-dns-instance'

/**
 * An argument with which ExternalDNS does not start. `dash`: it begins with a dash that is no hyphen; `repeated`: a flag that takes
 * one value and is there twice; `selector`: no label selector; `unknown`: a flag that no release has; `otherRelease`: one that this
 * release does not have.
 */
export interface ArgumentFault {
  readonly kind: 'dash' | 'repeated' | 'selector' | 'unknown' | 'otherRelease'
  readonly at: Cursor
  readonly text: string
}

/**
 * The flags that may be repeated. Source: kubernetes-sigs/external-dns v0.7.6 to v0.18.0 and 2bf1bf8af,
 * pkg/apis/externaldns/types.go; alecthomas/kingpin v2, app.go, setValues: "flag cannot be repeated".
 */
const repeatable: ReadonlySet<string> = new Set(
  `aws-profile aws-sd-create-tag aws-zone-tags default-targets domain-filter events-emit exclude-domains exclude-record-types
  exclude-target-net fqdn-target-template fqdn-template gloo-namespace ingress-class inmemory-zone managed-record-types
  nat64-networks rfc2136-host rfc2136-zone service-type-filter source target-net-filter target-template
  unstructured-resource zone-id-filter zone-name-filter`.split(/\s+/),
)

/** The flags that the chart writes, with the value that makes it do so; those without one are always there. */
const ofChart: Readonly<Record<string, string | undefined>> = {
  // Source: kubernetes-sigs/external-dns at 2bf1bf8af, charts/external-dns/templates/deployment.yaml
  'annotation-filter': 'annotationFilter',
  interval: undefined,
  'label-filter': 'labelFilter',
  'log-format': undefined,
  'log-level': undefined,
  policy: undefined,
  provider: undefined,
  registry: undefined,
  'txt-owner-id': 'txtOwnerId',
  'txt-prefix': 'txtPrefix',
}

const selectors: readonly string[] = ['annotation-filter', 'label-filter']

const official = 'registry.k8s.io/external-dns/external-dns'

/** The faults in the arguments of a container, if it runs ExternalDNS. */
export function faultsOfContainer(container: Cursor): ArgumentFault[] {
  const { repository, tag } = parseImage(container.at('image').string ?? '')
  if (!/(?:^|\/)external-dns$/.test(repository)) return []
  const words = [...container.at('args').items()]
  return [...faultsAmong(words, new Set()), ...flagsUnknownTo(repository, tag, words)]
}

/** The faults in the values of a release, if its chart is that of ExternalDNS. */
export function faultsOfRelease(release: RemoteRelease): ArgumentFault[] {
  if (release.chart.split('/').at(-1) !== 'external-dns') return []
  const values = seenValuesOf(release)
  const extra = values.get('extraArgs').items ?? []
  const given = Object.entries(ofChart).flatMap(([flag, key]) => (!key || values.get(key).isSet ? [flag] : []))
  const words = extra.flatMap(({ at }) => at ?? [])
  const image = values.get('image')
  return [
    ...faultsAmong(words, new Set(given)),
    ...flagsUnknownTo(textOf(image.get('repository')) ?? official, textOf(image.get('tag')), words),
    ...selectors.flatMap((flag) => faultOfFilter(flag, values.get(ofChart[flag] ?? flag))),
  ]
}

function faultsAmong(words: readonly Cursor[], given: ReadonlySet<string>): ArgumentFault[] {
  const seen = new Set(given)
  return words.flatMap((at): ArgumentFault[] => {
    const text = at.string ?? ''
    if (/^-?[\u2010-\u2015\u2212]/.test(text)) return [{ kind: 'dash', at, text }]
    const [, name = '', value] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(text) ?? []
    if (name === '') return []
    if (seen.has(name) && !repeatable.has(name)) return [{ kind: 'repeated', at, text: name }]
    seen.add(name)
    return selectors.includes(name) && value !== undefined && !mayBeFilter(name, value)
      ? [{ kind: 'selector', at, text: value }]
      : []
  })
}

function flagsUnknownTo(repository: string, tag: string | undefined, words: readonly Cursor[]): ArgumentFault[] {
  if (!asReleased.test(repository)) return []
  const release = /^v?(\d+\.\d+\.\d+)(?:-|$)/.exec(tag ?? '')?.[1]
  return words.flatMap((at): ArgumentFault[] => {
    const [, name] = /^--([a-z][a-z0-9-]*)(?:=|$)/.exec(at.string ?? '') ?? []
    if (name === undefined || knowsDnsFlag(name, release)) return []
    return [{ kind: releasesWithDnsFlag(name) ? 'otherRelease' : 'unknown', at, text: name }]
  })
}

function textOf({ scalar }: LayeredValue): string | undefined {
  return typeof scalar === 'string' ? scalar : undefined
}

function faultOfFilter(flag: string, { at, scalar }: LayeredValue): ArgumentFault[] {
  return at && typeof scalar === 'string' && !mayBeFilter(flag, scalar) ? [{ kind: 'selector', at, text: scalar }] : []
}

/** A text with a variable may be a selector, and one with a comparison of numbers. */
function mayBeFilter(flag: string, text: string): boolean {
  if (text === '' || isPlaceholder(text) || /[<>]/.test(text)) return true
  // Source: https://github.com/kubernetes/apimachinery/blob/v0.34.1/pkg/apis/meta/v1/helpers.go, ParseToLabelSelector
  const isRefused = flag === 'annotation-filter' && text.includes('!=')
  return isLabelSelector(text) && !isRefused
}
