import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** Annotations of tools that put a Secret's content in place inside the cluster. */
const filledInBy =
  /^(?:reflector\.v1\.k8s\.emberstack\.com\/reflects|replicator\.v1\.mittwald\.de\/replicate-from|avp\.kubernetes\.io\/|vault\.security\.banzaicloud\.io\/)/

/** The annotation that the gate itself adds to what it generates without a file that Git ignores. */
export const incompleteMark = 'ingress-guard.invalid/incomplete'

/** Whether the cluster will hold the manifest's data: not encrypted, reflected or filled in by a tool. */
export function isSecretComplete(secret: Manifest): boolean {
  if (isEncrypted(secret)) return false
  const { origin } = secret
  // A person may write the mark into a file.
  const isBuilt = origin.kind === 'rendered' && origin.source.kind === 'kustomize'
  return ![...secret.root.at('metadata', 'annotations').entries()].some(
    ([name]) => (isBuilt && name === incompleteMark) || filledInBy.test(name),
  )
}

/** SOPS keeps the keys readable, encrypts the values, and adds its own key. Source: https://getsops.io/docs/ */
function isEncrypted({ root }: Manifest): boolean {
  if (!root.at('sops').exists) return false
  return ['data', 'stringData'].some((key) =>
    [...root.at(key).entries()].some(([, value]) => value.string?.startsWith('ENC[')),
  )
}

/** The keys of a TLS Secret that are in neither `data` nor `stringData`. */
export function tlsKeysMissingIn(secret: Manifest): string[] {
  return ['tls.crt', 'tls.key'].filter(
    (key) => !secret.root.at('data', key).exists && !secret.root.at('stringData', key).exists,
  )
}

/** The cursor of a Secret's keys. */
export function keysOf(secret: Manifest): Cursor {
  const written = ['data', 'stringData'].map((key) => secret.root.at(key)).find((cursor) => cursor.exists)
  return written ?? secret.root.at('kind')
}

/**
 * The name of a service-account token Secret as Kubernetes generates it: the account, `-token-`, five characters.
 * Source: k8s.io/apimachinery/pkg/util/rand, whose alphabet leaves out vowels and similar characters.
 */
export function isGeneratedTokenName(name: string): boolean {
  return /.-token-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(name)
}
