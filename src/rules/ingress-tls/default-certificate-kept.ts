import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersOf,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { controllersReadFrom, counterpartOf } from '../../kubernetes/controllers/same-controller'
import { covers, isPlaceholder } from '../../kubernetes/ingress/ingress'
import { certManagerGroups, issuerOf } from '../../kubernetes/tls/cert-manager'
import { namedHosts } from '../../kubernetes/tls/certificate'
import { isStagingServer } from '../../kubernetes/tls/staging-server'
import { possibleProducersOf, producerKinds } from '../../kubernetes/tls/tls-producer'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Moved = { controller: string; was: string; secret: string }

const issuerKinds = certManagerGroups.flatMap((group) => [`ClusterIssuer.${group}`, `Issuer.${group}`])

export default defineRule({
  id: 'ingress-tls/default-certificate-kept',
  summary: 'The default certificate of a controller keeps serving the names that it served.',
  since: '1.6.0',
  scope: 'change',
  kinds: [...controllerKinds, ...releaseKinds, ...partKinds],
  reads: [...producerKinds, ...issuerKinds],
  messages: {
    unmade: ({ controller, was, secret, maker }: Moved & { maker: string }) =>
      `${controller} had the Secret ${was} as its default certificate, which ${maker} creates. This change names the Secret ${secret}, which nothing in this repository creates, so it may serve a self-signed certificate to all hosts without one of their own. Name a Secret that exists in that namespace, or add the object that creates it.`,
    uncovered: ({ controller, was, secret, lost, names }: Moved & { lost: string; names: string }) =>
      `This change gives ${controller} the default certificate ${secret}, which is for ${names}, in place of ${was}, which is for ${lost} too, so clients reject these hosts where they have no certificate of their own. Keep the former Secret, or request these names for the new one as well.`,
    staging: ({ controller, was, secret, server }: Moved & { server: string }) =>
      `This change gives ${controller} the default certificate ${secret}, which the test server ${server} issues, in place of ${was}, so every client rejects the hosts that have no certificate of their own. Keep the former Secret.`,
  },
  putBack: { unmade: 'changed', uncovered: 'changed', staging: 'changed' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    for (const { defaultCertificate } of controllersOf(manifest)) {
      yield* marksOfControllers
      const secret = writtenIn(defaultCertificate)
      const name = secret && secretIn(secret).name
      if (name) yield* [name, 'Issuer']
    }
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    for (const before of controllersReadFrom(change.before, base)) {
      const controller = counterpartOf(before, head)
      const [was, now] = [writtenIn(before.defaultCertificate), controller?.defaultCertificate]
      const secret = writtenIn(now)
      if (!controller || !now || !was || !secret || was === secret) continue
      const [old, made] = [makerOf(was, change.before, base), makerOf(secret, change.after, head)]
      if (!old) continue
      const names = { controller: nameOfController(controller), was, secret }
      const keys = [secret]
      if (!made) {
        if (!isPlaceholder(secret) || movesAlone(was, secret))
          report(now.at, 'unmade', { ...names, maker: nameOf(old.ref) }, { keys })
        continue
      }
      const [served, serves] = [namesOf(old), namesOf(made)]
      const lost = served.filter((name) => !serves.some((one) => one === name || covers(one, name)))
      const server = stagingOf(made, head)
      const left = makerOf(was, change.after, head)
      // A variable that gets another name takes its Certificate along.
      const isRenamed = lost.some(isPlaceholder) && !left
      // Two Certificates are seldom for the same names.
      const areApart = left !== undefined && left !== made
      if (lost.length > 0 && serves.length > 0 && (areComparable(served, serves) || areApart) && !isRenamed)
        report(
          [now.at, made.root],
          'uncovered',
          { ...names, lost: namedHosts(lost), names: namedHosts(serves) },
          { keys },
        )
      else if (server && !stagingOf(old, base)) report([now.at, made.root], 'staging', { ...names, server }, { keys })
    }
  },
})

/** A value with a variable is unknown as a setting, and yet the same text names the same Secret. */
function writtenIn(setting: Controller['defaultCertificate']): string | undefined {
  return setting?.value ?? setting?.at.string?.replace(/^--[\w-]+=/, '')
}

/** `network/tls` in parts; a variable in the name may have slashes of its own. */
function secretIn(text: string): { namespace: string; name: string } {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, Math.max(slash, 0)), name: text.slice(slash + 1) }
}

/** Whether a Secret whose name has a variable is the same in another namespace, which has none. */
function movesAlone(was: string, secret: string): boolean {
  const [old, now] = [secretIn(was), secretIn(secret)]
  return old.name === now.name && now.namespace !== '' && !isPlaceholder(now.namespace)
}

/** A variable may have the value of any name, but hardly for that of another variable. */
function areComparable(served: readonly string[], serves: readonly string[]): boolean {
  return served.some(isPlaceholder) === serves.some(isPlaceholder)
}

/** The object that creates a Secret, a Certificate before others. */
function makerOf(secret: string, beside: Manifest, side: Snapshot): Manifest | undefined {
  const { namespace, name } = secretIn(secret)
  const makers = possibleProducersOf(side, namespace, name, beside).map(({ manifest }) => manifest)
  return makers.find(({ ref }) => ref.kind === 'Certificate') ?? makers[0]
}

/** The names that a Certificate requests. */
function namesOf({ ref, root }: Manifest): string[] {
  if (ref.kind !== 'Certificate') return []
  const written = [...root.at('spec', 'dnsNames').items(), root.at('spec', 'commonName')]
  return [...new Set(written.flatMap((at) => (at.string ? [at.string.toLowerCase()] : [])))]
}

/** The server of the issuer of a Certificate, where it issues for tests alone. */
function stagingOf(certificate: Manifest, side: Snapshot): string | undefined {
  const named = issuerOf(certificate)
  if (!named) return undefined
  const { kind, namespace, name } = named
  const issuers = certManagerGroups.flatMap((group) => side.get({ group, kind, namespace, name }))
  const servers = issuers.flatMap(({ root }) => root.at('spec', 'acme', 'server').string ?? [])
  return servers.find(isStagingServer)
}
