import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { change, chart, hostsOf, object, url } from './probe'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** An Application as JSON, for a spelling of its apiVersion and kind. */
const spec = `spec:\n  source: {repoURL: "${url}", path: charts/edge, helm: {valuesObject: {host: a.example.com}}}\n  destination: {namespace: shop}\n`
const rest = `metadata: {name: web, namespace: argocd}\n${spec}`
const asJson = {
  metadata: { name: 'web', namespace: 'argocd' },
  spec: {
    source: { repoURL: url, path: 'charts/edge', helm: { valuesObject: { host: 'a.example.com' } } },
    destination: { namespace: 'shop' },
  },
}
const json = JSON.stringify(asJson).slice(1, -1)

describe('an Application is found', () => {
  test.each<[what: string, text: string | Buffer]>([
    ['by an escape in its apiVersion', `apiVersion: "argoproj.io\\x2fv1alpha1"\nkind: Application\n${rest}`],
    ['by an escape in each', `apiVersion: "\\u0061rgoproj.io/v1alpha1"\nkind: "\\U00000041pplication"\n${rest}`],
    ['by escapes in its keys', `"\\x61piVersion": "argoproj.io\\x2fv1alpha1"\n"\\u006bind": Application\n${rest}`],
    ['over the end of a line', `apiVersion: "argo\\\n  proj.io/v1alpha1"\nkind: Application\n${rest}`],
    ['in base64', `apiVersion: !!binary YXJnb3Byb2ouaW8vdjFhbHBoYTE=\nkind: Application\n${rest}`],
    [
      'in base64 by the full tag',
      `apiVersion: !<tag:yaml.org,2002:binary> YXJnb3Byb2ouaW8vdjFhbHBoYTE=\nkind: Application\n${rest}`,
    ],
    ['by an alias', `x: &it argoproj.io/v1alpha1\napiVersion: *it\nkind: Application\n${rest}`],
    ['by a merge key', `x: &it {apiVersion: argoproj.io/v1alpha1, kind: Application}\n<<: *it\n${rest}`],
    ['in a block', `apiVersion: >-\n  argoproj.io/v1alpha1\nkind: |-\n  Application\n${rest}`],
    ['with marked keys', `? apiVersion\n: argoproj.io/v1alpha1\n? kind\n: Application\n${rest}`],
    [
      'as the second of a key',
      `apiVersion: v1\n"api\\x56ersion": argoproj.io/v1alpha1\nkind: ConfigMap\n"kind": Application\n${rest}`,
    ],
    ['in JSON', `{"apiVersion":"argoproj.io\\u002fv1alpha1","kind":"\\u0041pplication",${json}}`],
    ['in UTF-16', Buffer.from(`\ufeffapiVersion: "argoproj.io\\x2fv1alpha1"\nkind: Application\n${rest}`, 'utf16le')],
    [
      'in a list',
      `apiVersion: v1\nkind: List\nitems:\n  - {"apiVersion": "argoproj\\x2eio/v1alpha1", "kind": "Application", ${json}}\n`,
    ],
    [
      'behind another document',
      `kind: Nothing\n---\napiVersion: "\\x61rgoproj.io/v1alpha1"\nkind: Application\n${rest}`,
    ],
  ])('%s', async (_, text) => {
    expect(await hostsOf({ ...chart, 'app.yaml': text })).toContain('shop/web a.example.com')
  })
})

describe('and is not', () => {
  test.each([
    ['where its group only ends like it', `apiVersion: notargoproj.io/v1alpha1\nkind: Application\n${rest}`],
    [
      'where it is said in a comment',
      `# argoproj.io/v1alpha1\napiVersion: app.k8s.io/v1beta1\nkind: Application\n${rest}`,
    ],
    [
      'where it is said in an escaped text',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: "argoproj.io\\x2fv1"}\n`,
    ],
  ])('%s', async (_, text) => {
    expect(await hostsOf({ ...chart, 'app.yaml': text })).toEqual([])
  })
})

const gitRepository = 'sourceRef: {kind: GitRepository, name: here}'
const release = object(
  'helm.toolkit.fluxcd.io/v2',
  'HelmRelease',
  'web',
  'shop',
  `spec:\n  chart: {spec: {chart: ./charts/edge, ${gitRepository}}}\n  valuesFrom: [{kind: ConfigMap, name: web-values}]\n`,
)

test.each<[what: string, text: string]>([
  [
    'as JSON',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web-values","namespace":"shop"},"data":{"values.yaml":"host: a.example.com"}}',
  ],
  [
    'with escapes',
    'apiVersion: v1\nkind: "Config\\x4dap"\nmetadata: {name: "web\\x2dvalues", namespace: shop}\ndata: {values.yaml: "host: a.example.com"}\n',
  ],
])('a HelmRelease takes values of a ConfigMap %s', async (_, text) => {
  expect(await hostsOf({ ...chart, 'release.yaml': release, 'values.yaml': text })).toEqual(['shop/web a.example.com'])
})

/** Two Ingresses that claim one host clash, whichever comes second. */
const claims = (name: string, at = { kind: 'Ingress', host: 'a.example.com' }) =>
  `apiVersion: networking.k8s.io/v1\nkind: ${at.kind}\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  ingressClassName: nginx\n  rules:\n    - host: ${at.host}\n      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: ${name}, port: {number: 80}}}}]}\n`

test.each<[what: string, files: Files]>([
  ['with its host escaped', { 'old.yaml': claims('old', { kind: 'Ingress', host: '"a\\x2eexample.com"' }) }],
  ['with its kind escaped', { 'old.yaml': claims('old', { kind: '"Ing\\u0072ess"', host: 'a.example.com' }) }],
  [
    'with its kind as the second of a key',
    { 'old.yaml': claims('old').replace('kind: Ingress', 'kind: Other\n"kind": Ingress') },
  ],
  [
    'with its keys escaped',
    { 'old.yaml': claims('old').replace('apiVersion', '"api\\x56ersion"').replace('kind', '"k\\x69nd"') },
  ],
  [
    'with its host escaped, in a Kustomization',
    {
      'old/old.yaml': claims('old', { kind: 'Ingress', host: '"a\\x2eexample.com"' }),
      'old/kustomization.yaml': 'resources: [old.yaml]\n',
    },
  ],
  [
    'with its kind escaped, in a Kustomization',
    {
      'old/old.yaml': claims('old', { kind: '"\\x49ngress"', host: 'a.example.com' }),
      'old/kustomization.yaml': 'resources: [old.yaml]\n',
    },
  ],
])('an Ingress that the change leaves alone is compared, %s', async (_, files) => {
  const report = await judgeChange(files, { 'new.yaml': claims('new') }, 'helm', ['ingress-tls@1.2.0'])
  expect(lines(report)).toContain('introduced warning head/new.yaml:8 ingress-tls/host-unique')
})

test.each([
  [
    'a second document that is',
    'resources: [web.yaml]\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n',
  ],
  ['a comment that says so', '# not\n# apiVersion: kustomize.toolkit.fluxcd.io/v1\nresources: [web.yaml]\n'],
])('a Kustomization is not taken for one of Flux by %s', async (_, text) => {
  const ingress = object(
    'networking.k8s.io/v1',
    'Ingress',
    'web',
    '',
    'spec:\n  tls: [{hosts: [b.example.com], secretName: b}]\n  rules: [{host: a.example.com}]\n',
  )
  const { inspected } = await change({}, { 'k/kustomization.yaml': text, 'k/web.yaml': ingress })
  expect(inspected.tools.map(({ name }) => name)).toEqual(['kubectl'])
})
