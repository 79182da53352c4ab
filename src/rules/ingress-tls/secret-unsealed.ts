import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { secretsUsedBy, secretUserKinds, useOf } from '../../kubernetes/tls/secret-user'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const sealedKind = 'SealedSecret.bitnami.com'

type Unreadable = Record<'sealed' | 'was' | 'user' | 'name', string>

export default defineRule({
  id: 'ingress-tls/secret-unsealed',
  summary: 'A SealedSecret for TLS has the name and the namespace that it was sealed for.',
  since: '1.8.0',
  scope: 'change',
  kinds: [sealedKind],
  reads: secretUserKinds,
  direct: true,
  messages: {
    // Source: bitnami-labs/sealed-secrets, pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go: EncryptionLabel
    // is the name and the namespace, and Unseal takes those of the SealedSecret itself.
    moved: ({ sealed, was, user, name }: Unreadable) =>
      `${sealed} has the encrypted values of ${was}, which can be decrypted under that name and in that namespace only. So the Secret ${name}, which ${user} uses, is not created. Seal its values again for the new name and namespace.`,
    mismatched: ({ sealed, was, user, name }: Unreadable) =>
      `${sealed} has a template for ${was}, so kubeseal sealed it for that, and its values can be decrypted there only. Unless they were sealed again, the Secret ${name}, which ${user} uses, is not created. Seal them again, or keep the name and the namespace.`,
  },
  putBack: { moved: 'nothing', mismatched: 'nothing' },
  *partners(manifest) {
    if (manifest.ref.kind === 'SealedSecret') {
      yield manifest.ref.name
      // A copy with another name.
      for (const { string } of valuesOf(manifest)) if (string) yield string
    }
    for (const { name } of secretsUsedBy(manifest)) yield name
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const { name, namespace } = after.ref
    if (!isStrict(after) || !namespace || [name, namespace].some(isPlaceholder)) return
    const template = after.root.at('spec', 'template', 'metadata')
    const own = [template.at('namespace'), template.at('name')]
    const sealedFor = { namespace: own[0]?.string || namespace, name: own[1]?.string || name }
    if (own.some(({ string }) => string && isPlaceholder(string))) return
    const user = useOf(name, namespace, head)
    if (!user) return
    const isMismatched = sealedFor.namespace !== namespace || sealedFor.name !== name
    const args = { sealed: nameOf(after.ref), name, user: nameOf(user.at.manifest.ref) }
    const former = formerOf(after, base)
    if (former) {
      const at = [...valuesOf(after)].find(({ string }) => has(former, string)) ?? after.root.at('metadata', 'name')
      report([at, user.at], 'moved', { ...args, was: nameOf(former.ref) }, { keys: [name] })
    } else if (isMismatched && base.get(after.ref).length === 0 && valuesOf(after).length > 0) {
      const at = own.find((one, index) => one.string && one.string !== [namespace, name][index])
      const was = `${sealedFor.namespace}/${sealedFor.name}`
      report([at ?? template, user.at], 'mismatched', { ...args, was }, { keys: [name] })
    }
  },
})

/** Whether values can be decrypted under one name and in one namespace only. */
function isStrict({ root }: Manifest): boolean {
  const annotations = [root.at('metadata', 'annotations'), root.at('spec', 'template', 'metadata', 'annotations')]
  return annotations.every((map) => ![...map.entries()].some(([key]) => key.startsWith('sealedsecrets.bitnami.com/')))
}

/** The encrypted values; those of the older form are one. */
function valuesOf({ root }: Manifest): Cursor[] {
  const spec = root.at('spec')
  const old = spec.at('data')
  return [...[...spec.at('encryptedData').entries()].map(([, at]) => at), ...(old.string ? [old] : [])].filter(
    ({ string }) => isValue(string),
  )
}

/** A value that was sealed, not one that a tool fills in. */
function isValue(text: string | undefined): boolean {
  return text !== undefined && text.length > 100 && !isPlaceholder(text)
}

function has(sealed: Manifest, value: string | undefined): boolean {
  return valuesOf(sealed).some(({ string }) => string === value)
}

/**
 * The SealedSecret of the base that has the same values under another name or namespace, for which they were sealed: its
 * own template says so, and that of the new one does not show that they were sealed for this.
 */
function formerOf(after: Manifest, base: Snapshot): Manifest | undefined {
  if (base.get(after.ref).length > 0) return undefined
  const own = valuesOf(after)
  return base
    .ofKind(sealedKind)
    .filter((one) => identityOf(one.ref) !== identityOf(after.ref) && one.ref.namespace !== '')
    .filter((one) => isStrict(one) && own.some(({ string }) => has(one, string)))
    .find((one) => {
      const metadata = one.root.at('spec', 'template', 'metadata')
      return metadata.at('name').string === one.ref.name && metadata.at('namespace').string === one.ref.namespace
    })
}
