import { describe, expect, test } from '@jest/globals'
import type { Files } from '../source/repository'
import { allowing, application, changeOnline, helmRelease, introduced, serveCharts, states } from './charts'

const role = (rule: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
  - ${rule}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects:
  - {kind: ServiceAccount, name: operator, namespace: ops}
`
const webhook = (policy: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: guard
webhooks:
  - name: pods.guard.example.com
    clientConfig: {service: {name: guard, namespace: ops}}
    failurePolicy: ${policy}
    rules:
      - {apiGroups: [""], apiVersions: ["*"], resources: [pods], operations: [CREATE, UPDATE]}
`
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: certificates.cert-manager.io
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {kind: Certificate, plural: certificates}
  versions:
    - {name: v1alpha1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
const className = (controller: string) => `apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: edge}
spec:
  controller: ${controller}
`
const settings =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {replicas: "{{ .Values.replicas }}"}\n'

const first = {
  'values.yaml': 'replicas: 1\npolicy: Ignore\n',
  'templates/role.yaml': role('{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}'),
  'templates/webhook.yaml': webhook('{{ .Values.policy }}'),
  'templates/definition.yaml': definition,
  'templates/class.yaml': className('example.com/edge'),
  'templates/settings.yaml': settings,
}
const { 'templates/definition.yaml': _, ...without } = first
const versions = {
  '1.0.0': first,
  '1.0.1': { ...first, 'templates/settings.yaml': settings.replace('settings', 'tuning') },
  '2.0.0': { ...first, 'templates/role.yaml': role('{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}') },
  '3.0.0': { ...first, 'templates/webhook.yaml': webhook('Fail') },
  '4.0.0': without,
  '5.0.0': { ...first, 'templates/class.yaml': className('example.com/other') },
  '2.1.0': {
    ...first,
    'templates/role.yaml': role('{apiGroups: [""], resources: [pods, secrets], verbs: [get, list, watch]}'),
  },
  '4.1.0': { ...first, 'templates/definition.yaml': definition.replace(/^.*v1alpha1.*\n/m, '') },
  '6.0.0': { ...first, 'templates/settings.yaml': '{{ fail "replicas was renamed to instances" }}' },
}

const charts = serveCharts({ ops: versions })

const users: Files = {
  'apps/old.yaml': 'apiVersion: cert-manager.io/v1alpha1\nkind: Certificate\nmetadata: {name: old, namespace: shop}\n',
  'apps/web.yaml': 'apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web, namespace: shop}\n',
  'apps/ingress.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  ingressClassName: edge
  tls: [{hosts: [web.example.com], secretName: web}]
  rules: [{host: web.example.com}]
`,
}
const flux = (version: string, values = 'replicas: 2\n'): Files => ({
  ...charts.used('flux/charts.yaml'),
  ...users,
  'flux/ops.yaml': helmRelease('ops', { chart: 'ops', version, values }),
})
const argo = (version: string, values = 'replicas: 2\n'): Files => ({
  ...allowing(charts.url),
  ...users,
  'flux/ops.yaml': application('ops', {
    chart: 'ops',
    version,
    repository: charts.url,
    values: `values: |\n  ${values}`,
  }),
})

const breaking = [
  ['2.0.0', 'warning', 'protected-rbac/not-widened'],
  ['2.1.0', 'warning', 'protected-rbac/secrets-withheld'],
  ['3.0.0', 'error', 'protected-rbac/webhook-scope'],
  ['4.0.0', 'error', 'protected-rbac/cluster-object-kept'],
  ['4.1.0', 'error', 'version-matrix/definition-serves'],
  ['5.0.0', 'error', 'controller-scope/class-kept'],
] as const

/** Policies with rules that no release has yet. */
const newest = ['--policy', 'controller-scope', 'protected-rbac@^1.3.0-rc.1', 'version-matrix@^1.1.0-rc.1']

const breakingRows: [string, ...{ aspect: string; object: string; goes: string[]; comes: string[] }[]][] = [
  ['1.0.1'],
  [
    '2.1.0',
    {
      aspect: 'role',
      object: 'ClusterRole operator',
      goes: [],
      comes: ['{apiGroups: [""], resources: [secrets], verbs: [get, list, watch]}'],
    },
  ],
  [
    '3.0.0',
    {
      aspect: 'webhook',
      object: 'ValidatingWebhookConfiguration guard, pods.guard.example.com',
      goes: ['fails open for all pods'],
      comes: ['fails closed for all pods'],
    },
  ],
  [
    '4.1.0',
    {
      aspect: 'definition',
      object: 'CustomResourceDefinition certificates.cert-manager.io',
      goes: ['v1alpha1'],
      comes: [],
    },
  ],
  [
    '5.0.0',
    {
      aspect: 'class',
      object: 'IngressClass edge',
      goes: ['controller example.com/edge'],
      comes: ['controller example.com/other'],
    },
  ],
]

describe.each([
  ['a HelmRelease', flux, 11, 17],
  ['an Application', argo, 12, 15],
] as const)('the version of the chart of %s', (_, filesOf, line, value) => {
  test.each(breaking)('that brings %s is reported at its line', async (version, level, rule) => {
    const report = await changeOnline(filesOf('1.0.0'), filesOf(version), ...newest)
    expect(introduced(report)).toEqual([`${level} head/flux/ops.yaml:${line} ${rule}`])
    expect(report.findings.find((one) => one.rule === rule)).toMatchObject({
      sources: [
        { kind: 'helm', path: 'ops', version: version === '4.0.0' ? '1.0.0' : version, repository: charts.url },
      ],
      rendered: { lines: expect.anything() },
    })
    expect(states(report)).toEqual(['flux/ops.yaml judged'])
  })

  test.each(breakingRows)('that brings %s has it in its table', async (version, ...rows) => {
    const { inspected } = await changeOnline(filesOf('1.0.0'), filesOf(version))
    expect(inspected.bumps).toEqual([
      {
        chart: 'ops',
        repository: charts.url,
        release: 'ops',
        namespace: 'ops',
        from: '1.0.0',
        to: version,
        path: 'flux/ops.yaml',
        rows,
        more: 0,
      },
    ])
  })

  test('that changes nothing which matters is silent', async () => {
    const report = await changeOnline(filesOf('1.0.0'), filesOf('1.0.1'))
    expect(introduced(report)).toEqual([])
    expect(report.verdict).toBe('pass')
  })

  test('that does not render is an error at its line', async () => {
    const report = await changeOnline(filesOf('1.0.0'), filesOf('6.0.0'))
    expect(introduced(report)).toEqual([`error head/flux/ops.yaml:${line} source/unrendered`])
    expect(report.findings[0]?.text).toContain('replicas was renamed to instances')
  })

  test('that the repository does not have is an error at its line', async () => {
    const report = await changeOnline(filesOf('1.0.0'), filesOf('9.9.9'))
    expect(introduced(report)).toEqual([`error head/flux/ops.yaml:${line} source/unrendered`])
    expect(report.findings[0]?.text).toMatch(/cannot be installed, here or in the cluster: .* ops 9\.9\.9/)
  })

  test('that the repository has as little as the one before is a warning at its line', async () => {
    const report = await changeOnline(filesOf('9.9.8'), filesOf('9.9.9'))
    expect(introduced(report)).toEqual([`warning head/flux/ops.yaml:${line} source/unrendered`])
    expect(report.findings[0]?.text).toMatch(/cannot be installed here: .* ops 9\.9\.9.*log in to it/)
  })

  test('is not blamed for what a value beside it does', async () => {
    const report = await changeOnline(filesOf('1.0.0'), filesOf('1.0.1', 'policy: Fail\n'))
    expect(introduced(report)).toEqual([`error head/flux/ops.yaml:${value} protected-rbac/webhook-scope`])
  })

  test('is not blamed for what was so before', async () => {
    const report = await changeOnline(filesOf('3.0.0'), filesOf('3.0.0', 'replicas: 3\n'))
    expect(introduced(report)).toEqual([])
    expect(report.inspected.changes).toMatchObject({ added: 0, changed: 2, removed: 0 })
  })
})
