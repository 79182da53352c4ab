import type { Snapshot } from '../../cluster/snapshot'
import { ClaimPairs } from '../../kubernetes/ingress/claim-pairs'
import {
  covers,
  isPlaceholder,
  routedHosts,
  type TlsEntry,
  tlsEntries,
  tlsSecretNames,
} from '../../kubernetes/ingress/ingress'
import { certificatesBehind, type KnownCertificate } from '../../kubernetes/tls/certificate'
import { certificateChoice, controllerNames } from '../../kubernetes/tls/certificate-choice'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { abridged } from '../../listing'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { replaced, withKey } from '../../rule/fix'
import { defineRule, type Fix, type ReportFunction } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

interface Args {
  first: string
  second: string
  hosts: string
}

/** The entry by which an Ingress lists a host, and its certificates if known. */
interface ListedHost {
  readonly ingress: Manifest
  readonly entry: TlsEntry
  readonly secret: string | undefined
  readonly certificates: readonly KnownCertificate[] | undefined
}

const pairs = new ClaimPairs(
  (ingress) => (isCanary(ingress) ? new Map<string, TlsEntry>() : listedHosts(ingress)),
  secretOf,
)

const messages = {
  // Source: kubernetes/ingress-nginx, internal/ingress/controller/controller.go, createServers: Ingresses are processed
  // by age, and the first that lists the host sets its certificate, including the default one (issues 4926 and 9040).
  differs: ({ first, second, hosts }: Args) =>
    `${first} and ${second} name different Secrets for ${hosts}: the older Ingress decides, and the files do not show which one is older. Name the same Secret in both.`,
  hidden: ({ first, second, hosts }: Args) =>
    `Only one of ${first} and ${second} names a Secret for ${hosts}: if the other one is older, the controller serves the host with its default certificate. Name the same Secret in both.`,
  unnamed: ({ ingress, others, hosts }: { ingress: string; others: string; hosts: string }) =>
    `${ingress} names no Secret for ${hosts}, unlike ${others}: if ${ingress} is the oldest of them, the controller serves ${hosts} with its default certificate. Name the same Secret in it.`,
  unfit: ({ first, second, hosts, secret }: Args & { secret: string }) =>
    `${first} and ${second} name different Secrets for ${hosts}, and the certificate in ${secret} is for other hosts: if its Ingress is older, browsers reject the certificate. Name the Secret with the right certificate in both.`,
}

export default defineRule({
  id: 'ingress-tls/secret-agrees',
  summary: 'Ingresses of one class that serve the same host name the same Secret for it.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [ingressKind],
  reads: ['IngressClass.networking.k8s.io', ...producerKinds.filter((kind) => kind !== ingressKind)],
  subjects: [{ kinds: [ingressKind] }],
  messages,
  later: { unnamed: '1.4.0' },
  until: { hidden: '1.4.0' },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'IngressClass') yield manifest.ref.name
    if (manifest.ref.kind !== 'Ingress') return
    yield* listedHosts(manifest).keys()
    yield* tlsSecretNames(manifest).keys()
    if (tlsEntries(manifest).length > 0) yield* controllerNames
  },
  check({ manifest, snapshot, report }) {
    // If certificates are chosen by their own names, all of them can be used.
    if (certificateChoice(snapshot, manifest)?.by === 'certificates') return
    reportUnnamed(manifest, snapshot, report)
    for (const other of pairs.partnersOf(manifest, snapshot)) {
      const disagreeing = pairs.shared(manifest, other).flatMap((host): [string, ListedHost, ListedHost][] => {
        const [a, b] = [manifest, other].map((ingress) => pairs.claimsOf(ingress).get(host))
        if (!a || !b || secretOf(manifest, a) === secretOf(other, b) || !bothRoute(manifest, other, host)) return []
        return [[host, sideOf(snapshot, manifest, a), sideOf(snapshot, other, b)]]
      })
      for (const message of ['hidden', 'unfit', 'differs'] as const) {
        const ours = disagreeing.filter(([host, a, b]) => messageFor(host, a, b) === message)
        const [first] = ours
        if (!first) continue
        const [host, a, b] = first
        const keys = ours.map(([key]) => key)
        const hosts = abridged(keys)
        const [wrong, right] = isUnfit(host, b) || b.secret === undefined ? [b, a] : [a, b]
        const known = message === 'unfit' ? (wrong.certificates ?? []).map(({ at }) => at) : []
        report(
          [...[a, b].map(({ entry, secret }) => (secret === undefined ? entry.at : entry.secretName)), ...known],
          message,
          {
            first: nameOf(manifest.ref),
            second: nameOf(other.ref),
            hosts,
            secret: nameOf({
              group: '',
              kind: 'Secret',
              namespace: wrong.ingress.ref.namespace,
              name: wrong.secret ?? '',
            }),
          },
          { keys, ...(message === 'differs' ? {} : sameSecret(wrong, right)) },
        )
      }
    }
  },
})

