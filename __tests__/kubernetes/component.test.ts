import { expect, test } from '@jest/globals'
import { snapshotsOf } from '../../src/cluster/snapshot'
import { componentsIn, componentsOf, writtenAs } from '../../src/kubernetes/versions/component'
import { componentFacts } from '../../src/kubernetes/versions/component-facts'
import { controllerFactsOf } from '../../src/kubernetes/workload/controller-facts'
import { manifestIn, manifestsIn } from '../manifest/manifests'

function workload(image: string, name = 'c'): string {
  const container = { name, image }
  const spec = { template: { spec: { containers: [container] } } }
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd', namespace: 'n' }, spec })
}

const componentTexts = (text: string) =>
  componentsOf(manifestIn(text)).map(({ facts, part, release }) => `${facts.name} ${part.name} ${release}`)

test.each([
  ['calico/node:v3.20.0', 'calico node 3.20.0'],
  ['docker.io/calico/node:v3.23.1@sha256:0a1b', 'calico node 3.23.1'],
  ['quay.io/calico/cni:v3.26.0', 'calico cni 3.26.0'],
  ['registry.example.com:5000/mirror/calico/node:v3.20.0', 'calico node 3.20.0'],
  ['rancher/mirrored-calico-node:v3.28.1-rancher1', 'calico node 3.28.1'],
  ['rancher/calico-node:v3.19.2', 'calico node 3.19.2'],
  ['quay.io/tigera/operator:v1.36.2', 'calico operator 3.29.1'],
  ['quay.io/tigera/operator:v9.9.9', 'calico operator undefined'],
  ['quay.io/cilium/cilium:v1.15.3', 'cilium agent 1.15.3'],
  ['rancher/mirrored-cilium-cilium:v1.15.3', 'cilium agent 1.15.3'],
  ['quay.io/cilium/operator-generic:v1.15.3', 'cilium operator 1.15.3'],
  ['registry.k8s.io/kube-proxy:v1.23.1', 'kube-proxy kube-proxy 1.23.1'],
  ['k8s.gcr.io/kube-proxy-amd64:v1.15.3', 'kube-proxy kube-proxy 1.15.3'],
  ['602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/kube-proxy:v1.29.0-eksbuild.2', 'kube-proxy kube-proxy 1.29.0'],
  ['602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:v1.15.1-eksbuild.1', 'aws-vpc-cni node 1.15.1'],
  ['quay.io/coreos/flannel:v0.14.0-amd64', 'flannel flannel 0.14.0'],
  ['rancher/mirrored-flannelcni-flannel:v0.19.2', 'flannel flannel 0.19.2'],
  ['registry.k8s.io/ingress-nginx/controller:v1.9.4@sha256:5b16', 'ingress-nginx controller 1.9.4'],
  ['rancher/nginx-ingress-controller:nginx-1.9.3-rancher1', 'ingress-nginx controller 1.9.3'],
  ['kubesphere/ks-installer:v3.2.1', 'kubesphere installer 3.2.1'],
  ['registry.k8s.io/coredns/coredns:v1.8.6', 'coredns coredns 1.8.6'],
  ['calico/node:v3.24.1-20221010', 'calico node 3.24.1'],
  ['calico/node:latest', 'calico node undefined'],
  ['calico/node@sha256:0a1b', 'calico node undefined'],
  ['calico/node', 'calico node undefined'],
  ['calico/node:v3.26.0-rc1', 'calico node undefined'],
  ['calico/node:v3.26', 'calico node undefined'],
])('%s', (image, expected) => {
  expect(componentTexts(workload(image))).toEqual([expected])
})

test.each([
  'node:20.1.0',
  'library/node:20.1.0',
  'example.com/mycalico/nodejs:v3.20.0',
  'flannel/flannel-cni-plugin:v1.1.2',
])('%s is nothing of these', (image) => expect(componentTexts(workload(image))).toEqual([]))

test('a mirror that keeps the last word alone is recognised by the container', () => {
  expect(componentTexts(workload('registry.cn-beijing.aliyuncs.com/kubesphereio/node:v3.20.0', 'calico-node'))).toEqual(
    ['calico node 3.20.0'],
  )
})

test('a release of a chart counts by its version, or by the tag its values set', () => {
  const release = (spec: object) =>
    JSON.stringify({ apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata: { name: 'r' }, spec })
  const chart = (name: string, version: string) => ({ chart: { spec: { chart: name, version } } })
  expect(componentTexts(release(chart('cilium', '1.15.3')))).toEqual(['cilium agent 1.15.3'])
  expect(componentTexts(release(chart('tigera-operator', 'v3.28.0')))).toEqual(['calico node 3.28.0'])
  expect(componentTexts(release(chart('ingress-nginx', '4.11.3')))).toEqual(['ingress-nginx controller 1.11.3'])
  expect(componentTexts(release(chart('cilium', '1.15.x')))).toEqual(['cilium agent undefined'])
  expect(componentTexts(release(chart('podinfo', '6.0.0')))).toEqual([])
  expect(componentTexts(release({ ...chart('cilium', '1.15.3'), values: { image: { tag: 'v1.14.9' } } }))).toEqual([
    'cilium agent 1.14.9',
  ])
})

