import { expect, test } from '@jest/globals'
import { change, chart, object, release, released, url } from './probe'
import type { Files } from './repository'

const app = (source: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'web',
    'argocd',
    `spec:\n  project: default\n  destination: {namespace: shop}\n${more}${source}`,
  )
const own = (values: string, more = '') => `  source:
    repoURL: ${url}
    path: charts/edge
    helm:
${more}      valueFiles:
        - ${values}
`
const referring = (values: string, revision = 'HEAD') => `  sources:
    - repoURL: https://charts.example.com
      chart: web
      targetRevision: 1.0.0
      helm:
        valueFiles:
          - ${values}
    - repoURL: ${url}
      targetRevision: ${revision}
      ref: values
`
const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: webs, namespace: argocd}
spec:
  generators:
    - list: {elements: [{env: test}, {env: prod}]}
  template:
    metadata: {name: 'web-{{env}}'}
    spec:
      project: default
      destination: {namespace: shop}
      source:
        repoURL: ${url}
        path: charts/edge
        helm:
          valueFiles:
            - /envs/{{env}}.yaml
`
const flux = (values: string, more = '') =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'web',
    'shop',
    `spec:
  interval: 5m
  chart:
    spec:
      chart: ./c
      sourceRef: {kind: GitRepository, name: own}
${more}      valuesFiles:
        - ${values}
`,
  )
const bundle = (values: string, more = '') => `helm:\n  releaseName: web\n${more}  valuesFiles:\n    - ${values}\n`
const there: Files = { ...chart, ...released, 'envs/prod.yaml': 'a: 1\n', 'envs/test.yaml': 'a: 1\n' }

/** A chart that no known release has, and that makes an Application. */
const bootstrap = (values: string): Files => ({
  'bootstrap/Chart.yaml': 'apiVersion: v2\nname: bootstrap\nversion: 1.0.0\n',
  'bootstrap/values.yaml': 'path: ""\n',
  'bootstrap/templates/web.yaml': app(own(values)),
})

/** What is said of sources that cannot be rendered, and of files that are not there. */
async function said(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change({ ...there, ...base }, head)
  return findings
    .filter(({ rule, message }) => rule === 'source/unreadable' || ['file-missing', 'unrendered'].includes(message))
    .map(
      ({ status, level, location, text }) => `${status} ${level} ${location.path}:${location.region.startLine} ${text}`,
    )
}

test.each<[what: string, base: Files, head: Files, words: string]>([
  [
    'of an Application',
    {},
    { 'web.yaml': app(own('../../envs/qa.yaml')) },
    'web.yaml:14 Application argocd/web names ../../envs/qa.yaml (envs/qa.yaml), but there is no such file in this repository, so Argo CD fails to sync it, and the cluster keeps what it has. Correct the path, add the file, or set `ignoreMissingValueFiles: true` if it may be missing.',
  ],
  [
    'of an Application that is removed',
    { 'web.yaml': app(own('/envs/prod.yaml')) },
    { 'envs/prod.yaml': null },
    'web.yaml:14 Application argocd/web names /envs/prod.yaml (envs/prod.yaml), but this change removes the file',
  ],
  [
    'that helm-secrets decrypts',
    { 'web.yaml': app(own('secrets+age-import:///keys/age.txt?../../envs/prod.yaml')) },
    { 'envs/prod.yaml': null },
    'web.yaml:14 Application argocd/web names secrets+age-import:///keys/age.txt?../../envs/prod.yaml (envs/prod.yaml), but this change removes the file',
  ],
  [
    'that helm-secrets is to decrypt',
    {},
    { 'web.yaml': app(own('secrets://../../envs/qa.yaml')) },
    'web.yaml:14 Application argocd/web names secrets://../../envs/qa.yaml (envs/qa.yaml), but there is no such file in this repository, so helm-secrets fails, Argo CD cannot sync it, and the cluster keeps what it has. Correct the path, add the file, or write a question mark before the path (`secrets://?`) if it may be missing.',
  ],
  [
    'of a chart from elsewhere',
    { 'web.yaml': app(referring('$values/envs/prod.yaml')) },
    { 'envs/prod.yaml': null, 'envs/production.yaml': 'a: 1\n' },
    'web.yaml:15 Application argocd/web names $values/envs/prod.yaml (envs/prod.yaml), but this change removes the file, so Argo CD fails to sync it',
  ],
  [
    'that only a glob names',
    {},
    { 'web.yaml': app(referring('$values/envs/qa-*.yaml')) },
    'web.yaml:15 Application argocd/web names $values/envs/qa-*.yaml (envs/qa-*.yaml), but there is no such file in this repository, so Argo CD fails to sync it',
  ],
  [
    'of an Application of an ApplicationSet',
    { 'web.yaml': set },
    { 'envs/prod.yaml': null },
    'web.yaml:17 ApplicationSet argocd/webs names /envs/prod.yaml (envs/prod.yaml), but this change removes the file',
  ],
  [
    'of an Application that a chart makes',
    bootstrap('/envs/prod.yaml'),
    { 'envs/prod.yaml': null },
    'bootstrap/templates/web.yaml:1 Application argocd/web names /envs/prod.yaml (envs/prod.yaml), but this change',
  ],
  [
    'of a HelmRelease',
    { 'web.yaml': release() },
    { 'web.yaml': flux('envs/qa.yaml') },
    'web.yaml:13 HelmRelease shop/web names envs/qa.yaml, but there is no such file in this repository, so Flux cannot package its chart, and does not upgrade the release. Correct the path, which starts at the root',
  ],
  [
    'of a bundle',
    {},
    { 'charts/edge/fleet.yaml': bundle('qa.yaml') },
    'charts/edge/fleet.yaml:4 The release web names qa.yaml (charts/edge/qa.yaml), but there is no such file in this repository, so Fleet cannot read the bundle, and deploys nothing of it.',
  ],
  [
    'of a bundle of a chart from elsewhere',
    {},
    { 'web/fleet.yaml': bundle('qa.yaml', '  repo: https://charts.example.com\n  chart: web\n') },
    'web/fleet.yaml:6 The release web names qa.yaml (web/qa.yaml), but there is no such file',
  ],
  [
    'of a release of helmfile, of a chart of this repository',
    {},
    { 'helmfile.yaml': 'releases:\n  - name: web\n    chart: ./charts/edge\n    values:\n      - qa.yaml\n' },
    'helmfile.yaml:5 The release web names qa.yaml, but there is no such file in this repository, so helmfile fails',
  ],
])('a values file %s is missed once, at the line that names it', async (_, base, head, words) => {
  const found = await said(base, head)
  expect(found).toEqual([expect.stringContaining(`introduced error ${words}`)])
})

