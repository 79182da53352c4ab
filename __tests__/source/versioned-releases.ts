import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import { places, tool } from './rendered'
import type { Files } from './repository'

const config = '.github/ingress-guard.yaml'
const served = 'version-matrix/api-served'

/** A budget whose apiVersion a template chooses. */
const budget = (apiVersion: string) =>
  `apiVersion: ${apiVersion}\nkind: PodDisruptionBudget\nmetadata:\n  name: web\nspec:\n  minAvailable: 1\n`
const chart = (apiVersion: string): Files => ({
  'prod/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\nkubeVersion: ">=1.20.0"\n',
  'prod/web/templates/budget.yaml': budget(apiVersion),
})
const cluster = (kubernetes: string): Files => ({
  [config]: `format: 1\nclusters:\n  prod: {kubernetes: "${kubernetes}"}\n`,
})
const byVersion =
  '{{ if semverCompare "<1.25-0" .Capabilities.KubeVersion.Version }}policy/v1beta1{{ else }}policy/v1{{ end }}'
const byServed = '{{ if .Capabilities.APIVersions.Has "policy/v1beta1" }}policy/v1beta1{{ else }}policy/v1{{ end }}'

const application = object(
  'argoproj.io/v1alpha1',
  'Application',
  'web',
  'argocd',
  `spec:\n  destination: {namespace: shop}\n  source: {repoURL: ${url}, path: prod/web}\n`,
)
const hidden = `{{- if semverCompare ">=1.25-0" .Capabilities.KubeVersion.Version }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  tls:
    - hosts: [a.example.com]
  rules:
    - host: b.example.com
{{- end }}
`

/** Releases whose charts ask for the Kubernetes of their cluster, rendered with a helm. */
export function versionedReleases(helm: string): void {
  async function judge(base: Files, head: Files) {
    return checkOpened(
      opened(base, head, url),
      '--helm',
      tool(helm),
      '--policy',
      'version-matrix@1.0.0',
      'ingress-tls@1.0.0',
    )
  }
  const judgeChart = (declared: Files, apiVersion: string) =>
    judge({ ...declared, ...chart('policy/v1') }, chart(apiVersion))

  test('a chart is rendered for the Kubernetes of its cluster', async () => {
    expect(places(await judgeChart(cluster('1.24.9'), byVersion))).toEqual([
      `warning head/prod/web/templates/budget.yaml:1 template ${served}`,
    ])
    expect(places(await judgeChart(cluster('v1.29.4-eks-a737599'), byVersion))).toEqual([])
  })

  test('a change of the declared version renders what it touches anew', async () => {
    const old = { ...cluster('1.24.9'), ...chart('policy/v1beta1') }
    const noted = 'notice head/.github/ingress-guard.yaml:3 exact config/changed'
    expect(places(await judge(old, cluster('1.25.3')))).toEqual([noted, `head/${config}:3 exact ${served}`])
    expect(places(await judge({ ...old, ...chart(byVersion) }, cluster('1.25.3')))).toEqual([noted])
  })

  test.each([
    ['found', {}],
    ['named', { 'prod/application.yaml': application }],
  ])('a version that is not true hides nothing of a chart that is %s', async (_, named) => {
    const base = { ...cluster('1.29.4'), ...chart('policy/v1'), ...named }
    const report = await judge(base, { ...cluster('1.22.0'), 'prod/web/templates/ingress.yaml': hidden })
    expect(places(report)).toContain('head/prod/web/templates/ingress.yaml:10 template ingress-tls/host-covered')
  })

  test('the version that a release declares goes first', async () => {
    const release = 'helm: [{chart: prod/web, release: web, namespace: web, cluster: prod, kubeVersion: "1.22.0"}]\n'
    const both = { [config]: `${cluster('1.29.4')[config]}${release}` }
    expect(places(await judgeChart(both, byVersion))).toEqual([
      `head/prod/web/templates/budget.yaml:1 template ${served}`,
    ])
  })

  test('an answer that helm gave for the cluster is no finding, and is listed', async () => {
    const report = await judgeChart(cluster('1.29.4'), byServed)
    expect(places(report)).toEqual([])
    expect(report.inspected.skipped).toContainEqual({
      path: 'prod/web/templates/budget.yaml',
      reason: expect.stringContaining(
        'its chart chooses policy/v1beta1 by the capabilities of the cluster, and helm rendered it without a cluster',
      ),
    })
  })
}
