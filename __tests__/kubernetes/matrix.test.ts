import { describe, expect, test } from '@jest/globals'
import { satisfies } from 'semver'
import { clusterRef } from '../../src/cluster/cluster-facts'
import { snapshotsOf } from '../../src/cluster/snapshot'
import { signsOf } from '../../src/kubernetes/versions/component-facts'
import { rowsWith, violationsOf } from '../../src/kubernetes/versions/matrix'
import { type Condition, MatrixFile, type MatrixRow, matrixRows } from '../../src/kubernetes/versions/matrix-facts'
import { matrixSubjectsOf } from '../../src/kubernetes/versions/matrix-subject'
import { Manifest } from '../../src/manifest/manifest'
import { readOwnDocument } from '../../src/policy/document'
import { readInventoryFile } from '../../src/policy/inventory'
import { manifestsIn } from '../manifest/manifests'

/** An image of each component's first part, as its own project publishes it. */
const images: Readonly<Record<string, string>> = {
  antrea: 'antrea/antrea-agent-ubuntu',
  'aws-vpc-cni': '602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni',
  calico: 'docker.io/calico/node',
  cilium: 'quay.io/cilium/cilium',
  flannel: 'ghcr.io/flannel-io/flannel',
  'ingress-nginx': 'registry.k8s.io/ingress-nginx/controller',
  kubesphere: 'kubesphere/ks-installer',
  'weave-net': 'weaveworks/weave-kube',
}

/** The cluster of a test; `release` is the component's. */
type World = { release: string } & Partial<
  Record<'kernel' | 'kubernetes' | 'kubeProxyMode' | 'architecture' | 'kubelet' | 'containerd', string>
>

/** The rows that do not hold in a world where a row's component runs with the settings the row asks for. */
function brokenIn(row: MatrixRow, world: World): string[] {
  const manifests = manifestsIn(workload(row, world.release))
  const descriptions = readInventoryFile(inventory(row, world), 'inventory.yaml', clusterRef('')).map(
    (object) => new Manifest(object, 'head', { kind: 'file', path: 'inventory.yaml' }, ['']),
  )
  const snapshot = snapshotsOf(manifests, descriptions).get('')
  if (!snapshot) throw new Error('There is no snapshot.')
  return [...descriptions, ...manifests]
    .flatMap((manifest) => matrixSubjectsOf(manifest, snapshot))
    .flatMap((subject) => violationsOf(subject, rowsWith([]), snapshot.facts))
    .map((breach) => breach.row.id)
}

function inventory(row: MatrixRow, world: World): string {
  // kube-proxy is known by its mode, and its release by that of the cluster.
  const kubernetes = world.kubernetes ?? (row.component === 'kube-proxy' ? world.release : undefined)
  const node = {
    name: 'one',
    kernelVersion: world.kernel,
    architecture: world.architecture,
    kubeletVersion: world.kubelet,
    containerRuntimeVersion: world.containerd && `containerd://${world.containerd}`,
  }
  return JSON.stringify({ kind: 'Inventory', format: 1, kubernetes, kubeProxyMode: world.kubeProxyMode, nodes: [node] })
}

function workload({ component, when }: MatrixRow, release: string): string {
  if (!images[component]) return ''
  const signs = (when?.setting ?? []).map((setting) => signsOf(setting)[0])
  const env = signs.flatMap((sign) => (sign && 'env' in sign ? [{ name: sign.env, value: sign.is[0] }] : []))
  const args = signs.flatMap((sign) => (sign && 'word' in sign ? [sign.word] : []))
  const container = { name: 'c', image: `${images[component]}:v${release}`, env, args }
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'c', namespace: 'kube-system' },
    spec: { template: { spec: { containers: [container] } } },
  }
  const configMaps = signs.flatMap((sign) => {
    if (!sign || !('configMap' in sign)) return []
    const value = 'is' in sign ? sign.is[0] : '{"Backend": {"Type": "wireguard"}}'
    const metadata = { name: sign.configMap, namespace: 'kube-system' }
    return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [sign.key]: value } }]
  })
  return [daemonSet, ...configMaps].map((object) => JSON.stringify(object)).join('\n---\n')
}

