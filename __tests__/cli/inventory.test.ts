import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { clusterRef } from '../../src/cluster/cluster-facts'
import { readInventoryFile } from '../../src/policy/inventory'
import { temporaryFolder } from '../source/repository'
import { guard } from './guard'

/** A file with what kubectl would print. */
function printed(value: unknown, name = 'live.json'): string {
  const file = path.join(temporaryFolder(), name)
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 4))
  return file
}

const list = (...items: object[]) => ({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items })

const secret = 'c3VwZXJzZWNyZXQ'
const applied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"token":"${secret}"}` }

const node = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, annotations: { ...applied, 'cluster.x-k8s.io/token': secret }, labels: { secret } },
  spec: { providerID: `aws:///${secret}` },
  status: {
    addresses: [{ type: 'Hostname', address: secret }],
    images: [{ names: [`registry.example.com/${secret}:v1`], sizeBytes: 1 }],
    nodeInfo: {
      architecture: 'amd64',
      bootID: secret,
      containerRuntimeVersion: 'containerd://1.7.27',
      kernelVersion: '5.15.0-105-generic',
      kubeProxyVersion: 'v1.30.1',
      kubeletVersion: 'v1.30.1',
      machineID: secret,
      operatingSystem: 'linux',
      osImage: 'Ubuntu 22.04.4 LTS',
      systemUUID: secret,
      ...more,
    },
  },
})

const pod = (name: string, nodeName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ingress', name, annotations: applied, labels: { secret } },
  spec: {
    nodeName,
    containers: [
      {
        name: 'controller',
        image: `registry.example.com/${secret}:v1`,
        args: [`--token=${secret}`],
        env: [{ name: 'PASSWORD', value: secret }],
      },
    ],
  },
  status: { phase: 'Running', podIP: secret },
})

const leader = JSON.stringify({
  holderIdentity: 'ingress-1_4f',
  leaseDurationSeconds: 30,
  renewTime: '2026-11-21T09:59:00Z',
})

const cluster = list(
  node('b'),
  node('a', { kernelVersion: '5.14.0-427.el9.x86_64' }),
  pod('ingress-1', 'b'),
  { ...pod('ended', 'b'), status: { phase: 'Succeeded' } },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'ingress', name: `tls-${secret}` },
    data: { 'tls.key': secret },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'ingress',
      name: 'leader',
      annotations: { ...applied, 'control-plane.alpha.kubernetes.io/leader': leader },
    },
    data: { password: secret },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'kube-proxy' },
    data: {
      'config.conf': `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ipvs\nclientConnection: {kubeconfig: ${secret}}\n`,
    },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: secret }, data: { secret } },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'kube-node-lease', name: 'a' },
    spec: { holderIdentity: 'a', renewTime: '2026-11-21T10:00:00.000000Z' },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'ingress', name: 'ingress', annotations: { ...applied, password: secret } },
    spec: { type: 'LoadBalancer', clusterIP: secret, externalName: secret },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      name: 'nginx',
      annotations: { ...applied, 'ingressclass.kubernetes.io/is-default-class': 'true' },
    },
    spec: { controller: 'k8s.io/ingress-nginx' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: 'kube-system', name: 'kube-proxy', annotations: applied },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'kube-proxy',
              image: 'registry.k8s.io/kube-proxy:v1.29.4@sha256:0123',
              env: [{ name: 'TOKEN', value: secret }],
            },
          ],
        },
      },
    },
  },
)

const document = `# What this cluster was seen to run on. Made by \`ingress-guard inventory\`; make it anew rather than edit it.
format: 1
kind: Inventory
takenAt: "2026-11-21T10:00:00.000000Z"
kubernetes: v1.30.2-eks-1
kubeProxyMode: ipvs
nodes:
  - name: a
    kernelVersion: "5.14.0-427.el9.x86_64"
    kubeletVersion: v1.30.1
    kubeProxyVersion: v1.29.4
    osImage: "Ubuntu 22.04.4 LTS"
    containerRuntimeVersion: "containerd://1.7.27"
    architecture: amd64
    operatingSystem: linux
  - name: b
    kernelVersion: "5.15.0-105-generic"
    kubeletVersion: v1.30.1
    kubeProxyVersion: v1.29.4
    osImage: "Ubuntu 22.04.4 LTS"
    containerRuntimeVersion: "containerd://1.7.27"
    architecture: amd64
    operatingSystem: linux
locks:
  - { kind: ConfigMap, namespace: ingress, name: leader, holder: ingress-1_4f, renewTime: "2026-11-21T09:59:00Z", duration: 30 }
ingressClasses:
  - { name: nginx, controller: k8s.io/ingress-nginx, default: true }
services:
  - { namespace: ingress, name: ingress, type: LoadBalancer }
pods:
  - { namespace: ingress, name: ingress-1, node: b }
`

