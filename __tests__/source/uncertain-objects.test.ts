import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { tool } from '../tools'
import { around, elsewhere } from './asking-charts'
import { released as base, change, object, release, role, url } from './probe'
import { places } from './rendered'
import { type Files, temporaryFolder, writeFiles } from './repository'

const kept = 'protected-rbac/object-kept'
const atCondition = [`head/c/templates/role.yaml:1 template ${kept}`]

describe('a protected role that another answer of the cluster takes away', () => {
  const conditions = [
    'if not (lookup "v1" "Namespace" "" "kube-system")',
    'if (lookup "v1" "ConfigMap" .Release.Namespace "x").data',
    'if le .Release.Revision 1',
    'if semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version',
    'if ne (randAlphaNum 1) "q"',
    'if now | date "2006" | int | lt 2000',
    'if ne (first (keys (dict "a" 1 "b" 2 "c" 3))) "c"',
    'if ne (dict "a" 1 "b" 2 | keys | last) "a"',
    'if contains "common" (typeOf .Capabilities)',
  ]
  test.each(conditions)('%s', async (condition) => {
    const report = await change(base, { 'c/templates/role.yaml': around(condition) })
    expect(places(report)).toEqual(atCondition)
  })

  test.each(elsewhere.slice(0, 1))('%s', async (_, files, place) => {
    const report = await change(base, files)
    expect(places(report).map((one) => one.replace(/:(\d+) \w+ /, ':$1 template '))).toEqual([`${place} ${kept}`])
  })

  const certain: [what: string, condition: string][] = [
    ['of a kind that every cluster has', 'if not (.Capabilities.APIVersions.Has "v1/Pod")'],
    ['of an upgrade, by a name that is put together', 'if not (index .Release (printf "Is%s" "Upgrade"))'],
  ]
  test.each(certain)('and one that a condition takes away in every cluster: %s', async (_, condition) => {
    const report = await change(base, { 'c/templates/role.yaml': around(condition) })
    expect(places(report)).toEqual([expect.stringMatching(/role\.yaml:\d+ \w+ protected-rbac\/object-kept$/)])
  })

  test.each([
    ['a NUL', '\0'],
    ['a byte that is no UTF-8', '\xff'],
  ])('in a file with %s in it', async (_, letter) => {
    const text = `{{/* ${letter} */}}${around('if not (lookup "v1" "Namespace" "" "a")')}`
    const files = { 'c/templates/role.yaml': Buffer.from(text, 'latin1') }
    // If the marks that trace a line cannot be written, the place is the file.
    expect(places(await change(base, files))).toEqual([`head/c/templates/role.yaml:1 file ${kept}`])
  })

  test('in a packed chart', async () => {
    const folder = temporaryFolder()
    const pack = (text: string) => {
      writeFiles(folder, {
        'sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
        'sub/templates/role.yaml': text,
      })
      execFileSync(tool('helm'), ['package', path.join(folder, 'sub'), '-d', folder], { stdio: 'ignore' })
      return readFileSync(path.join(folder, 'sub-1.0.0.tgz'))
    }
    const files = { ...base, 'c/templates/role.yaml': null, 'c/templates/other.yaml': role.replace('system:', 'x:') }
    const report = await change(
      { ...files, 'c/charts/sub-1.0.0.tgz': pack(role) },
      { 'c/charts/sub-1.0.0.tgz': pack(around('if not (lookup "v1" "Namespace" "" "a")')) },
    )
    expect(places(report).map((one) => one.replace(/ \w+ /, ' '))).toEqual([`head/c/charts/sub-1.0.0.tgz:1 ${kept}`])
  })

  test('a plain role that moves to a chart with such a condition', async () => {
    const plain = {
      ...base,
      'c/templates/role.yaml': 'a: {{ .Values.enabled }}\n'.replace(/^/, '# '),
      'role.yaml': role,
    }
    const report = await change(plain, {
      'role.yaml': null,
      'c/templates/role.yaml': around('if not (lookup "v1" "Namespace" "" "a")'),
    })
    expect(report.findings.map(({ rule, level }) => `${level} ${rule}`)).toEqual([`error ${kept}`])
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

    test.each([
      ['both under the same answer', lookup, lookup],
      ['each under another answer', lookup, revision],
    ])('%s: neither keeps it for the other', async (_, one, other) => {
      const found = await ofRules({ 'c/templates/role.yaml': around(one), 'd/templates/role.yaml': around(other) })
      expect([...new Set(found)].sort()).toEqual([
        `head/c/templates/role.yaml ${kept}`,
        `head/d/templates/role.yaml ${kept}`,
      ])
    })

    test('one of them: the other keeps it', async () => {
      expect(await ofRules({ 'c/templates/role.yaml': around(lookup), 'd/values.yaml': 'enabled: 1\n' })).toEqual([])
    })
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
