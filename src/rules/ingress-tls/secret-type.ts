import { tlsSecretNames } from '../../kubernetes/ingress'
import {
  isGeneratedTokenName,
  isSecretComplete,
  keysOf,
  missingTlsKeys,
  typeWithoutCertificate,
} from '../../kubernetes/secret'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

export default defineRule({
  id: 'ingress-tls/secret-type',
  summary: 'Every Secret a TLS entry names can hold a certificate and its key.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['Secret'],
  messages: {
    wrongType: ({ secret, type, ingress }: { secret: string; type: string; ingress: string }) =>
      `${secret} is of type ${type}, which holds no certificate, and ${ingress} names it for TLS. Name a Secret of type kubernetes.io/tls.`,
    missingKeys: ({ secret, missing, ingress }: { secret: string; missing: string; ingress: string }) =>
      `${secret} has no ${missing}, and ${ingress} names it for TLS. Put the PEM certificate under tls.crt and its key under tls.key, or name another Secret.`,
    generatedName: ({ name, ingress }: { name: string; ingress: string }) =>
      `${name} is the name of a generated service-account token, which holds a CA and no certificate, and ${ingress} names it for TLS. Name a Secret of type kubernetes.io/tls.`,
  },
  *partners(manifest) {
    if (manifest.ref.kind === 'Secret') yield manifest.ref.name
    else yield* tlsSecretNames(manifest).keys()
  },
  check({ manifest, snapshot, report }) {
    const ingress = nameOf(manifest.ref)
    for (const [name, at] of tlsSecretNames(manifest)) {
      const copies = snapshot.get({ group: '', kind: 'Secret', namespace: manifest.ref.namespace, name })
      const [secret] = copies
      if (!secret) {
        if (isGeneratedTokenName(name)) report(at, 'generatedName', { name, ingress }, { keys: [name] })
        continue
      }
      // Of several copies nobody can tell which one is applied; one that holds a certificate is enough.
      if (!copies.every(lacksCertificate)) continue
      const type = typeWithoutCertificate(secret)
      const missing = missingTlsKeys(secret)
      const where = { secret: nameOf(secret.ref), ingress }
      if (type)
        report([at, type], 'wrongType', { ...where, type: type.string ?? '' }, { keys: [name, type.string ?? ''] })
      else
        report(
          [at, keysOf(secret)],
          'missingKeys',
          { ...where, missing: missing.join(' and no ') },
          { keys: [name, ...missing] },
        )
    }
  },
})

function lacksCertificate(secret: Manifest): boolean {
  return isSecretComplete(secret) && (typeWithoutCertificate(secret) !== undefined || missingTlsKeys(secret).length > 0)
}
