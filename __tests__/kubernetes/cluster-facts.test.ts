import { expect, test } from '@jest/globals'
import type { ClusterFacts } from '../../src/cluster/cluster-facts'
import { gather } from '../../src/pipeline/gather'
import { readConfig } from '../../src/policy/config'
import { configPath } from '../../src/policy/names'
import { Renderer } from '../../src/render/renderer'
import type { Texts } from '../harness'
import { MemoryRevision } from '../memory-revision'

/** The facts of each cluster of a repository, with a config. */
async function factsOf(files: Texts, guard = 'format: 1'): Promise<ReadonlyMap<string, ClusterFacts>> {
  const { clusters, ignore } = readConfig(guard, configPath)
  const renderer = new Renderer({ helm: '/no/helm', kustomize: '/no/kustomize' })
  const evidence = await gather({
    base: undefined,
    head: new MemoryRevision('head', files),
    rules: [],
    ignore,
    clusters: { base: {}, head: clusters },
    releases: { base: [], head: [] },
    repository: [],
    renderer,
  }).finally(() => renderer.close())
  expect(evidence.findings.map(({ text }) => text)).toEqual([])
  return new Map([...evidence.head].map(([name, { facts }]) => [name, facts]))
}

const said = (fact: ClusterFacts['kubernetes']) =>
  fact && `${fact.value} ${fact.at.manifest.origin.path}:${fact.at.region.startLine}`

const inventory = `format: 1
kind: Inventory
takenAt: 2026-11-21T10:00:00Z
kubernetes: v1.23.1
kubeProxyMode: ipvs
nodes:
  - name: node-1
    kernelVersion: 3.10.0-1160.21.1.el7.x86_64
    kubeletVersion: v1.23.1
    architecture: amd64
    operatingSystem: linux
locks:
  - {kind: Lease, namespace: ingress, name: leader, holder: ingress-0, renewTime: "2026-11-21T09:59:58Z", duration: 30}
pods:
  - {namespace: ingress, name: ingress-0, node: node-1}
services:
  - {namespace: ingress, name: ingress, type: LoadBalancer}
ingressClasses:
  - {name: nginx, controller: k8s.io/ingress-nginx, default: true}
`

test('an inventory says everything, each value with its place', async () => {
  const facts = await factsOf(
    { 'inventory.yaml': inventory },
    'format: 1\nclusters: {prod: {paths: ["**"], inventory: inventory.yaml, kubernetes: "1.30", kernel: "6.1"}}',
  )
  const { kubernetes, kubeProxyMode, nodes, locks, pods, services, ingressClasses, takenAt } = facts.get(
    'prod',
  ) as ClusterFacts
  expect([kubernetes, kubeProxyMode, nodes[0]?.kernel, takenAt, locks[0]?.holder].map(said)).toEqual([
    'v1.23.1 inventory.yaml:4',
    'ipvs inventory.yaml:5',
    '3.10.0-1160.21.1.el7.x86_64 inventory.yaml:8',
    '2026-11-21T10:00:00Z inventory.yaml:3',
    'ingress-0 inventory.yaml:13',
  ])
  expect(nodes.map(({ name, architecture }) => [name, architecture?.value])).toEqual([['node-1', 'amd64']])
  expect(locks).toMatchObject([{ kind: 'Lease', namespace: 'ingress', name: 'leader', duration: 30 }])
  expect(pods).toMatchObject([{ namespace: 'ingress', name: 'ingress-0', node: 'node-1' }])
  expect(services).toMatchObject([{ name: 'ingress', type: 'LoadBalancer' }])
  expect(ingressClasses).toMatchObject([{ name: 'nginx', controller: 'k8s.io/ingress-nginx', isDefault: true }])
})

const node = (name: string, kernel: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: {
    nodeInfo: { kernelVersion: kernel, kubeletVersion: 'v1.22.4', kubeProxyVersion: 'v1.22.4', architecture: 'arm64' },
  },
})