/** A version that is just before another. */
function before(version: string): string {
  const numbers = version.split(/[.-]/).map(Number)
  const last = numbers.findLastIndex((number) => number > 0)
  const lower = numbers.map((number, index) => (index < last ? number : index === last ? number - 1 : 999))
  const [a = 0, b = 0, c = 0, build] = [...lower, ...(lower.length === 2 ? [999] : [])]
  return `${a}.${b}.${c}${build === undefined ? '' : `-${build}`}`
}

/** The versions at the bounds of a range, and those just before them. */
function edgesOf(range: string): string[] {
  const bounds = [...range.matchAll(/\d+(?:\.\d+)+(?:-\d+)?/g)].map(([bound]) => bound)
  return bounds.flatMap((bound) => [bound.split('.').length === 2 ? `${bound}.0` : bound, before(bound)])
}

/** Whether a version is in a range; builds count as further numbers. A second implementation, to check the first. */
function isIn(version: string, range: string): boolean {
  const weigh = (text: string) =>
    text.split(/[.-]/).reduce((sum, part, index) => sum + Number(part) * 1e4 ** (3 - index), 0)
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((bound) => {
        if (bound === '*') return true
        const limit = weigh(bound.replace(/^\D+/, ''))
        if (bound.startsWith('>=')) return weigh(version) >= limit
        return bound.startsWith('<') ? weigh(version) < limit : weigh(version) === limit
      }),
  )
}

const rows = matrixRows.filter(({ manual }) => manual === undefined)
const somewhere = { kernel: '6.1.0', kubernetes: '1.30.0', architecture: 'amd64', kubelet: '1.30.0' }

/** A release that a row is about: the first of a range, or the one just before its end. */
function releaseOf({ versions }: MatrixRow): string {
  return [...edgesOf(versions), '1.0.0'].find((release) => isIn(release, versions)) ?? ''
}

/** A world to which a row applies, before its requirements are checked. */
function worldOf(row: MatrixRow): World {
  const when: Condition = row.when ?? {}
  const edge = (range: string | undefined) => range && edgesOf(range).find((version) => isIn(version, range))
  const known = {
    kernel: edge(when.kernel),
    kubernetes: edge(when.kubernetes),
    kubelet: edge(when.kubelet),
    kubeProxyMode: when.kubeProxyMode?.[0],
    architecture: when.architecture,
  }
  const given = Object.entries(known).filter(([, value]) => value !== undefined)
  const release = releaseOf(row)
  const proxied = row.component === 'kube-proxy' ? { kubernetes: release } : {}
  return { ...somewhere, ...proxied, ...Object.fromEntries(given), release }
}

