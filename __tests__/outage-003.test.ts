import path from 'node:path'
import { expect, test } from '@jest/globals'
import { judge, readFolder, root } from './harness'

const production = readFolder(path.join(root, 'incidents', '003', 'head', 'production'))
const { 'kubekey.yaml': kubekey = '', 'kubesphere.yaml': kubesphere = '' } = production
const {
  'calico/node.yaml': calico = '',
  'calico/role.yaml': role = '',
  'calico/account.yaml': account = '',
} = production

const old = '3.10.0-1160.21.1.el7.x86_64'
const raised = '5.18.1-1.el7.elrepo.x86_64'
const guard = "format: 1\nclusters: { prod: { paths: ['**'], inventory: inventory.yaml } }\n"

/** One state of the cluster, which the report changes step by step. */
interface State {
  kernels: string[]
  calico: string
  role?: string
  kubernetes?: string
  mode?: string
}

/** The errors and warnings of a state, those on advisories and ends of life aside. */
async function statedOf({
  kernels,
  calico: release,
  role: given = role,
  kubernetes = 'v1.23.1',
  mode = 'ipvs',
}: State) {
  const nodes = kernels.map((kernelVersion, index) => ({ name: `node${index}`, kernelVersion, architecture: 'amd64' }))
  const head = {
    'kubekey.yaml': kubekey.replace('v1.23.1', kubernetes).replace('proxyMode: ipvs', `proxyMode: ${mode}`),
    'kubesphere.yaml': kubesphere,
    'calico.yaml': calico.replaceAll('v3.20.0', release),
    'role.yaml': given,
    'account.yaml': account,
    'inventory.yaml': JSON.stringify({ kind: 'Inventory', format: 1, nodes }),
  }
  const { findings } = await judge({ head, guard })
  return findings
    .filter(({ rule }) => rule !== 'version-matrix/known-defect')
    .map(({ level, rule, location, text }) => ({
      level,
      rule: rule.replace('version-matrix/', ''),
      path: location.path,
      text,
    }))
}

const brief = (stated: Awaited<ReturnType<typeof statedOf>>) =>
  stated.map(({ level, rule, path: file }) => `${level} ${rule} ${file}`)

const fits = { kubernetes: 'v1.21.5', mode: 'iptables', calico: 'v3.20.0' }
const platform = 'warning kubernetes-supported kubesphere.yaml'
const repaired = role.replace(
  '      - networksets\n',
  '      - networksets\n      - caliconodestatuses\n      - ipreservations\n',
)
const complete = `${repaired}  - apiGroups: [crd.projectcalico.org]\n    resources: [caliconodestatuses]\n    verbs: [update]\n`

test('as KubeSphere is made for it, nothing is stated', async () => {
  expect(await statedOf({ ...fits, kernels: [old] })).toEqual([])
})

test('alone: ipvs mode and the old kernel', async () => {
  expect(brief(await statedOf({ ...fits, kernels: [old], mode: 'ipvs' }))).toEqual([
    'error kernel-supported kubekey.yaml',
  ])
})

test('alone: the platform and its Kubernetes', async () => {
  const stated = await statedOf({ kernels: [raised], calico: 'v3.23.1', role: complete })
  expect(brief(stated)).toEqual([platform])
})

test('alone: the old Calico on the new kernel', async () => {
  const stated = await statedOf({ kernels: [raised], calico: 'v3.20.0' })
  expect(brief(stated)).toEqual([
    'error kernel-supported calico.yaml',
    'warning kubernetes-supported calico.yaml',
    platform,
  ])
})

test('alone: the new Calico and the old role', async () => {
  const stated = await statedOf({ ...fits, kubernetes: 'v1.22.4', kernels: [raised], calico: 'v3.23.1' })
  expect(brief(stated)).toEqual(['error rbac-matches-version calico.yaml', platform])
})

test('together: all four in one cluster', async () => {
  // Between v3.21.0 and v3.22.0 Calico has both faults: it needs the new role, and still holds the old ipset.
  const stated = await statedOf({ kernels: [old, raised], calico: 'v3.22.0' })
  expect(brief(stated)).toEqual([
    'error kernel-supported calico.yaml',
    'error rbac-matches-version calico.yaml',
    'error kernel-supported kubekey.yaml',
    platform,
  ])
})

test('the state that the report ends with lacks one permission, and with it nothing', async () => {
  const end = { kernels: [raised, raised, raised], calico: 'v3.23.1' }
  const errors = (await statedOf({ ...end, role: repaired })).filter(({ level }) => level === 'error')
  expect(errors.map(({ text }) => text)).toEqual([
    'calico/node:v3.23.1 of DaemonSet kube-system/calico-node lacks permissions or CRDs that its release needs: ClusterRole calico-node does not allow update caliconodestatuses.crd.projectcalico.org. Add them as in the manifests of that release.',
  ])
  expect(brief(await statedOf({ ...end, role: complete }))).toEqual([platform])
})

test('on arm64 v3.23.1 still holds the old ipset', async () => {
  const nodes = [{ name: 'node1', kernelVersion: raised, architecture: 'arm64' }]
  const head = {
    'kubekey.yaml': kubekey,
    'calico.yaml': calico.replaceAll('v3.20.0', 'v3.23.1'),
    'inventory.yaml': JSON.stringify({ kind: 'Inventory', format: 1, nodes }),
  }
  const { findings } = await judge({ head, guard }, 'version-matrix/kernel-supported')
  expect(findings.map(({ text }) => text.match(/Use .*/)?.[0])).toEqual([
    'Use Calico 3.22.4 or 3.23.2, or a later release.',
  ])
})
