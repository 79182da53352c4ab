import { isPlaceholder, tlsSecretNames } from '../../kubernetes/ingress/ingress'
import { controllerAt } from '../../kubernetes/ingress/ingress-class'
import { isGeneratedTokenName } from '../../kubernetes/object/secret'
import { certificateChoice, namesOfTypedControllers } from '../../kubernetes/tls/certificate-choice'
import {
  type DeclaredSecret,
  declaredSecret,
  holdsNoCertificate,
  missingTlsKeys,
  shownKeys,
} from '../../kubernetes/tls/declared-secret'
import { producerKinds, producersOf, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { identityOf, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

interface RefusedSecret {
  secret: string
  type: string
  ingress: string
  product: string
  wanted: string
}

export default defineRule({
  id: 'ingress-tls/secret-type',
  summary: 'Every Secret that a TLS entry names can hold a certificate and its key.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: ['Ingress.networking.k8s.io'],
  reads: [...producerKinds, 'IngressClass.networking.k8s.io'],
  subjects: [{ kinds: ['Ingress.networking.k8s.io'] }],
  messages: {
    wrongType: ({ secret, type, ingress }: { secret: string; type: string; ingress: string }) =>
      `${ingress} uses ${secret} for TLS, but a Secret of type ${type} holds no certificate. Name a Secret of type kubernetes.io/tls.`,
    missingKeys: ({ secret, missing, ingress }: { secret: string; missing: string; ingress: string }) =>
      `${ingress} uses ${secret} for TLS, but it has no ${missing}. Add the PEM certificate as tls.crt and its key as tls.key, or name another Secret.`,
    generatedName: ({ name, ingress }: { name: string; ingress: string }) =>
      `${ingress} uses ${name} for TLS, which is the name of a generated service-account token: it holds a CA but no certificate. Name a Secret of type kubernetes.io/tls.`,
    otherType: ({ secret, type, ingress, product, wanted }: RefusedSecret) =>
      `${secret} is of type ${type}, but ${product}, which serves ${ingress}, reads certificates only from Secrets of type ${wanted}. Change its type to ${wanted}.`,
    // Source: https://getsops.io/docs/: values are encrypted, keys are not
    encryptedKeys: ({ secret, missing, ingress }: { secret: string; missing: string; ingress: string }) =>
      `${ingress} uses ${secret} for TLS, but its encrypted data has no ${missing}. Encrypt the PEM certificate as tls.crt and its key as tls.key, or name another Secret.`,
  },
  later: { encryptedKeys: '1.13.0', otherType: '1.1.0' },
  putBack: { otherType: 'changed', wrongType: 'changed' },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (manifest.ref.kind === 'IngressClass') yield manifest.ref.name
    if (manifest.ref.kind !== 'Ingress') return
    yield* tlsSecretNames(manifest).keys()
    yield* namesOfTypedControllers
  },
  check({ manifest, snapshot, report, skip, isAdded }) {
    const ingress = nameOf(manifest.ref)
    const choice = certificateChoice(snapshot, manifest)
    for (const [name, at] of tlsSecretNames(manifest)) {
      const producers = producersOf(snapshot, manifest.ref.namespace, name).map((producer) => producer.manifest)
      if (producers.length === 0) {
        if (isGeneratedTokenName(name)) report(at, 'generatedName', { name, ingress }, { keys: [name] })
        continue
      }
      // If several objects create one Secret, one fills in the keys that another omits; but a Secret's type never
      // changes.
      const shared = new Set(producers.map(({ ref }) => identityOf(ref))).size > 1
      const makers = shared ? producers.filter(({ ref }) => ref.kind === 'Secret') : producers
      const copies = makers.map(declaredSecret)
      const [maker] = makers
      const [declared] = copies
      if (!maker || (shared && !(declared && holdsNoCertificate(declared)))) continue
      if (!declared) {
        const shown = makers.map(shownKeys)
        const [first] = shown
        const lacking = first ? missingTlsKeys(first) : []
        if (first && lacking.length > 0 && shown.every((one) => one && missingTlsKeys(one).length > 0)) {
          const args = { secret: nameOf(maker.ref), ingress, missing: lacking.join(' and no ') }
          report([at, first.keysAt], 'encryptedKeys', args, { keys: [name, ...lacking] })
        } else if (maker.ref.kind === 'Secret')
          skip(maker.root, 'its keys are encrypted, or are filled in inside the cluster')
        continue
      }
      // It is unknown which of several copies is applied; one with a certificate is enough.
      if (!copies.every((copy) => copy && isUnfit(copy, choice?.secretType))) continue
      const { type, typeAt, keysAt } = declared
      const missing = missingTlsKeys(declared)
      const where = { secret: nameOf(maker.ref), ingress }
      // The API server refuses another type of a Secret that exists.
      const retyped = (wanted: string) => (isAdded(maker) ? replaced(typeAt, wanted) : undefined)
      if (holdsNoCertificate(declared)) {
        const fix = missing.length === 0 ? retyped('kubernetes.io/tls') : undefined
        report([at, typeAt], 'wrongType', { ...where, type }, { keys: [name, type], fix })
      } else if (missing.length > 0)
        report(
          [at, keysAt],
          'missingKeys',
          { ...where, missing: missing.join(' and no ') },
          { keys: [name, ...missing] },
        )
      else if (choice?.secretType)
        report(
          [at, typeAt, ...controllerAt(snapshot, manifest)],
          'otherType',
          { ...where, type, product: choice.product, wanted: choice.secretType },
          { keys: [name, type], fix: retyped(choice.secretType) },
        )
    }
  },
})

function isUnfit(declared: DeclaredSecret, wanted: string | undefined): boolean {
  if (holdsNoCertificate(declared) || missingTlsKeys(declared).length > 0) return true
  return wanted !== undefined && declared.type !== wanted && !isPlaceholder(declared.type)
}