test('Applications of Argo CD, and the objects of k3s and Cilium’s operator', () => {
  const object = (apiVersion: string, kind: string, spec: object) =>
    JSON.stringify({ apiVersion, kind, metadata: { name: 'r' }, spec })
  const source = { repoURL: 'https://helm.cilium.io', chart: 'cilium', targetRevision: '1.16.1' }
  expect(componentTexts(object('argoproj.io/v1alpha1', 'Application', { source }))).toEqual(['cilium agent 1.16.1'])
  expect(componentTexts(object('argoproj.io/v1alpha1', 'Application', { sources: [{ path: 'a' }, source] }))).toEqual([
    'cilium agent 1.16.1',
  ])
  const k3s = { repo: 'https://helm.cilium.io', chart: 'cilium/cilium', version: '1.16.1' }
  expect(componentTexts(object('helm.cattle.io/v1', 'HelmChart', k3s))).toEqual(['cilium agent 1.16.1'])
  const registry = { url: 'oci://quay.io/cilium/charts/cilium', ref: { tag: '1.18.1' } }
  expect(componentTexts(object('source.toolkit.fluxcd.io/v1', 'OCIRepository', registry))).toEqual([
    'cilium agent 1.18.1',
  ])
  expect(componentTexts(object('cilium.io/v1alpha1', 'CiliumConfig', { image: { tag: 'v1.13.2' } }))).toEqual([
    'cilium agent 1.13.2',
  ])
})

test.each([
  ['2.8.8', 'flux source-controller 2.8.8'],
  ['v2.8.8', 'flux source-controller 2.8.8'],
  ['2.8.x', 'flux source-controller 2.8.0'],
  ['2.8.*', 'flux source-controller 2.8.0'],
  ['2.x', 'flux source-controller undefined'],
  ['>=2.7.0', 'flux source-controller undefined'],
  ['latest', 'flux source-controller undefined'],
])('Flux %s of a FluxInstance, or of the chart that makes one', (version, expected) => {
  const distribution = { version }
  const object = (apiVersion: string, kind: string, spec: object) =>
    JSON.stringify({ apiVersion, kind, metadata: { name: 'flux' }, spec })
  const values = { instance: { distribution } }
  const chartRef = { kind: 'OCIRepository', name: 'flux-instance' }
  const chart = { spec: { chart: 'flux-instance', version: '0.27.0' } }
  for (const text of [
    object('fluxcd.controlplane.io/v1', 'FluxInstance', { distribution }),
    object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', { chartRef, values }),
    object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', { chart, values }),
  ])
    expect(componentTexts(text)).toEqual([expected])
  const registry = { url: 'oci://ghcr.io/controlplaneio-fluxcd/charts/flux-instance', ref: { tag: '0.27.0' } }
  expect(componentTexts(object('source.toolkit.fluxcd.io/v1', 'OCIRepository', registry))).toEqual([])
})

test('where workloads run a component, a release of its chart is not a second one', () => {
  const chart = { spec: { chart: 'cilium', version: '1.15.3' } }
  const metadata = { name: 'r', namespace: 'n' }
  const release = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: { chart } }
  const text = `${workload('quay.io/cilium/cilium:v1.15.3')}\n---\n${JSON.stringify(release)}`
  const snapshot = snapshotsOf(manifestsIn(text)).get('')
  expect(snapshot && componentsIn(snapshot).map(writtenAs)).toEqual(['quay.io/cilium/cilium:v1.15.3'])
})

test('a workload that is scaled to zero runs nothing', () => {
  const text = workload('calico/node:v3.20.0')
    .replace('"spec":{', '"spec":{"replicas":0,')
    .replace('DaemonSet', 'Deployment')
  expect(componentTexts(text)).toEqual([])
})

test('the facts name controllers and parts that there are', () => {
  for (const { name, parts, agree, charts } of componentFacts) {
    const names = parts.map((part) => part.name)
    expect([name, (agree?.parts ?? []).filter((part) => !names.includes(part))]).toEqual([name, []])
    for (const { controller, images } of parts) {
      if (controller) expect(controllerFactsOf(controller).images.length).toBeGreaterThan(0)
      else expect(images?.length).toBeGreaterThan(0)
    }
    expect(charts?.every((chart) => chart.name !== '') ?? true).toBe(true)
  }
})
