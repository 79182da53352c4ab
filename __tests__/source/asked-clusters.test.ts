import { describe, expect, test } from '@jest/globals'
import { apisOf, extensions, isOfKubernetes } from '../../src/kubernetes/versions/served-apis'
import { wordsIn } from '../../src/render/stub-cluster/chart-words'
import { openLoopback } from '../../src/render/stub-cluster/loopback'
import { answerOf, type StubCluster } from '../../src/render/stub-cluster/stub-api'
import { StubServer } from '../../src/render/stub-cluster/stub-server'
import { asking } from './asking-charts'
import { released as base, change, role } from './probe'
import { places } from './rendered'
import { temporaryFolder } from './repository'

const kept = 'protected-rbac/object-kept'

describe('a protected role goes by what helm asks of the cluster', () => {
  test.each(asking.slice(0, 3))('%s', async (_, files) => {
    expect(places(await change(base, files))).toEqual([
      expect.stringMatching(new RegExp(`^head/c/templates/role\\.yaml:\\d+ \\w+ ${kept}$`)),
    ])
  })

  test('and a chart that comes to refuse every cluster but the one that helm assumes is an error', async () => {
    const assumed = '{{ if ne .Capabilities.KubeVersion.Version "v1.35.0" }}{{ fail "no" }}{{ end }}\n'
    const report = await change(base, { 'c/templates/role.yaml': `${assumed}${role}` })
    expect(places(report)).toEqual(['head/c/templates/role.yaml:1 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(
      /^After this change, helm prints release shop\/web of c, but can neither install nor upgrade it in any cluster that was tried: its deployment fails\. Helm reports: execution error at \(c\/templates\/role\.yaml:1:58\): no\. /,
    )
  })

  test('and a schema that is elsewhere is no refusal', async () => {
    const asks = '{{ if lookup "v1" "Namespace" "" "shop" }}{{ end }}\n'
    const schema = '{"$ref": "https://schemas.example.com/values.json"}\n'
    const report = await change(base, {
      'c/values.schema.json': schema,
      'c/templates/role.yaml': `${asks}${role.replace('get', 'watch')}`,
    })
    expect(places(report).filter((place) => place.includes('unrendered'))).toEqual([])
  })

  test('and an answer that the chart refuses is an error, where the change brings it', async () => {
    const refusing = `{{- $found := lookup "v1" "ConfigMap" "a" "b" }}{{ if not $found }}\n${role}{{ else }}{{ required "no key" (index $found.data (printf "%s%s" "x" "yz")) }}{{ end }}\n`
    const report = await change(base, { 'c/templates/role.yaml': refusing })
    expect(places(report)).toContain('head/c/templates/role.yaml:1 exact source/unrendered')
  })
})

const cluster: StubCluster = {
  version: '1.33.0-eks-1',
  served: new Set(['v1/Secret', 'apps/v1/Deployment', 'cert-manager.io/v1/Certificate']),
  kinds: new Set(['Widget']),
  finds: (path) => path.endsWith('/kept'),
  found: { known: new Map([['["Secret","a","kept"]', { data: { own: 'eA==' } }]]), keys: ['key'], names: [] },
  release: { name: 'web', namespace: 'a', revision: 4, manifest: '' },
}

describe('a cluster that is served to helm', () => {
  test('has a version, groups and kinds', () => {
    expect(answerOf(cluster, '/version?timeout=32s').body).toEqual({
      major: '1',
      minor: '33',
      gitVersion: 'v1.33.0-eks-1',
      platform: 'linux/amd64',
    })
    expect(JSON.stringify(answerOf(cluster, '/apis').body)).toContain('"groupVersion":"cert-manager.io/v1"')
    expect(JSON.stringify(answerOf(cluster, '/apis/cert-manager.io/v1').body)).toMatch(
      /"resources":\[\{"name":"certificates"[^{}]*\}\]/,
    )
  })

  test('holds the release at the revision before', () => {
    const { body, question } = answerOf(cluster, '/api/v1/namespaces/a/secrets?labelSelector=name%3Dweb%2Cowner%3Dhelm')
    expect(JSON.stringify(body)).toContain('"name":"sh.helm.release.v1.web.v3"')
    expect(question).toBeUndefined()
  })

  test('finds an object as the release makes it, or none', () => {
    const { status, body, question } = answerOf(cluster, '/api/v1/namespaces/a/secrets/kept')
    expect({ status, question }).toEqual({ status: 200, question: '/api/v1/namespaces/a/secrets/kept' })
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'kept', namespace: 'a' },
      data: { own: 'eA==' },
    })
    expect(answerOf(cluster, '/api/v1/namespaces/a/secrets/other')).toMatchObject({
      status: 404,
      question: '/api/v1/namespaces/a/secrets/other',
    })
  })

  test('answers nothing but GET at its own address, and no more than its limit', async () => {
    const loopback = await openLoopback(temporaryFolder(), [])
    if (!loopback) throw new Error('there is no address for it')
    const server = new StubServer(loopback)
    const session = server.serve(cluster)
    const [own, other] = [`${session.url}/version`, `http://127.0.0.1:${loopback.port}/${'0'.repeat(48)}/version`]
    const statusOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).status
    expect([await statusOf(own), await statusOf(other), await statusOf(own, { method: 'POST' })]).toEqual([
      200, 403, 403,
    ])
    for (let index = 0; index < 201; index++) await statusOf(`${session.url}/api/v1/nodes/n${index}`)
    expect([await statusOf(own), session.isOver()]).toEqual([403, true])
    session.close()
    expect(await statusOf(own)).toBe(403)
    server.close()
  })
})