/** Reports an Ingress without a Secret for hosts once, for any number of Ingresses with one. */
function reportUnnamed(ingress: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const claims = pairs.claimsOf(ingress)
  const open = new Set([...claims].flatMap(([host, { secretName }]) => (secretName.string ? [] : [host])))
  if (open.size === 0) return
  const hosts = new Set<string>()
  const others: { other: Manifest; entry: TlsEntry }[] = []
  for (const other of pairs.contradicting(ingress, snapshot)) {
    const shared = pairs.shared(ingress, other).filter((host) => open.has(host) && bothRoute(ingress, other, host))
    const [entry] = shared.flatMap((host) => pairs.claimsOf(other).get(host) ?? [])
    if (!entry?.secretName.string) continue
    for (const host of shared) hosts.add(host)
    others.push({ other, entry })
  }
  const keys = [...hosts].sort()
  const [first = ''] = keys
  const own = claims.get(first)
  const [second] = others
  if (!own || !second) return
  const args = {
    ingress: nameOf(ingress.ref),
    others: abridged(others.map(({ other }) => nameOf(other.ref)).sort()),
    hosts: abridged(keys),
  }
  const fix =
    others.length === 1 ? sameSecret(sideOf(snapshot, ingress, own), sideOf(snapshot, second.other, second.entry)) : {}
  const ends = [own.at, ...others.map(({ entry }) => entry.secretName)]
  report(ends, 'unnamed', args, { keys, subject: identityOf(ingress.ref), ...fix })
}

/** The entry by which an Ingress lists each host; the first counts. */
function listedHosts(ingress: Manifest): Map<string, TlsEntry> {
  const found = new Map<string, TlsEntry>()
  for (const entry of tlsEntries(ingress)) {
    for (const { string: host } of entry.hosts) {
      if (!host || isPlaceholder(host) || isPlaceholder(entry.secretName.string ?? '')) continue
      if (!found.has(host.toLowerCase())) found.set(host.toLowerCase(), entry)
    }
  }
  return found
}

/**
 * Whether two Ingresses route one host that a listed name covers: a server takes its certificate from the Ingresses
 * that route it.
 */
function bothRoute(one: Manifest, other: Manifest, name: string): boolean {
  const theirs = routedHosts(other)
  return [...routedHosts(one).keys()].some((host) => theirs.has(host) && covers(name, host))
}

/** The Secret that an entry names, if any; one name in two namespaces is two Secrets. */
function secretOf({ ref }: Manifest, { secretName }: TlsEntry): string {
  return secretName.string ? JSON.stringify([ref.namespace, secretName.string]) : ''
}

function sideOf(snapshot: Snapshot, ingress: Manifest, entry: TlsEntry): ListedHost {
  const secret = entry.secretName.string || undefined
  return { ingress, entry, secret, certificates: secret ? certificatesBehind(snapshot, ingress, secret) : undefined }
}

function messageFor(host: string, a: ListedHost, b: ListedHost): 'hidden' | 'unfit' | 'differs' {
  if (a.secret === undefined || b.secret === undefined) return 'hidden'
  return isUnfit(host, a) || isUnfit(host, b) ? 'unfit' : 'differs'
}

function isUnfit(host: string, { certificates }: ListedHost): boolean {
  return certificates?.every((certificate) => !certificate.covers(host)) ?? false
}

/** The edit by which one entry names the other's Secret, if that one serves all its hosts. */
function sameSecret(wrong: ListedHost, right: ListedHost): { fix?: Fix } {
  if (right.secret === undefined || wrong.ingress.ref.namespace !== right.ingress.ref.namespace) return {}
  const listed = right.entry.hosts.map((name) => name.string?.toLowerCase())
  const serves = (host: string) =>
    right.certificates ? right.certificates.every((one) => one.covers(host)) : listed.includes(host.toLowerCase())
  if (!wrong.entry.hosts.every(({ string: host = '' }) => serves(host))) return {}
  const fix = wrong.secret
    ? replaced(wrong.entry.secretName, right.secret)
    : withKey(wrong.entry.at, 'secretName', right.secret)
  return fix ? { fix } : {}
}
