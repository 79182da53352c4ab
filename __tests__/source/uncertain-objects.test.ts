import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { around, elsewhere } from './asking-charts'
import { opened } from './in-memory'
import { released as base, change, object, release, role, url } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

const kept = 'protected-rbac/object-kept'
const atCondition = [`head/c/templates/role.yaml:1 template ${kept}`]

describe('a protected role that another answer of the cluster takes away', () => {
  const conditions = [
    'if not (lookup "v1" "Namespace" "" "kube-system")',
    'if (lookup "v1" "ConfigMap" .Release.Namespace "x").data',
    'if le .Release.Revision 1',
  ]
  test.each(conditions)('%s', async (condition) => {
    const report = await change(base, { 'c/templates/role.yaml': around(condition) })
    expect(places(report)).toEqual(atCondition)
  })

  test.each(elsewhere.slice(0, 1))('%s', async (_, files, place) => {
    const report = await change(base, files)
    expect(places(report).map((one) => one.replace(/:(\d+) \w+ /, ':$1 template '))).toEqual([`${place} ${kept}`])
  })

  describe('with two releases that have it', () => {
    const [lookup, revision] = ['if not (lookup "v1" "Namespace" "" "a")', 'if eq .Release.Revision 1']
    const two: Files = {
      ...base,
      'd/Chart.yaml': 'apiVersion: v2\nname: d\nversion: 1.0.0\n',
      'd/values.yaml': 'enabled: true\n',
      'd/templates/role.yaml': role,
      'other.yaml': release().replace('name: web', 'name: other').replace('./c', './d'),
      'c/templates/role.yaml': role,
    }
    const ofRules = async (files: Files) => places(await change(two, files)).map((one) => one.replace(/:.* /, ' '))

    test('each under another answer: neither keeps it for the other', async () => {
      const found = await ofRules({
        'c/templates/role.yaml': around(lookup),
        'd/templates/role.yaml': around(revision),
      })
      expect([...new Set(found)].sort()).toEqual([
        `head/c/templates/role.yaml ${kept}`,
        `head/d/templates/role.yaml ${kept}`,
      ])
    })

    test('one of them: the other keeps it', async () => {
      expect(await ofRules({ 'c/templates/role.yaml': around(lookup), 'd/values.yaml': 'enabled: 1\n' })).toEqual([])
    })
  })

  test('and a finding that is there with each answer is one, also where an answer changes what else it reads', async () => {
    const controller = (version: string) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: controller, namespace: edge}\nspec:\n  template:\n    metadata: {annotations: {found: {{ lookup "v1" "Secret" "a" "b" | empty | quote }}}}\n    spec:\n      containers:\n        - name: controller\n          image: registry.k8s.io/ingress-nginx/controller:${version}\n          args: [/nginx-ingress-controller, --configmap=edge/controller, --publish-service=edge/controller]\n`
    const map =
      '---\n{{ if not (lookup "v1" "Secret" "a" "b") }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: controller, namespace: edge}\ndata: {allow-snippet-annotations: "false"}\n{{ end }}\n'
    const before = { ...base, 'c/templates/controller.yaml': `${controller('v1.15.1')}${map}` }
    const after = { 'c/templates/controller.yaml': `${controller('v1.10.1')}${map}` }
    const report = await checkOpened(opened(before, after, url), '--policy', 'version-matrix@1.1.0')
    const defects = report.findings.filter(
      ({ rule, message }) => rule === 'version-matrix/known-defect' && message === 'severe',
    )
    expect(defects.map(({ status, related }) => [status, related.length])).toEqual([['introduced', 1]])
  })

  test('what a rule reads of an object: the hosts of its TLS', async () => {
    const ingress = (tls: string) =>
      object(
        'networking.k8s.io/v1',
        'Ingress',
        'web',
        '',
        `spec:\n  tls:\n    - secretName: web\n      hosts:\n        - a.example.com\n${tls}  rules:\n    - host: a.example.com\n    - host: b.example.com\n`,
      )
    const host = '        - b.example.com\n'
    const report = await change(
      { ...base, 'c/templates/ingress.yaml': ingress(host) },
      { 'c/templates/ingress.yaml': ingress(`{{- if not (lookup "v1" "Secret" "a" "b") }}\n${host}{{- end }}\n`) },
    )
    expect(places(report)).toEqual(['head/c/templates/ingress.yaml:10 template ingress-tls/host-covered'])
  })
})

describe('stays silent', () => {
  const condition = 'if not (lookup "v1" "Namespace" "" "a")'
  const cases: [what: string, before: Files, after: Files][] = [
    [
      'where the condition was there before',
      { 'c/templates/role.yaml': around(condition) },
      {
        'c/templates/role.yaml': around(condition).replace('rules: []', 'rules: [] # edited'),
        'c/values.yaml': 'enabled: 1\n',
      },
    ],
    [
      'where a role that is not protected gets a condition',
      { 'c/templates/other.yaml': role.replace('system:', 'team:') },
      { 'c/templates/other.yaml': around(condition, role.replace('system:', 'team:')) },
    ],
    [
      'where passwords and certificates are generated',
      {},
      {
        'c/templates/secret.yaml':
          '{{- $old := lookup "v1" "Secret" .Release.Namespace "web" }}\n{{- $ca := genCA "ca" 365 }}\napiVersion: v1\nkind: Secret\nmetadata: {name: web}\ndata:\n  password: {{ if $old }}{{ index $old.data "password" }}{{ else }}{{ randAlphaNum 20 | b64enc }}{{ end }}\n  ca: {{ $ca.Cert | b64enc }}\n',
      },
    ],
    [
      'where an extension is asked for',
      {},
      {
        'c/templates/monitor.yaml': around(
          'if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1"',
          object('monitoring.coreos.com/v1', 'ServiceMonitor', 'web', '', 'spec: {selector: {}}\n'),
        ),
      },
    ],
    [
      'where a version chooses an API that every known cluster has',
      {},
      {
        'c/templates/budget.yaml': `{{- if semverCompare ">=1.21-0" .Capabilities.KubeVersion.Version }}\napiVersion: policy/v1\n{{- else }}\napiVersion: policy/v1beta1\n{{- end }}\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {minAvailable: 1}\n`,
      },
    ],
    [
      'where the chart says which versions it can be installed on',
      {},
      {
        'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\nkubeVersion: ">=1.25.0-0"\n',
        'c/templates/role.yaml': around('if semverCompare ">=1.25-0" .Capabilities.KubeVersion.Version'),
      },
    ],
    [
      'where a comment or a text speaks of it',
      {},
      { 'c/templates/role.yaml': `{{/* lookup and randAlphaNum */}}\n# {{ "lookup" }} now\n${role}` },
    ],
  ]
  test.each(cases)('%s', async (_, before, after) => {
    const { findings } = await change({ ...base, ...before }, after)
    expect(findings.filter(({ status }) => status === 'introduced')).toEqual([])
  })

  test('where Argo CD renders: lookup finds nothing, and every revision is the first', async () => {
    const application = object(
      'argoproj.io/v1alpha1',
      'Application',
      'web',
      'argocd',
      `spec:\n  project: default\n  destination: {namespace: shop}\n  source: {repoURL: ${url}, path: c}\n`,
    )
    const all = { ...base, 'web.yaml': application }
    const judged = async (one: string) => places(await change(all, { 'c/templates/role.yaml': around(one) }))
    expect(await judged(condition)).toEqual([])
    expect(await judged('if eq (int .Release.Revision) 1')).toEqual([])
    expect(await judged('if ne (randAlphaNum 1) "q"')).toEqual(atCondition)
    expect(await judged('if not (.Capabilities.APIVersions.Has "a.example.com/v1")')).toEqual(atCondition)
  })
})
