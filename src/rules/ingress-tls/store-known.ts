import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { secretUserKinds, useOf } from '../../kubernetes/tls/secret-user'
import { secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { replaced, withKey } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

const externalKind = 'ExternalSecret.external-secrets.io'
const storeKind = 'SecretStore.external-secrets.io'
const clusterStoreKind = 'ClusterSecretStore.external-secrets.io'

export default defineRule({
  id: 'ingress-tls/store-known',
  summary: 'An ExternalSecret for TLS names its store with the kind that the store has.',
  since: '1.8.0',
  scope: 'change',
  kinds: [externalKind],
  reads: [storeKind, clusterStoreKind, ...secretUserKinds, ...releaseKinds],
  direct: true,
  messages: {
    // Source: external-secrets, apis/externalsecrets/v1/externalsecret_types.go (SecretStoreRef) and
    // pkg/controllers/secretstore/client_manager.go
    otherKind: ({ external, store, user, secret }: Record<'external' | 'store' | 'user' | 'secret', string>) =>
      `${external} names the SecretStore ${store}, which is not in this repository: it has only a ClusterSecretStore of that name. So the Secret ${secret}, which ${user} uses, is not created. Set kind: ClusterSecretStore in secretStoreRef.`,
  },
  names: {
    *of({ change, base, head }) {
      const found = strayIn(change, base, head)
      if (found) yield found.name
    },
    isUsedIn: isDefinedIn,
  },
  *partners(manifest) {
    const store = groupKindOf(manifest.ref) === externalKind ? storeOf(manifest) : undefined
    if (!store) return
    yield store.name
    for (const { name } of secretsMadeBy(manifest)) yield name
  },
  check({ change, base, head, isUsed, report, skip }) {
    const found = strayIn(change, base, head)
    if (!found || isUsed(found.name)) return
    const { at, name, external, secret, user, store } = found
    const release = releaseKinds
      .flatMap((kind) => head.ofKind(kind))
      .find(({ object }) => mentionsWhole(object.content, name) && object.content.includes('kind: SecretStore'))
    if (release) {
      skip(at, `${nameOf(release.ref)} mentions the SecretStore ${name}, and may create it`)
      return
    }
    const args = { external: nameOf(external.ref), store: name, secret, user: nameOf(user.manifest.ref) }
    const ref = external.root.at('spec', 'secretStoreRef')
    const kind = ref.at('kind')
    const fix = kind.exists ? replaced(kind, 'ClusterSecretStore') : withKey(ref, 'kind', 'ClusterSecretStore')
    report([at, store.root, user], 'otherKind', args, { keys: [name], fix })
  },
})

interface Stray {
  readonly external: Manifest
  readonly name: string
  readonly at: Cursor
  readonly secret: string
  readonly user: Cursor
  readonly store: Manifest
}

/** The SecretStore that an ExternalSecret comes to name, where only a ClusterSecretStore has the name. */
function strayIn(change: Change, base: Snapshot, head: Snapshot): Stray | undefined {
  if (change.kind === 'removed') return undefined
  const external = change.after
  const own = storeOf(external)
  if (!own || isPlaceholder(own.name) || hasOwnStores(external)) return undefined
  const was = change.kind === 'changed' ? storeOf(change.before) : undefined
  if (was?.name === own.name) return undefined
  const [store] = head.ofKind(clusterStoreKind).filter(({ ref }) => ref.name === own.name)
  if (!store || [base, head].some((side) => side.ofKind(storeKind).some(({ ref }) => ref.name === own.name)))
    return undefined
  // Others name it, so that it comes from elsewhere.
  const isKnown = base.ofKind(externalKind).some((one) => storeOf(one)?.name === own.name)
  if (isKnown) return undefined
  const [made] = secretsMadeBy(external)
  const user = made && useOf(made.name, external.ref.namespace, head)
  return made && user && { external, ...own, secret: made.name, user: user.at, store }
}

/** The SecretStore that an ExternalSecret names; the kind is that where none is written. */
function storeOf({ root }: Manifest): { readonly name: string; readonly at: Cursor } | undefined {
  const ref = root.at('spec', 'secretStoreRef')
  const { string: name } = ref.at('name')
  const kind = ref.at('kind')
  if (!name || (kind.exists && kind.string !== 'SecretStore')) return undefined
  return { name, at: kind.exists ? kind : ref.at('name') }
}

/** Whether single values come from stores of their own. */
function hasOwnStores({ root }: Manifest): boolean {
  const spec = root.at('spec')
  return [...spec.at('data').items(), ...spec.at('dataFrom').items()].some((one) => one.at('sourceRef').exists)
}

/** Whether a text has a document that may be a SecretStore of the name. */
function isDefinedIn(text: string, name: string): boolean {
  return text
    .split('\n---')
    .some((document) => /^kind: ["']?SecretStore\b/m.test(document) && mentionsWhole(document, name))
}
