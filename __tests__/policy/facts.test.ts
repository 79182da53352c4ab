import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkJson, checkOpened, lines } from '../cli/guard'
import { opened } from '../source/in-memory'
import { type Files, temporaryFolder, writeFiles } from '../source/repository'

const file = '.github/ingress-guard.yaml'
const policies = 'format: 1\npolicies: [{use: version-matrix@1.0.0}]\n'
const config = (cluster: string) => `${policies}clusters:\n  prod: {paths: [prod/**], ${cluster}}\n`
const declaring = (version: string) => config(`kubernetes: "${version}"`)
const named = config('inventory: live/prod.yaml')
const inventory = (version: string) => `format: 1\nkind: Inventory\nkubernetes: ${version}\n`
const budget = (apiVersion: string) =>
  `apiVersion: ${apiVersion}\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: shop}\n`
const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n'
const unserved = 'introduced error head/prod/web.yaml:1 version-matrix/api-served'

async function judge(base: Files, head: Files, ...more: string[]) {
  return checkOpened(opened(base, head), ...more)
}

const findingLines = (report: Awaited<ReturnType<typeof judge>>) =>
  lines(report).filter((line) => !line.includes('config/changed'))

describe('the facts of each side count', () => {
  test('a change that declares an upgrade is judged by it, and so is what was there', async () => {
    const report = await judge(
      { [file]: declaring('1.24'), 'prod/web.yaml': budget('policy/v1beta1') },
      { [file]: declaring('1.25') },
    )
    expect(findingLines(report)).toEqual([
      `introduced error head/${file}:4 version-matrix/api-served`,
      `resolved warning base/${file}:4 version-matrix/api-served`,
    ])
    const [finding] = report.findings.filter(({ level }) => level === 'error')
    expect(finding?.related).toMatchObject([{ path: 'prod/web.yaml', region: { startLine: 1 } }])
    expect(report.verdict).toBe('fail')
  })

  test('once its objects are fixed, the upgrade gets through', async () => {
    const report = await judge(
      { [file]: declaring('1.24'), 'prod/web.yaml': budget('policy/v1beta1') },
      { [file]: declaring('1.25'), 'prod/web.yaml': budget('policy/v1') },
    )
    expect(findingLines(report)).toEqual(['resolved warning base/prod/web.yaml:1 version-matrix/api-served'])
  })

  test.each<[name: string, head: Files]>([
    ['a lower version in the config', { [file]: config('kubernetes: "1.20", inventory: live/prod.yaml') }],
    ['a lower version in the inventory', { 'live/prod.yaml': inventory('v1.20.0') }],
    [
      'an inventory that is gone, and no longer named',
      { 'live/prod.yaml': null, [file]: `${policies}clusters: {prod: {paths: [prod/**]}}\n` },
    ],
    ['no config at all', { [file]: `${policies}` }],
  ])('%s hides nothing', async (_, head) => {
    const base = { [file]: named, 'live/prod.yaml': inventory('v1.25.3'), 'prod/web.yaml': service }
    const report = await judge(base, { ...head, 'prod/web.yaml': budget('policy/v1beta1') })
    expect(findingLines(report)).toEqual([unserved])
    expect(report.findings.at(-1)?.text).toContain('the cluster runs v1.25.3')
  })

  test('a finding of the facts of both sides is reported once', async () => {
    const report = await judge(
      { [file]: declaring('1.25'), 'prod/web.yaml': service },
      { [file]: declaring('1.26'), 'prod/web.yaml': budget('policy/v1beta1') },
    )
    expect(findingLines(report)).toEqual([unserved])
    expect(report.findings.at(-1)?.text).toContain('the cluster runs 1.26')
  })

  test('a version that was there already makes no news of what it bears on', async () => {
    const report = await judge(
      { [file]: named, 'live/prod.yaml': inventory('v1.25.3'), 'prod/web.yaml': budget('policy/v1beta1') },
      { 'live/prod.yaml': `${inventory('v1.25.9')}takenAt: 2026-11-21T10:00:00Z\n` },
    )
    expect(findingLines(report)).toEqual([`existing error head/live/prod.yaml:3 version-matrix/api-served`])
    expect(report.verdict).toBe('pass')
  })

  test('an installer’s file is a fact of its cluster', async () => {
    const kubeadm = (version: string) =>
      `apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\nkubernetesVersion: ${version}\n`
    const report = await judge(
      { [file]: policies, 'cluster/init.yaml': kubeadm('v1.24.0'), 'web.yaml': budget('policy/v1beta1') },
      { 'cluster/init.yaml': kubeadm('v1.25.0') },
    )
    expect(findingLines(report)).toEqual([
      'resolved warning base/cluster/init.yaml:3 version-matrix/api-served',
      'introduced error head/cluster/init.yaml:3 version-matrix/api-served',
    ])
  })

  test('nodes that change are judged beside an installer’s file that does not', async () => {
    const kubeadm = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\nkubernetesVersion: v1.24.0\n'
    const nodes = (kubelet: string) => `format: 1\nkind: Inventory\nnodes:\n  - {name: a, kubeletVersion: ${kubelet}}\n`
    const report = await judge(
      { [file]: named, 'prod/init.yaml': kubeadm, 'live/prod.yaml': nodes('v1.24.0') },
      { 'live/prod.yaml': nodes('v1.25.0') },
    )
    expect(findingLines(report)).toEqual(['introduced error head/live/prod.yaml:4 version-matrix/version-skew'])
  })

  test('one revision is judged by its own', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, {
      [file]: declaring('1.25'),
      'prod/web.yaml': budget('policy/v1beta1'),
      'web.yaml': budget('policy/v1beta1'),
    })
    const report = await checkJson('--head', folder, '--all')
    expect(lines(report)).toEqual(['existing error head/prod/web.yaml:1 version-matrix/api-served'])
  })

  test('a config of the operator’s names the inventory for both sides', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'guard.yaml': named })
    const report = await judge(
      { 'live/prod.yaml': inventory('v1.24.3'), 'prod/web.yaml': budget('policy/v1beta1') },
      { 'live/prod.yaml': inventory('v1.25.3') },
      '--config',
      path.join(folder, 'guard.yaml'),
    )
    expect(lines(report)).toEqual([
      'introduced error head/live/prod.yaml:3 version-matrix/api-served',
      'resolved warning base/live/prod.yaml:3 version-matrix/api-served',
    ])
  })

  test.each(['clusters/prod', 'prod'])('a cluster named %s like its folder needs no paths', async (name) => {
    const report = await judge(
      {
        'clusters/prod/web.yaml': service,
        'clusters/dev/web.yaml': service,
        [file]: `${policies}clusters: {${name}: {kubernetes: "1.25"}}\n`,
      },
      { 'clusters/prod/web.yaml': budget('policy/v1beta1'), 'clusters/dev/web.yaml': budget('policy/v1beta1') },
    )
    expect(findingLines(report)).toEqual(['introduced error head/clusters/prod/web.yaml:1 version-matrix/api-served'])
  })

  test('two clusters without files are listed as such', async () => {
    const report = await judge(
      {
        'web.yaml': service,
        [file]: `${policies}clusters: {east: {kubernetes: "1.25"}, west: {kubernetes: "1.24"}}\n`,
      },
      { 'web.yaml': budget('policy/v1beta1') },
    )
    expect(findingLines(report)).toEqual([])
    expect(report.inspected.skipped).toContainEqual({
      path: file,
      reason: 'the files of the cluster east are unknown, because it has neither `paths` nor a folder of that name',
    })
  })
})

