import * as Type from 'typebox'
import { isSecretComplete, keysOf, tlsKeysMissingIn } from '../../kubernetes/object/secret'
import {
  isKeyOf,
  lastDayOf,
  namedHosts,
  namesIn,
  readCertificates,
  readKey,
  weaknessesOf,
} from '../../kubernetes/tls/certificate'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const dayInMilliseconds = 24 * 60 * 60 * 1000

export default defineRule({
  id: 'ingress-tls/certificate-valid',
  summary: 'The certificate in a TLS Secret can be read, matches its key, does not expire soon, and is strong enough.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: ['Secret'],
  params: Type.Object({
    renewBeforeDays: Type.Integer({
      minimum: 0,
      description: 'The number of days before its expiry by which a certificate must be renewed.',
    }),
  }),
  messages: {
    unparsable: ({ key, secret, fault }: { key: string; secret: string; fault: string }) =>
      `${key} of ${secret} ${fault}, so no controller can use it. Put the PEM text under stringData, or its base64 under data.`,
    keyMismatch: ({ secret, names }: { secret: string; names: string }) =>
      `tls.key of ${secret} does not match the certificate for ${names}, so controllers reject the pair. Replace it with the key that the certificate was created for.`,
    wrongOrder: ({ secret, names }: { secret: string; names: string }) =>
      `tls.key of ${secret} matches a later certificate of tls.crt, not the first one, for ${names}, so controllers reject the pair. Put the server's own certificate first, then those of the authorities that signed it.`,
    expired: ({ secret, names, day }: { secret: string; names: string; day: string }) =>
      `The certificate for ${names} in ${secret} expired on ${day}, so clients reject it. Renew it and replace it here.`,
    expiring: ({ secret, names, day, days }: { secret: string; names: string; day: string; days: number }) =>
      `The certificate for ${names} in ${secret} expires on ${day}, ${inDays(days)}; after that, clients reject it. Renew it and replace it here.`,
    weak: ({ secret, names, weakness }: { secret: string; names: string; weakness: string }) =>
      `The certificate for ${names} in ${secret} has ${weakness}, which clients reject. Issue it again with an EC key of 256 bits or an RSA key of 2048 bits, signed with SHA-256.`,
  },
  check({ manifest, params: { renewBeforeDays }, report, skip, today }) {
    if (manifest.root.at('type').string !== 'kubernetes.io/tls' && tlsKeysMissingIn(manifest).length > 0) return
    if (!isSecretComplete(manifest))
      return skip(keysOf(manifest), 'its certificate is encrypted, or is filled in inside the cluster')
    const secret = nameOf(manifest.ref)
    const [certificates, key] = [readCertificates(manifest), readKey(manifest)]
    for (const [name, reading] of [['tls.crt', certificates] as const, ['tls.key', key] as const]) {
      if (reading.kind === 'broken')
        report(reading.at, 'unparsable', { key: name, secret, fault: reading.fault }, { keys: [name] })
      if (reading.kind === 'standIn' && reading.at.exists) skip(reading.at, `its ${name} is a placeholder`)
    }
    if (certificates.kind !== 'read') return
    const { at, first, further } = certificates
    const names = namedHosts(namesIn(first))
    if (key.kind === 'read' && !isKeyOf(key.first, first)) {
      const inOrder = !further.some((certificate) => isKeyOf(key.first, certificate))
      if (inOrder) report(key.at, 'keyMismatch', { secret, names })
      else report(at, 'wrongOrder', { secret, names })
    }
    const day = lastDayOf(first)
    const days = day ? Math.round((Date.parse(day) - Date.parse(today)) / dayInMilliseconds) : Number.POSITIVE_INFINITY
    if (day && days < 0) report(at, 'expired', { secret, names, day }, { keys: [day] })
    else if (day && days <= renewBeforeDays) report(at, 'expiring', { secret, names, day, days }, { keys: [day] })
    const weaknesses = weaknessesOf(first)
    if (weaknesses.length > 0)
      report(at, 'weak', { secret, names, weakness: weaknesses.join(' and ') }, { keys: weaknesses })
  },
})

function inDays(days: number): string {
  return days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
}
