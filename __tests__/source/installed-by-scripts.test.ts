import { describe, expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const chart: Files = {
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/values.yaml': 'host: ""\ntls: true\n',
  'charts/web/templates/ingress.yaml': `{{- if .Values.host }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: {{ .Release.Namespace }}}
spec:
  {{- if .Values.tls }}
  tls: [{hosts: [{{ .Values.host }}], secretName: web-tls}]
  {{- end }}
  rules: [{host: {{ .Values.host }}}]
{{- end }}
`,
}
const values = (tls: boolean, host = 'web.example.com') => `host: ${host}\ntls: ${tls}\n`
const stages: Files = { 'env/prod/web.yaml': values(true), 'env/test/web.yaml': values(true, 'test.example.com') }

async function judged(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', [...newestVersions])
  return findings
    .filter(({ status, rule }) => status === 'introduced' && rule !== 'ingress-tls/secret-provided')
    .map(({ level, rule, cluster, object, location: { path } }) =>
      [level, rule, path, `${object?.namespace}/${object?.name}`, cluster].join(' '),
    )
}

const workflow = `jobs:
  deploy:
    steps:
      - run: |
          helm upgrade web \${{ github.workspace }}/charts/web --wait \\
            --namespace shop -f env/\${{ inputs.stage }}/web.yaml
`

const cut = { 'env/prod/web.yaml': values(false) }
const found = (namespace: string) =>
  `error ingress-tls/tls-kept env/prod/web.yaml ${namespace}/web charts/web:env/prod/web.yaml`

describe('a chart that a script installs', () => {
  test.each<[string, string, string, string]>([
    ['deploy.sh', 'helm upgrade --install web charts/web -n shop -f env/prod/web.yaml\n', 'shop', 'names its values'],
    [
      'Makefile',
      'up:\n\t@helm upgrade -i web ./charts/web \\\n\t  --values=env/$(STAGE)/web.yaml\n',
      'default',
      'has a variable',
    ],
    ['.github/workflows/deploy.yml', workflow, 'shop', 'has expressions'],
    ['env/up.sh', 'helm install web ../charts/web -f "prod/web.yaml"\n', 'default', 'is in the folder of the values'],
  ])('is rendered with the values of %s: %s', async (script, text, namespace) => {
    expect(await judged({ ...chart, ...stages, [script]: text }, cut)).toEqual([found(namespace)])
  })

  test('is rendered for a stage that the change adds', async () => {
    const script = { 'deploy.sh': 'helm upgrade web charts/web -f env/$STAGE/web.yaml\n' }
    const added = { 'env/next/web.yaml': 'host: Next_Shop\n' }
    expect(await judged({ ...chart, ...stages, ...script }, added)).toContainEqual(
      expect.stringContaining('env/next/web.yaml default/web charts/web:env/next/web.yaml'),
    )
  })

  test('is still rendered where the change takes the script', async () => {
    const script = { 'deploy.sh': 'helm upgrade web charts/web -f env/prod/web.yaml\n' }
    expect(await judged({ ...chart, ...stages, ...script }, { ...cut, 'deploy.sh': null })).toEqual([found('default')])
  })

  test('keeps its objects where its values move together with the line of the script', async () => {
    const script = (file: string) => ({ 'deploy.sh': `helm upgrade web charts/web -f ${file}\n` })
    const moved = { 'env/prod/web.yaml': null, 'live/web.yaml': values(true), ...script('live/web.yaml') }
    expect(await judged({ ...chart, ...stages, ...script('env/prod/web.yaml') }, moved)).toEqual([])
  })

  test('is not rendered with the values of another command on its line', async () => {
    const script = {
      'deploy.sh':
        'helm upgrade web charts/web -f env/test/web.yaml && \\\n  helm upgrade shop acme/shop -f env/prod/web.yaml\n',
    }
    expect(await judged({ ...chart, ...stages, ...script }, cut)).toEqual([
      'warning source/not-judged env/prod/web.yaml undefined/undefined ',
    ])
  })

  test('is rendered at most 40 times, and quickly where a word is long', async () => {
    const words = [...Array(50).keys()].map(
      (index) => `helm upgrade web charts/web -f environments/${index}/web.yaml\n`,
    )
    const many = Object.fromEntries(
      [...Array(50).keys()].map((index) => [`environments/${index}/web.yaml`, values(true)]),
    )
    const long = `helm upgrade web charts/web -f ${'$a'.repeat(100_000)}\n`
    const base = { ...chart, ...many, 'deploy.sh': long + words.join('') }
    const head = { 'environments/39/web.yaml': values(false), 'environments/40/web.yaml': values(false) }
    expect(await judged(base, head)).toEqual([
      'error ingress-tls/tls-kept environments/39/web.yaml default/web charts/web:environments/39/web.yaml',
      'warning source/not-judged environments/40/web.yaml undefined/undefined ',
    ])
  })

  test.each<[string, string]>([
    ['# helm upgrade web charts/web -f env/prod/web.yaml\n', 'a comment'],
    ['echo helm upgrade web charts/web -f env/prod/web.yaml\n', 'what it prints'],
    ['helm upgrade web charts/web -f env/$STAGE/$APP.yaml\n', 'two variables'],
    ['helm upgrade web charts/web -f "env/prod/$VALUES"\n', 'a variable that is the whole name'],
    ['helm upgrade web charts/web -f env/prod/web.yaml -f env/prod/secrets.yaml\n', 'a file that is not there'],
    ['helm upgrade web other/web -f env/prod/web.yaml\n', 'a chart from elsewhere'],
    ['helm upgrade web charts/web -f ../../env/prod/web.yaml\n', 'a file outside'],
  ])('is not rendered with the values of %j: %s', async (text) => {
    expect(await judged({ ...chart, ...stages, 'deploy.sh': text }, cut)).not.toContainEqual(found('default'))
  })
})