describe('kernels of each side count', () => {
  const calico = (version: string) =>
    `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: calico-node, namespace: kube-system}
spec:
  template:
    spec:
      containers:
        - name: calico-node
          image: calico/node:${version}
`
  const cluster = (kernel: string) =>
    `${inventory('v1.23.1')}kubeProxyMode: ipvs\nnodes:\n  - {name: node-1, kernelVersion: ${kernel}, architecture: amd64}\n`
  const kernels = (report: Awaited<ReturnType<typeof judge>>) =>
    findingLines(report).filter((line) => line.endsWith('kernel-supported'))
  const placed = 'introduced error head/prod/calico.yaml:9 version-matrix/kernel-supported'
  const [old, young] = ['5.10.0-30-amd64', '5.18.1-1.el7.elrepo.x86_64']

  test('a change that lies about them hides nothing', async () => {
    const base = { [file]: named, 'live/prod.yaml': cluster(young), 'prod/web.yaml': service }
    const report = await judge(base, { 'live/prod.yaml': cluster(old), 'prod/calico.yaml': calico('v3.20.0') })
    expect(kernels(report)).toEqual([placed])
    expect(report.findings.find(({ rule }) => rule.endsWith('kernel-supported'))?.text).toContain(
      `kernel ${young} of node-1`,
    )
  })

  test('nor one that takes them away', async () => {
    const base = { [file]: named, 'live/prod.yaml': cluster(young), 'prod/web.yaml': service }
    const report = await judge(base, { 'live/prod.yaml': inventory('v1.23.1'), 'prod/calico.yaml': calico('v3.20.0') })
    expect(kernels(report)).toEqual([placed])
  })

  test('one that raises them is judged by them', async () => {
    const base = { [file]: named, 'live/prod.yaml': cluster(old), 'prod/calico.yaml': calico('v3.20.0') }
    expect(kernels(await judge(base, { 'live/prod.yaml': cluster(young) }))).toEqual([
      'introduced error head/live/prod.yaml:6 version-matrix/kernel-supported',
    ])
    expect(
      kernels(await judge(base, { 'live/prod.yaml': cluster(young), 'prod/calico.yaml': calico('v3.23.1') })),
    ).toEqual([])
  })

  test('one that declares them first leaves nothing unknown', async () => {
    const unknownKernels = ({ inspected }: Awaited<ReturnType<typeof judge>>) =>
      inspected.skipped.filter(({ reason }) => reason.includes('the kernel of the nodes is unknown'))
    const files = { 'prod/web.yaml': service, [file]: config('kubeProxyMode: ipvs') }
    expect(unknownKernels(await judge(files, { 'prod/calico.yaml': calico('v3.23.1') }))).toHaveLength(1)
    const declared = { [file]: config('kubeProxyMode: ipvs, kernel: "6.1.0"'), 'prod/calico.yaml': calico('v3.23.1') }
    expect(unknownKernels(await judge(files, declared))).toEqual([])
  })

  test('a node that goes by another name is no news', async () => {
    const base = { [file]: named, 'live/prod.yaml': cluster(young), 'prod/calico.yaml': calico('v3.20.0') }
    const report = await judge(base, { 'live/prod.yaml': cluster(young).replace('node-1', 'node-7') })
    expect(kernels(report)).toEqual(['existing error head/live/prod.yaml:6 version-matrix/kernel-supported'])
  })
})