const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)

test('output of kubectl is taken as it is', async () => {
  const container = (name: string, image: string) => ({ name, image: `registry.k8s.io/${image}` })
  const pod = (name: string, nodeName: string, ...containers: object[]) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'kube-system', name },
    spec: { nodeName, containers },
  })
  const facts = await factsOf(
    {
      'live/prod.json': list(
        node('a', '5.4.0-100-generic'),
        node('b', '4.18.0-193.el8.x86_64'),
        pod('kube-apiserver-a', 'a', container('kube-apiserver', 'kube-apiserver:v1.23.2')),
        pod('kube-proxy-x1', 'b', container('kube-proxy', 'kube-proxy:v1.21.9')),
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { namespace: 'kube-system', name: 'kube-proxy' },
          data: {
            'config.conf': 'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ""\n',
            'kubeconfig.conf': 'apiVersion: v1\nkind: Config\n',
          },
        },
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            namespace: 'ingress',
            name: 'ingress-controller-leader-nginx',
            annotations: {
              'control-plane.alpha.kubernetes.io/leader':
                '{"holderIdentity":"nginx-7d","leaseDurationSeconds":30,"renewTime":"2026-11-20T10:00:00Z"}',
            },
          },
        },
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace: 'kube-node-lease', name: 'a' },
          spec: { holderIdentity: 'a', renewTime: '2026-11-21T10:00:00.000000Z' },
        },
      ),
    },
    'format: 1\nclusters: {prod: {paths: ["deploy/**"], inventory: ./live/prod.json}}',
  )
  const { kubernetes, kubeProxyMode, nodes, locks, takenAt } = facts.get('prod') as ClusterFacts
  expect([kubernetes?.value, kubeProxyMode?.value, takenAt?.value]).toEqual([
    'v1.23.2',
    'iptables',
    '2026-11-21T10:00:00.000000Z',
  ])
  expect(said(nodes[1]?.kernel)).toBe('4.18.0-193.el8.x86_64 live/prod.json:28')
  expect(nodes.map(({ kubeProxy }) => kubeProxy?.value)).toEqual(['v1.22.4', 'v1.21.9'])
  expect(locks).toHaveLength(1)
  expect(locks).toMatchObject([
    { kind: 'ConfigMap', name: 'ingress-controller-leader-nginx', holder: { value: 'nginx-7d' }, duration: 30 },
  ])
})

const kubekey = `apiVersion: kubekey.kubesphere.io/v1alpha2
kind: Cluster
metadata: {name: sample}
spec:
  kubernetes:
    version: v1.23.1
    proxyMode: ipvs
`
const kubeadm = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
kubernetesVersion: v1.24.3
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: ipvs
`

const eksctl = 'apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: a, version: "1.30"}\n'
const kops = `apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: a.example.com}
spec:
  kubernetesVersion: 1.27.5
  kubeProxy: {proxyMode: ipvs}
`
const kept = `apiVersion: v1
kind: ConfigMap
metadata: {name: kubeadm-config, namespace: kube-system}
data:
  ClusterConfiguration: |
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: ClusterConfiguration
    kubernetesVersion: v1.26.1
  config.conf: |
    apiVersion: kubeproxy.config.k8s.io/v1alpha1
    kind: KubeProxyConfiguration
`

const plan = (spec: string, image = 'rancher/k3s-upgrade') =>
  `apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata: {name: server}\nspec:\n  ${spec}\n  upgrade: {image: ${image}}\n`
const channel = (name: string) => `channel: https://update.k3s.io/v1-release/channels/${name}`