test.each<[what: string, base: Files, head: Files]>([
  ['that is there', {}, { 'web.yaml': app(own('../../envs/prod.yaml')) }],
  ['that a glob matches', {}, { 'web.yaml': app(referring('$values/env*/pro?.yaml')) }],
  ['that may be missing', {}, { 'web.yaml': app(own('a.yaml', '      ignoreMissingValueFiles: true\n')) }],
  ['that helm-secrets decrypts', {}, { 'web.yaml': app(own('secrets://../../envs/prod.yaml')) }],
  ['that helm-secrets passes over', {}, { 'web.yaml': app(own('secrets://?../../envs/qa.yaml')) }],
  ['of another backend of helm-secrets', {}, { 'web.yaml': app(own('secrets://sops!../../envs/prod.yaml')) }],
  ['that helm-secrets finds where it runs', {}, { 'web.yaml': app(own('secrets:///mounted/values.yaml')) }],
  ['of another branch', {}, { 'web.yaml': app(referring('$values/envs/qa.yaml', 'staging')) }],
  ['of a tag', {}, { 'web.yaml': app(referring('$values/envs/qa.yaml', 'v1.0.0')) }],
  ['with a variable', {}, { 'web.yaml': app(referring('$values/envs/$ARGOCD_APP_NAME.yaml')) }],
  ['of the chart', {}, { 'web.yaml': app(referring('values-prod.yaml')) }],
  ['of a supposed release, with a part that only real ones have', {}, bootstrap('/{{ .Values.path }}/qa.yaml')],
  ['that Flux passes over', {}, { 'web.yaml': flux('a.yaml', '      ignoreMissingValuesFiles: true\n') }],
  [
    'whose Application goes, too',
    { 'web.yaml': app(referring('$values/envs/prod.yaml')) },
    { 'web.yaml': null, 'envs/prod.yaml': null },
  ],
])('a values file %s is not missed', async (_, base, head) => {
  expect(await said(base, head)).toEqual([])
})

test('a values file that was not there before is known', async () => {
  const found = await said(
    { 'web.yaml': app(own('a.yaml')) },
    { 'web.yaml': `# edited\n${app(own('a.yaml'))}`, 'charts/edge/values.yaml': 'host: a.example.com\n' },
  )
  expect(found).toEqual([expect.stringMatching('^existing error web.yaml:15 Application argocd/web names a.yaml')])
})
