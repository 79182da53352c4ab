import { expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const schema = '{"type": "object", "required": ["host"], "properties": {"host": {"type": "string"}}}'
const service = (name: string) => `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {selector: {app: web}, ports: [{port: 80}]}
`
const web: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': '{}\n',
  'web/values.schema.json': schema,
  'web/templates/service.yaml': service('web'),
  'web/templates/ingress.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules:
    - host: {{ .Values.host | quote }}
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
`,
}
const renamed: Files = { 'web/templates/service.yaml': service('shop') }

async function introduced(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', [...newestVersions])
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, rule, message, location: { path }, text }) => `${level} ${rule} ${message} ${path} ${text}`)
}

test('a chart whose own values do not meet its schema is rendered without it', async () => {
  expect(await introduced(web, renamed)).toEqual([
    expect.stringContaining(
      'warning controller-scope/backend-resolves removed web/templates/service.yaml This change removes Service default/web, to which Ingress default/web still sends requests',
    ),
  ])
})

test('values that come to miss the schema are an error of the change', async () => {
  const before: Files = { ...web, 'web/values.yaml': 'host: web.example.com\n' }
  expect(await introduced(before, { 'web/values.yaml': 'host: 80\n' })).toEqual([
    expect.stringMatching(
      /^error source\/unrendered unrendered web\/\S+ Helm cannot render it: values don't meet the spec/,
    ),
  ])
})

test('a known release that its chart refuses is not rendered', async () => {
  const release: Files = {
    'apps/web.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  source: {repoURL: https://github.com/acme/shop, path: web, targetRevision: HEAD}
  destination: {name: in-cluster, namespace: web}
`,
  }
  expect(await introduced({ ...web, ...release }, renamed)).not.toContainEqual(expect.stringContaining('removed'))
})