describe.each(rows.map((row) => [row.id, row] as const))('%s', (id, row) => {
  const { any, kernel, kubernetes, kubeProxyMode, containerd, notOn } = row.requires ?? {}
  const [first, second] = any ?? []

  test('holds within what it requires and not beyond', () => {
    const world = worldOf(row)
    const outcomes: boolean[] = []
    const expectBroken = (is: boolean, more: Partial<World>) => {
      outcomes.push(is)
      expect([more, brokenIn(row, { ...world, ...more }).includes(id)]).toEqual([more, is])
    }
    for (const edge of kernel ? edgesOf(kernel) : []) {
      if (isIn(edge, row.when?.kernel ?? '*')) expectBroken(!isIn(edge, kernel ?? ''), { kernel: edge })
    }
    for (const edge of kubernetes ? edgesOf(kubernetes) : []) {
      expectBroken(!isIn(edge, kubernetes ?? ''), { kubernetes: edge })
    }
    for (const edge of containerd ? edgesOf(containerd) : []) {
      expectBroken(!isIn(edge, containerd ?? ''), { containerd: edge })
    }
    for (const mode of kubeProxyMode ? ['iptables', 'ipvs', 'nftables'] : []) {
      // A requirement of a row that judges the mode of kube-proxy itself is not changed.
      if (!row.when?.kubeProxyMode || row.when.kubeProxyMode.includes(mode)) {
        expectBroken(!kubeProxyMode?.includes(mode), { kubeProxyMode: mode })
      }
    }
    for (const distro of notOn ?? []) {
      const tail = distro.replace('debian', '+deb').replace('fedora', '-200.fc')
      expectBroken(true, { kernel: `6.14.0${tail}${tail.startsWith('+') ? '-amd64' : '.x86_64'}` })
    }
    if (notOn) expectBroken(false, { kernel: '6.8.0-45-generic' })
    for (const one of edgesOf(first?.kubernetes ?? '')) {
      for (const two of edgesOf(second?.kernel ?? '')) {
        const is = !isIn(one, first?.kubernetes ?? '') && !isIn(two, second?.kernel ?? '')
        expectBroken(is, { kubernetes: one, kernel: two })
      }
    }
    expect(outcomes).toContain(true)
    if (!row.when?.kubeProxyMode || kernel || kubernetes || any) expect(outcomes).toContain(false)
  })

  test('is about its releases and no others', () => {
    const world = violating(row)
    for (const release of edgesOf(row.versions)) {
      const proxied = row.component === 'kube-proxy' ? { kubernetes: release } : {}
      expect([release, brokenIn(row, { ...world, ...proxied, release }).includes(id)]).toEqual([
        release,
        isIn(release, row.versions),
      ])
    }
    expect(brokenIn(row, world)).toContain(id)
  })

  test('says nothing where nothing is known', () => {
    const { release } = worldOf(row)
    expect(brokenIn(row, { release }).filter((other) => other === id && row.component !== 'kube-proxy')).toEqual([])
  })
})

/** A world in which a row does not hold. */
function violating(row: MatrixRow): World {
  const { any, kernel, kubernetes, kubeProxyMode, containerd, notOn } = row.requires ?? {}
  const outside = (range: string | undefined, within = '*') =>
    range && edgesOf(range).find((version) => !isIn(version, range) && isIn(version, within))
  const known = {
    kernel: notOn ? '6.12.43+deb13-amd64' : outside(kernel ?? any?.[1]?.kernel, row.when?.kernel),
    kubernetes: outside(kubernetes ?? any?.[0]?.kubernetes),
    containerd: outside(containerd),
    kubeProxyMode: kubeProxyMode && (row.when?.kubeProxyMode?.[0] ?? 'iptables'),
  }
  const given = Object.entries(known).filter(([, value]) => value !== undefined)
  return { ...worldOf(row), ...Object.fromEntries(given) }
}

test.each(rows.flatMap((row) => (row.except ?? []).map((one) => [row.id, one.distro, one.kernel, row] as const)))(
  '%s holds on %s from %s on',
  (id, distro, range, row) => {
    for (const edge of edgesOf(range)) {
      const build = edge.includes('-') ? edge : `${edge}-80`
      const kernel = `${build}.el${distro.replace('rhel', '')}.x86_64`
      expect([kernel, brokenIn(row, { ...worldOf(row), kernel }).includes(id)]).toEqual([kernel, !isIn(edge, range)])
    }
  },
)

test('the rows have ids of their own, and versions that are ranges', () => {
  expect(new Set(matrixRows.map(({ id }) => id)).size).toBe(matrixRows.length)
  for (const { versions } of matrixRows) expect(() => satisfies('1.0.0', versions)).not.toThrow()
})

test.each(['source', 'checked'])('a row without %s does not load', (key) => {
  const [row] = matrixRows
  const { [key as 'source']: _, ...rest } = row as MatrixRow
  const text = JSON.stringify({ format: 1, rows: [rest] })
  expect(() => readOwnDocument(text, 'rows.yaml', MatrixFile, 'policy')).toThrow(`lacks the key \`${key}\``)
})