test('the APIs of Kubernetes by its version', () => {
  expect(apisOf('1.20.0', false)).not.toContain('policy/v1/PodDisruptionBudget')
  expect(apisOf('1.20.0', true)).toContain('policy/v1beta1/PodDisruptionBudget')
  expect(apisOf('1.33.0', true)).toContain('policy/v1/PodDisruptionBudget')
  expect(apisOf('1.33.0', true)).not.toContain('policy/v1beta1/PodDisruptionBudget')
  expect(apisOf('1.35.0', false)).not.toContain('admissionregistration.k8s.io/v1/MutatingAdmissionPolicy')
  expect(apisOf('1.36.0', false)).toContain('admissionregistration.k8s.io/v1/MutatingAdmissionPolicy')
  expect(extensions.filter(isOfKubernetes)).toEqual([])
})

test.each([
  ['{{ .Values.a | quote }}{{ .Release.Name }}', false],
  ['{{ include "a" . }}{{ toYaml .Values.x }}', false],
  ['{{ lookup "v1" "Pod" "a" "b" }}', true],
  ['{{ index $ "Capa" }}', true],
  ['{{ toJson .Release }}', true],
  ['{{ . | toYaml }}', true],
  ['{{ tpl .Values.x . }}', true],
  ['{{ with .Values.x }}{{ toYaml . }}{{ end }}', false],
  ['{{ range $key, $one := $.Values.x | default .Values.y }}{{ range .z }}{{ . | quote }}{{ end }}{{ end }}', false],
  ['{{ with .Values.x }}{{ if .y }}{{ toYaml . }}{{ end }}{{ end }}', false],
  ['{{ with .Values.x }}{{ toYaml $ }}{{ end }}', true],
  ['{{ with .Values.x }}{{ end }}{{ toYaml . }}', true],
  ['{{ with .Values.x }}{{ else }}{{ toYaml . }}{{ end }}', true],
  ['{{ with .Values.x | default $ }}{{ toYaml . }}{{ end }}', true],
  ['{{ with $root }}{{ toYaml . }}{{ end }}', true],
  ['{{ define "a" }}{{ toYaml . }}{{ end }}{{ with .Values.x }}{{ include "a" . }}{{ end }}', true],
  ['{{ $_ := set .Values "x" $ }}{{ with .Values.x }}{{ toYaml . }}{{ end }}', true],
  ['{{ $r := . }}{{ $_ := merge .Values $r }}{{ with .Values.x }}{{ toYaml . }}{{ end }}', true],
  ['{{ include "a" (dict "Values" (dict "x" .)) }}{{ with .Values.x }}{{ toYaml . }}{{ end }}', true],
])('whether %s may ask', (text, mayAsk) => {
  expect(wordsIn([text], false).mayAsk).toBe(mayAsk)
  expect(wordsIn([], true).mayAsk).toBe(true)
})
