import { manifestsIn } from '../../../__tests__/manifest/manifests'
import { Snapshot } from '../../../src/cluster/snapshot'
import certificateCoversHost from '../../../src/rules/ingress-tls/certificate-covers-host'
import { type Oracle, someOf } from './oracle'

const hosts = [
  'a.example.com',
  'b.example.com',
  'A.example.com',
  'a.b.example.com',
  '*.example.com',
  'example.com',
  'a.lan',
]
const names = [...hosts, '*.b.example.com', '*.lan', '*.com', 'a*.example.com', 'example.net']
const secrets = ['one', 'two', 'three']

/** Whether ingress-nginx serves a routed host of an Ingress with a certificate for it. */
export const certificates: Oracle = {
  name: 'certificates',
  ask(random) {
    const host = random.of(hosts) ?? ''
    const held = Object.fromEntries(secrets.map((name) => [name, ['example.org', ...someOf(random, names, 2)]]))
    const tls = Array.from({ length: 1 + random.below(3) }, () => ({
      ...(random.chance(0.8) && { hosts: someOf(random, hosts, 2) }),
      ...(random.chance(0.8) && { secretName: random.of(secrets) }),
    }))
    const question = { tls, certificates: held, host: host.toLowerCase() }
    return { line: JSON.stringify(question), gate: isReported(tls, held, host) ? 'reported' : 'silent' }
  },
  // A default certificate is in no manifest that has to be here.
  upstream: (line) => (line === 'default' || line === 'served' ? 'silent' : 'reported'),
}

function isReported(tls: readonly object[], held: Readonly<Record<string, readonly string[]>>, host: string): boolean {
  const objects = [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'nginx' },
      spec: { controller: 'k8s.io/ingress-nginx' },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { ingressClassName: 'nginx', tls, rules: [{ host }] },
    },
    ...Object.entries(held).map(([secretName, dnsNames]) => ({
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: secretName, namespace: 'shop' },
      spec: { secretName, dnsNames },
    })),
  ]
  const manifests = manifestsIn(objects.map((object) => JSON.stringify(object)).join('\n---\n'))
  const manifest = manifests.find(({ ref }) => ref.kind === 'Ingress')
  if (!manifest || certificateCoversHost.scope !== 'snapshot') throw new Error('The rule is asked about an Ingress.')
  let isFound = false
  certificateCoversHost.check({
    manifest,
    snapshot: new Snapshot('', manifests),
    params: {},
    report: () => {
      isFound = true
    },
    skip: () => {},
    isWritten: () => true,
    isAdded: () => true,
    today: '2026-11-22',
  })
  return isFound
}
