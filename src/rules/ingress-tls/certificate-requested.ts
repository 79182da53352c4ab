import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import { certManagerGroups, shimAnnotation } from '../../kubernetes/tls/cert-manager'
import { isCanary } from '../../kubernetes/tls/ingress-nginx'
import { claimsIn, mayBeMade, type TlsClaim, tlsClaims } from '../../kubernetes/tls/tls-claim'
import { producerKinds } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import { splitDocuments } from '../../manifest/documents'
import { nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { skimKind } from '../../manifest/skim'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

/** The annotations by which an Ingress requests a certificate of cert-manager. */
const requests = [
  ...certManagerGroups.flatMap((group) => [`${group}/cluster-issuer`, `${group}/issuer`]),
  'kubernetes.io/tls-acme',
]

/** The field by which an Ingress names a Secret. */
const secretField = 'secretName'

export default defineRule({
  id: 'ingress-tls/certificate-requested',
  summary: 'A new Ingress requests its certificate where all other Ingresses request theirs.',
  since: '1.21.0',
  scope: 'change',
  kinds: [ingressKind],
  reads: [...producerKinds.filter((kind) => kind !== ingressKind), ...releaseKinds],
  messages: {
    unlike: ({ ingress, secret }: Record<'ingress' | 'secret', string>) =>
      `${ingress} names the Secret ${secret}, which nothing here creates, and has no annotation of cert-manager, unlike all other Ingresses with TLS here. Without the Secret, its hosts are served with the default certificate of the controller. Add the annotation that the others have, or an object that creates the Secret.`,
  },
  names: {
    *of({ change, base, head }) {
      for (const { secret } of unmade(change, base, head)) yield* [secret, secretField, ...requests]
    },
    isUsedIn(text, name) {
      if (name !== secretField && !requests.includes(name)) return mentionsWhole(text, name)
      const ingresses = ingressesIn(text).filter((one) => one.includes(`${secretField}:`))
      return ingresses.some((one) => (name === secretField ? !isRequesting(one) : one.includes(name)))
    },
  },
  *partners(manifest) {
    for (const { secret } of tlsClaims(manifest)) if (secret) yield secret
  },
  check({ change, base, head, isUsed, report, skip }) {
    const [claim] = unmade(change, base, head)
    if (!claim || isUsed(claim.secret) || isUsed(secretField) || !requests.some(isUsed)) return
    const { secret, at } = claim
    const release = releaseMentioning(secret, head)
    if (release) skip(at, `${nameOf(release.ref)} mentions the Secret ${secret}, and may create it`)
    else report(at, 'unlike', { ingress: nameOf(at.manifest.ref), secret }, { keys: [secret] })
  },
})

/** The claims of an Ingress that a change adds for Secrets that nothing creates, if it requests none of them. */
function unmade(change: Change, base: Snapshot, head: Snapshot): TlsClaim[] {
  if (change.kind !== 'added') return []
  const { after: ingress } = change
  const { origin } = ingress
  // The annotations of a chart's Ingress are values, which each release sets.
  if (origin.kind === 'rendered' && origin.source.kind === 'helm') return []
  if (shimAnnotation(ingress) || isCanary(ingress) || isManaged(ingress)) return []
  const before = claimsIn(base)
  if (before.some(({ secret, at: { manifest } }) => secret !== '' && !shimAnnotation(manifest))) return []
  const others = [...before, ...claimsIn(head)].filter(({ at }) => at.manifest !== ingress)
  return tlsClaims(ingress).filter(
    (claim) =>
      claim.secret !== '' &&
      !isPlaceholder(claim.secret) &&
      !mayBeMade(claim, head) &&
      !others.some(({ secret }) => secret === claim.secret),
  )
}

/** The Ingresses in the text of a file, without templates and comments. */
function ingressesIn(text: string): string[] {
  return splitDocuments(text)
    .map((one) => one.text.replaceAll(/^[ \t]*#.*$/gm, ''))
    .filter((one) => skimKind(one) === ingressKind.split('.')[0] && !one.includes('{{'))
}

function isRequesting(ingress: string): boolean {
  return requests.some((annotation) => ingress.includes(annotation))
}