const lease = (name: string) =>
  `apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: ${name}, namespace: kube-system, uid: a}\nspec: {holderIdentity: x}\n`

describe('an inventory is no manifest', () => {
  const node = 'apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {nodeInfo: {kubeletVersion: v1.25.0}}\n'

  test('output of kubectl is read for its facts and not judged as deployed', async () => {
    const report = await judge(
      { [file]: named, 'live/prod.yaml': `${node}---\n${lease('a')}`, 'prod/web.yaml': service },
      { 'live/prod.yaml': `${node}---\n${lease('b')}`, 'prod/web.yaml': budget('policy/v1beta1') },
    )
    expect(findingLines(report)).toEqual([unserved])
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 1 })
  })

  test('other output of kubectl is left aside', async () => {
    const ingress =
      'apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: web, namespace: shop, uid: 5f0c7127}\n'
    const report = await judge(
      { [file]: named, 'live/prod.yaml': node, 'prod/web.yaml': service },
      { 'live/prod.yaml': `${node}---\n${ingress}`, 'prod/web.yaml': budget('policy/v1beta1') },
    )
    expect(findingLines(report)).toEqual([unserved])
  })

  test('so is one that this change adds and names', async () => {
    const report = await judge({ 'a.yaml': service }, { [file]: named, 'live/prod.yaml': `${node}---\n${lease('a')}` })
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 0 })
  })

  test('a deployed file stays deployed when this change makes it an inventory', async () => {
    const report = await judge(
      { 'live/prod.yaml': lease('a'), 'a.yaml': service },
      { [file]: named, 'live/prod.yaml': lease('b') },
    )
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 1 })
  })
})

