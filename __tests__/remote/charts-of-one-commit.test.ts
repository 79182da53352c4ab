import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import { changeOnline, introduced, states } from './charts'

const chartIn = (folder: string, name: string) => ({
  [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`,
  [`${folder}/templates/ingress.yaml`]: `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${name}}
spec:
  tls: [{hosts: [covered.${name}.example.com], secretName: ${name}}]
  rules: [{host: covered.${name}.example.com}, {host: "{{ .Values.exposed }}.${name}.example.com"}]
`,
})

let git: GitServer
let url: string
beforeAll(async () => {
  git = await GitServer.start()
  url = `${git.url}/charts`
  const served = new ServedRepository(path.join(git.root, 'charts'))
  served.commit({ ...chartIn('charts/api', 'api'), ...chartIn('charts/web', 'web'), ...chartIn('parts/web', 'part') })
  served.git('tag', 'v1')
  served.commit({ '.sourceignore': '/charts/web/templates/\n' })
  served.git('tag', 'v2')
})
afterAll(() => git.close())

/** A HelmRelease of a folder of the repository: its value is in line 10. */
const release = (name: string, folder: string, exposed: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: shop}
spec:
  chart:
    spec:
      chart: ${folder}
      sourceRef: {kind: GitRepository, name: charts}
  values:
    exposed: ${exposed}
  interval: 1h
`
const releases = (exposed: string) => ({
  'api.yaml': release('api', './charts/api', exposed),
  'part.yaml': release('part', 'parts/web', exposed),
  'web.yaml': release('web', './charts/web', exposed),
})

const sourceOf = (spec: string) => `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: charts, namespace: shop}
spec:
  interval: 1h
  url: ${url}
${spec}`
const files = (spec: string) => ({
  '.github/ingress-guard.yaml': `format: 1\nnetwork: {git: [${JSON.stringify(url)}]}\n`,
  'source.yaml': sourceOf(spec),
  'web.yaml': release('web', './charts/web', 'covered'),
})

test.each([
  ['`ignore` of its GitRepository', '  ref: {tag: v1}\n  ignore: |\n    /charts/web/templates/\n'],
  ['a .sourceignore above the chart', '  ref: {tag: v2}\n'],
])('a template goes that %s leaves out', async (_, spec) => {
  const report = await changeOnline(files('  ref: {tag: v1}\n'), { 'source.yaml': sourceOf(spec) })
  expect(report.inspected.changes).toEqual({ added: 0, changed: 1, removed: 1 })
})

test('releases of several folders of one commit each get the chart of their own folder', async () => {
  const base = { ...files('  ref: {tag: v1}\n'), ...releases('covered') }
  const report = await changeOnline(base, releases('open'))
  expect(states(report)).toEqual(['api.yaml judged', 'part.yaml judged', 'web.yaml judged'])
  expect(introduced(report)).toEqual([
    'error head/api.yaml:10 ingress-tls/host-covered',
    'error head/part.yaml:10 ingress-tls/host-covered',
    'error head/web.yaml:10 ingress-tls/host-covered',
  ])
  expect(report.findings.map(({ text }) => text.match(/lists (\S+?),/)?.[1])).toEqual([
    'open.api.example.com',
    'open.part.example.com',
    'open.web.example.com',
  ])
})