test.each([
  ['a version of k3s', plan('version: v1.31.4+k3s1'), 'v1.31.4+k3s1 cluster.yaml:5'],
  ['a version of RKE2', plan('version: v1.31.4+rke2r1', 'rancher/rke2-upgrade'), 'v1.31.4+rke2r1 cluster.yaml:5'],
  ['the channel of a minor release', plan(channel('v1.22')), 'v1.22 cluster.yaml:5'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux
  ['a variable, which says nothing', plan('version: ${KUBERNETES_VERSION}'), undefined],
  ['a channel that moves', plan(channel('stable')), undefined],
  ['a version of the system', plan('version: v22.04', 'registry.example.com/ubuntu-upgrade'), undefined],
])('a Plan states %s', async (_, text, kubernetes) => {
  expect(said((await factsOf({ 'cluster.yaml': text })).get('')?.kubernetes)).toBe(kubernetes)
})

const k0sctl =
  'apiVersion: k0sctl.k0sproject.io/v1beta1\nkind: Cluster\nmetadata: {name: a}\nspec: {k0s: {version: 1.31.2+k0s.0}}\n'
const kubeOne = 'apiVersion: kubeone.k8c.io/v1beta2\nkind: KubeOneCluster\nname: a\nversions: {kubernetes: 1.31.2}\n'
const tuppr =
  'apiVersion: tuppr.home-operations.com/v1alpha1\nkind: KubernetesUpgrade\nmetadata: {name: a}\nspec: {kubernetes: {version: v1.34.0}}\n'

test.each([
  ['eksctl', eksctl, '1.30 cluster.yaml:3', undefined],
  ['k0sctl', k0sctl, '1.31.2+k0s.0 cluster.yaml:4', undefined],
  ['KubeOne', kubeOne, '1.31.2 cluster.yaml:4', undefined],
  ['tuppr', tuppr, 'v1.34.0 cluster.yaml:4', undefined],
  ['kOps', kops, '1.27.5 cluster.yaml:5', 'ipvs cluster.yaml:6'],
  ['a ConfigMap', kept, 'v1.26.1 cluster.yaml:5', 'iptables cluster.yaml:9'],
  ['KubeKey by its default', kubekey.replace(/.*proxyMode.*\n/, ''), 'v1.23.1 cluster.yaml:6', 'ipvs cluster.yaml:5'],
  ['KubeKey', kubekey, 'v1.23.1 cluster.yaml:6', 'ipvs cluster.yaml:7'],
  ['kubeadm', kubeadm, 'v1.24.3 cluster.yaml:3', 'ipvs cluster.yaml:7'],
])('%s states the version and the mode', async (_, text, kubernetes, mode) => {
  const facts = (await factsOf({ 'cluster.yaml': text })).get('')
  expect([said(facts?.kubernetes), said(facts?.kubeProxyMode)]).toEqual([kubernetes, mode])
})

test('each fact comes from the strongest place that states it', async () => {
  const facts = await factsOf(
    { 'prod/cluster.yaml': kubekey, 'prod/inventory.yaml': 'format: 1\nkind: Inventory\nkubeProxyMode: nftables\n' },
    'format: 1\nclusters:\n  prod:\n    inventory: prod/inventory.yaml\n    kernel: "5.18.1"\n    kubernetes: "1.30"\n',
  )
  const { kubernetes, kubeProxyMode, nodes } = facts.get('prod') as ClusterFacts
  expect([said(kubernetes), said(kubeProxyMode), said(nodes[0]?.kernel), nodes[0]?.name]).toEqual([
    `1.30 ${configPath}:6`,
    'nftables prod/inventory.yaml:3',
    `5.18.1 ${configPath}:5`,
    undefined,
  ])
})

test('a cluster without paths is the folder of its name, else what belongs to no other', async () => {
  const facts = await factsOf(
    { 'web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n' },
    'format: 1\nclusters: {main: {kubernetes: "1.30"}}',
  )
  expect(facts.get('')?.kubernetes?.value).toBe('1.30')
})

test('of two installers that differ none is believed', async () => {
  const facts = await factsOf({ 'a.yaml': kubekey, 'b.yaml': kubeadm })
  expect(facts.get('')?.kubernetes).toBeUndefined()
})
