import { describe, expect, test } from '@jest/globals'
import { minVersion } from 'semver'
import type { Finding } from '../../src/finding/report'
import { matrixRows } from '../../src/kubernetes/versions/matrix-facts'
import { judge } from '../harness'

/** A workload that runs an image, and a release of a chart. */
const daemonSet = (container: string, image: string) => (version: string) =>
  `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: ${container}, namespace: kube-system}\nspec: {template: {spec: {containers: [{name: ${container}, image: "${image}:v${version}"}]}}}\n`
const helmRelease = (chart: string) => (version: string) =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${chart}, namespace: kube-system}\nspec: {chart: {spec: {chart: ${chart}, version: ${version}, sourceRef: {kind: HelmRepository, name: ${chart}}}}}\n`

const images = {
  calico: daemonSet('calico-node', 'quay.io/calico/node'),
  cilium: daemonSet('cilium-agent', 'quay.io/cilium/cilium'),
  'ingress-nginx': daemonSet('controller', 'registry.k8s.io/ingress-nginx/controller'),
}

async function found(text: string, kubernetes: string, rule: string): Promise<readonly Finding[]> {
  const guard = `format: 1\nclusters: {here: {paths: ["**"], kubernetes: "${kubernetes}"}}\n`
  return (await judge({ head: { 'a.yaml': text }, guard }, rule)).findings.filter((finding) => finding.rule === rule)
}

/** The version that a message advises: one alone. */
function advised(text: string): string | undefined {
  const versions = [
    ...text.matchAll(
      /(?:[Uu]se|Upgrade to) (?:version (\d[\d.]*\d) of the \w+|(?!Kubernetes)[A-Za-z -]+ (\d[\d.]*\d))/g,
    ),
  ]
  expect(versions.length).toBeLessThan(2)
  return versions.flatMap(([, one, other]) => one ?? other ?? [])[0]
}

describe.each(Object.entries(images))('%s', (component, written) => {
  const rows = matrixRows.filter((row) => row.component === component && row.requires?.kubernetes && !row.when)
  const releases = [...new Set(rows.flatMap(({ versions }) => minVersion(versions)?.version ?? []))]
  const kubernetes = ['1.21', '1.25', '1.29', '1.33', '1.35']
  const cases = releases.flatMap((release) => kubernetes.map((one) => [release, one] as const))

  test.each(cases)('%s on Kubernetes %s: the release that is advised is enough', async (release, version) => {
    const text = written(release)
    for (const finding of await found(text, version, 'version-matrix/kubernetes-supported')) {
      const better = advised(finding.text)
      if (better === undefined) continue
      expect(await found(written(better), version, 'version-matrix/kubernetes-supported')).toEqual([])
      const defects = await found(written(better), version, 'version-matrix/known-defect')
      // Of ingress-nginx no release gets fixes.
      const ended = component === 'ingress-nginx' ? [] : defects.filter(({ message }) => message === 'ended')
      expect(ended).toEqual([])
    }
  })
})

test.each(['4.7.0', '4.11.4', '4.12.0', '4.13.0'])(
  'ingress-nginx chart %s: the chart that is advised has none of the defects',
  async (version) => {
    const write = helmRelease('ingress-nginx')
    const [before] = (await found(write(version), '1.31', 'version-matrix/known-defect')).filter(
      ({ message }) => message !== 'ended',
    )
    expect(before?.text).toMatch(/Upgrade to version 4\.\d+\.\d+ of the chart \(ingress-nginx 1\.\d+\.\d+\)/)
    const better = advised(before?.text ?? '')
    const after = await found(write(better ?? ''), '1.31', 'version-matrix/known-defect')
    const left = after.filter(({ message }) => message !== 'ended').flatMap(({ keys }) => keys.slice(1))
    const unfixed = before?.text.match(/no release fixes (.*) yet/)?.[1] ?? ''
    expect(left.filter((id) => before?.keys.includes(id) && !unfixed.includes(id))).toEqual([])
  },
)

test('Calico is not advised to a line that gets no fixes', async () => {
  const [finding] = await found(images.calico('3.26.0'), '1.31', 'version-matrix/kubernetes-supported')
  expect(finding?.text).not.toContain('3.30.0')
})
