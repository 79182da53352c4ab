import { expect, test } from '@jest/globals'
import { change, object, probe, url } from './probe'
import type { Files } from './repository'

const app = (name: string, path: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `spec:\n  project: default\n  destination: {namespace: shop}\n  source: {repoURL: ${url}, path: ${path}${more}}\n`,
  )
const chartWith = (template: string): Files => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/web.yaml': template,
})
const unparsable = chartWith('{{ if .Values.host }\n')
const failing = chartWith('{{ fail "no host" }}\n')
const broken = `${probe('web', 'covered.example.com')}  broken: [\n`
const known = (values: string, file = 'values') => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: edge, namespace: argocd}
spec:
  project: default
  destination: {namespace: edge}
  sources:
    - repoURL: https://kubernetes.github.io/ingress-nginx
      chart: ingress-nginx
      targetRevision: 4.12.1
      helm: {valueFiles: [$values/${file}.yaml]}
    - {repoURL: "${url}", ref: values}
${values}`

/** `introduced web/templates/web.yaml` for what cannot be read or rendered. */
async function faults(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule, level }) => rule.startsWith('source/') && level === 'error')
    .map(({ status, location }) => `${status} ${location.path}`)
}

test.each<[what: string, base: Files, head: Files, path: string]>([
  [
    'a chart that does not parse, in a new release',
    { ...unparsable, 'one.yaml': app('one', 'web') },
    { 'two.yaml': app('two', 'web') },
    'web/templates/web.yaml',
  ],
  [
    'a chart that fails, in a release of another name',
    { ...failing, 'one.yaml': app('one', 'web') },
    { 'one.yaml': app('two', 'web') },
    'web/templates/web.yaml',
  ],
  [
    'a broken component of a new Kustomization',
    { 'a/kustomization.yaml': 'resources: [none.yaml]\n', 'a.yaml': app('a', 'a') },
    { 'b/kustomization.yaml': 'resources: [../a]\n', 'b.yaml': app('b', 'b') },
    'a/kustomization.yaml',
  ],
  ['a file that is edited', { 'web.yaml': broken }, { 'web.yaml': `# edited\n${broken}` }, 'web.yaml'],
  [
    'values that are edited',
    { 'edge.yaml': known(''), 'values.yaml': 'a: [\n' },
    { 'values.yaml': '# edited\na: [\n' },
    'values.yaml',
  ],
])('%s, is no fault of the change', async (_, base, head, path) => {
  expect([...new Set(await faults(base, head))]).toEqual([`existing ${path}`])
})

test.each<[what: string, base: Files, head: Files, path: string]>([
  [
    'a release that rendered before',
    {
      ...chartWith('{{ if .Values.down }}{{ fail "no" }}{{ end }}\n'),
      'a.yaml': app('a', 'web', ', helm: {values: "down: true"}'),
      'b.yaml': app('b', 'web'),
    },
    { 'b.yaml': app('b', 'web', ', helm: {values: "down: true"}') },
    'web/templates/web.yaml',
  ],
  [
    'a new release that lacks a value',
    { ...failing, 'one.yaml': app('one', 'web') },
    { 'two.yaml': app('two', 'web') },
    'web/templates/web.yaml',
  ],
  [
    'a second fault',
    { 'web.yaml': broken },
    { 'web.yaml': `${broken}---\n${broken.replace('web', 'api')}` },
    'web.yaml',
  ],
])('%s is one', async (_, base, head, path) => {
  expect(await faults(base, head)).toContain(`introduced ${path}`)
})