describe('an inventory that cannot be read stops the change, at its line', () => {
  const pad = (size: number) =>
    `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: ${'x'.repeat(size)}}}\n`

  test.each<[name: string, text: string, line: number, sentence: RegExp]>([
    [
      'an empty file',
      '',
      1,
      /The inventory live\/prod\.yaml: This inventory is empty\. Write it with `ingress-guard inventory`/,
    ],
    ['an empty List', 'apiVersion: v1\nkind: List\nitems: []\n', 1, /is empty/],
    ['a document of nothing', 'format: 1\nkind: Inventory\n', 1, /is empty/],
    ['words', 'the cluster is fine\n', 1, /is empty/],
    [
      'broken YAML',
      'format: 1\nkind: Inventory\nnodes: [\n',
      4,
      /not valid YAML: a value is missing here, or a bracket is not closed/,
    ],
    ['a broken List', 'apiVersion: v1\nkind: List\nitems: [\n', 4, /cannot be read: /],
    [
      'an unknown key',
      'format: 1\nkind: Inventory\nsecrets: []\n',
      3,
      /The key `secrets` is not allowed here; the keys are format, kind, takenAt/,
    ],
    [
      'a version without quotes',
      'format: 1\nkind: Inventory\nkubernetes: 1.30\n',
      3,
      /`kubernetes` must be a string, not 1\.3; quote it\./,
    ],
    ['another format', 'format: 2\nkind: Inventory\n', 1, /`format` must be 1, not 2\./],
    [
      'a deployed object',
      `${budget('policy/v1')}`,
      1,
      /An inventory cannot hold a PodDisruptionBudget; it is `kind: Inventory`/,
    ],
    ['a huge List', pad(17 * 1024 * 1024), 1, /this one document has 17 MiB/],
    [
      'a mode that is no word',
      'format: 1\nkind: Inventory\nkubeProxyMode: "\u0007"\n',
      3,
      /`kubeProxyMode` is .* which does not have the required form: iptables, ipvs or nftables\./,
    ],
  ])('%s', async (_, text, line, sentence) => {
    const report = await judge(
      { [file]: named, 'live/prod.yaml': inventory('v1.25.3'), 'prod/web.yaml': service },
      { 'live/prod.yaml': text, 'prod/web.yaml': budget('policy/v1beta1') },
    )
    expect(lines(report)).toEqual([`introduced error head/live/prod.yaml:${line} source/unreadable`, unserved])
    expect(report.findings[0]?.text).toMatch(sentence)
    expect(report.verdict).toBe('fail')
  })

  test.each([
    ['a file that is not there', 'live/none.yaml'],
    ['a file outside', '../prod.yaml'],
    ['a folder', 'prod'],
  ])('%s, where the config names it', async (_, inventoryPath) => {
    const report = await judge(
      { 'prod/web.yaml': service },
      { [file]: `format: 1\nclusters:\n  prod:\n    paths: [prod/**]\n    inventory: ${inventoryPath}\n` },
    )
    expect(findingLines(report)).toEqual([`introduced error head/${file}:5 source/unreadable`])
    expect(report.findings.at(-1)?.text).toContain(
      `The inventory ${inventoryPath}: This inventory does not exist, so the state of the cluster is unknown. Add the file, or remove it from the config.`,
    )
  })

  test('and one that was so before stops it still', async () => {
    const report = await judge({ [file]: named, 'live/prod.yaml': '', 'prod/web.yaml': service }, { 'a.yaml': service })
    expect(lines(report)).toEqual(['introduced error head/live/prod.yaml:1 source/unreadable'])
  })
})