describe('an inventory is made', () => {
  const version = { clientVersion: { gitVersion: 'v1.31.0' }, serverVersion: { gitVersion: 'v1.30.2-eks-1' } }

  test('of what kubectl printed: names, versions, locks, and no word of a Secret, value or annotation', async () => {
    const run = await guard(['inventory', printed(cluster), printed(version)])
    expect(run).toEqual({ status: 0, stdout: document, stderr: '' })
    expect(run.stdout).not.toContain(secret)
    expect(readInventoryFile(run.stdout, 'inventory.yaml', clusterRef('prod'))).toHaveLength(1)
  })

  test('of YAML, of lists by kind, and of single objects, in any order', async () => {
    const [first, second, ...rest] = cluster.items
    const yaml = `apiVersion: v1
kind: NodeList
items:
- metadata: {name: b}
  status: {nodeInfo: {kernelVersion: 5.15.0-105-generic, kubeletVersion: v1.30.1}}
---
${JSON.stringify(second)}
`
    const run = await guard(['inventory', printed(list(...rest.reverse())), printed(yaml, 'nodes.yaml')])
    expect(run.stdout).toContain('  - name: b\n    kernelVersion: "5.15.0-105-generic"\n    kubeletVersion: v1.30.1\n')
    expect(run.stdout).toContain('  - name: a\n    kernelVersion: "5.14.0-427.el9.x86_64"\n')
    expect(run.stdout).toContain('pods:\n  - { namespace: ingress, name: ingress-1, node: b }\n')
    expect(first).toBeDefined()
  })

  test('of what was given twice, once', async () => {
    const run = await guard(['inventory', printed(cluster), printed(version), printed(cluster, 'again.json')])
    expect(run).toEqual({ status: 0, stdout: document, stderr: '' })
  })

  test('of 500 nodes and 10,000 Pods', async () => {
    const nodes = Array.from({ length: 500 }, (_, index) => ({
      ...node(`node-${index}`),
      padding: Array.from({ length: 50 }, (_, image) => ({ names: [`registry.example.com/image-${image}:v1`] })),
    }))
    const pods = Array.from({ length: 10_000 }, (_, index) => pod(`pod-${index}`, `node-${index % 500}`))
    const file = printed(list(...nodes, ...pods))
    const { stdout } = await guard(['inventory', file])
    expect(stdout.split('\n')).toHaveLength(500 * 8 + 10_000 + 6)
  })

  test('of a running cluster, which is not asked for Secrets', async () => {
    const folder = temporaryFolder()
    const kubectl = path.join(folder, 'kubectl')
    writeFileSync(path.join(folder, 'version'), JSON.stringify(version))
    for (const kind of ['nodes', 'pods', 'services', 'leases', 'configmaps', 'daemonsets']) {
      const of = cluster.items.filter((item) => `${(item as { kind: string }).kind.toLowerCase()}s` === kind)
      writeFileSync(path.join(folder, kind), JSON.stringify(list(...of)))
    }
    const script = `#!/bin/sh
echo "$@" >> ${folder}/asked
for word in "$@"; do [ -f "${folder}/$word" ] && exec cat "${folder}/$word"; done
echo "error: the server doesn't have a resource type" >&2; exit 1
`
    writeFileSync(kubectl, script, { mode: 0o755 })
    const argv = ['inventory', '--context', 'prod', '--kubectl', kubectl, '--taken-at', '2026-11-21T10:00:00.000000Z']
    const { stdout } = await guard(argv)
    expect(stdout).toBe(document.replace(/ingressClasses:\n.*\n/, ''))
    const asked = readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n').sort()
    expect(asked).toEqual([
      ...['configmaps', 'daemonsets', 'ingressclasses', 'leases', 'nodes', 'pods', 'services'].map(
        (kind) => `--context prod get ${kind} --all-namespaces -o json`,
      ),
      '--context prod version -o json',
    ])
  })

  test('with hostile names that stay names', async () => {
    const hostile = '::error::x\n- injected: "yes" #\u202e'
    const { stdout } = await guard(['inventory', printed(list(node(hostile), node('__proto__'), node('null')))])
    const [object] = readInventoryFile(stdout, 'inventory.yaml', clusterRef('prod'))
    expect(object?.content).toContain('"::error::x\\n- injected: \\"yes\\" #')
    expect(stdout).toContain('  - name: "null"\n')
    expect(stdout).toContain('  - name: "__proto__"\n')
  })
})

describe('what cannot be read is told', () => {
  test.each<[name: string, argv: () => string[], sentence: RegExp]>([
    ['nothing', () => [], /Name either files with the output of .kubectl get nodes,.* or a --context/],
    ['files and a context', () => ['a.json', '--context', 'prod'], /Name either/],
    ['a file that is not there', () => ['/nowhere.json'], /\/nowhere\.json: This file cannot be read\./],
    ['no JSON', () => [printed('{"kind": ')], /This is not output of kubectl with -o json/],
    ['an empty file', () => [printed('')], /: No Node, Pod, .* or server version was found/],
    [
      'an empty list',
      () => [printed(list())],
      /^ingress-guard could not run: No Node.* so the inventory would be empty/,
    ],
    ['other objects', () => [printed(list({ kind: 'Secret', metadata: { name: 'a' } }))], /No Node/],
    ['one file of two that says nothing', () => [printed(cluster), '/dev/null'], /\/dev\/null: No Node/],
    [
      'no moment',
      () => [printed(cluster), '--taken-at', 'today'],
      /"today" is not an RFC 3339 timestamp \(expected the form 2026-/,
    ],
    [
      'no kubectl',
      () => ['--context', 'prod', '--kubectl', '/no/kubectl'],
      /\/no\/kubectl was not found\. Set its path with --kubectl\./,
    ],
  ])('%s', async (_, argv, sentence) => {
    const { status, stdout, stderr } = await guard(['inventory', ...argv()])
    expect([status > 1, stdout]).toEqual([true, ''])
    expect(stderr).toMatch(sentence)
  })
})
