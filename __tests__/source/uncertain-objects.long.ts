// More charts of the kind that uncertain-objects.test.ts and asked-clusters.test.ts try.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { tool } from '../tools'
import { around, asking, elsewhere } from './asking-charts'
import { released as base, change, role } from './probe'
import { places } from './rendered'
import { temporaryFolder, writeFiles } from './repository'

const kept = 'protected-rbac/object-kept'

const conditions = [
  'if semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version',
  'if ne (randAlphaNum 1) "q"',
  'if now | date "2006" | int | lt 2000',
  'if ne (first (keys (dict "a" 1 "b" 2 "c" 3))) "c"',
  'if ne (dict "a" 1 "b" 2 | keys | last) "a"',
  'if contains "common" (typeOf .Capabilities)',
  '$state := dict }}{{- $_ := set $state "found" (lookup "v1" "Pod" "a" "b") }}{{- if not $state.found',
  'if not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")',
  'if .Capabilities.APIVersions.Has "policy/v1beta1"',
  'with not (lookup "v1" "Namespace" "" "a")',
  'if not (lookup "v1" "Node" "" "").items',
  'if and .Values.enabled (not (lookup "v1" "Namespace" "" "a"))',
  'with .Release }}{{- if lt .Revision 2 }}{{- end }}{{- end }}{{- if lt $.Release.Revision 5',
  'if gt (int .Capabilities.KubeVersion.Minor) 26',
  'if lt (randInt 0 10) 11',
  'if (genCA "a" 1).Cert',
  '$found := 1 }}{{- $found =lookup "v1" "Namespace" "" "a" }}{{- if not $found',
  'if lookup "v1" "Namespace" "" "kube-system"',
  'if empty (lookup "v1" "Secret" .Release.Namespace (printf "%s-x" .Release.Name))',
  'if or (lookup "v1" "Namespace" "" "a") (not .Values.enabled)',
  'if (dig "data" "mode" "" (lookup "v1" "ConfigMap" "a" "b")) | ne "off"',
  '$found := lookup "v1" "Namespace" "" "a" }}{{- if not $found',
  'if eq (int .Release.Revision) 1',
  'if eq (index .Release "Revision" | int) 1',
  'if eq (mod .Release.Revision 2) 1',
  'if not (.Capabilities.APIVersions.Has "cert-manager.io/v1/Certificate")',
  'if has "batch/v1beta1" .Capabilities.APIVersions',
  'if semverCompare "<1.36-0" .Capabilities.KubeVersion.GitVersion',
  'if hasPrefix "v" .Capabilities.HelmVersion.Version',
  'if not (eq (randNumeric 3) "000")',
  'if contains "-" uuidv4',
  'if htpasswd "a" "b"',
  'if eq "" (getHostByName "example.com")',
  'if lt (date "20060102" "") "20990101"',
]

test.each(conditions)('a protected role goes %s', async (condition) => {
  const report = await change(base, { 'c/templates/role.yaml': around(condition) })
  expect(places(report)).toEqual(['head/c/templates/role.yaml:1 template protected-rbac/object-kept'])
})

test.each(elsewhere.slice(1))('a protected role goes %s', async (_, files, place) => {
  const found = places(await change(base, files)).map((one) => one.replace(/:(\d+) \w+ /, ':$1 template '))
  expect(found).toEqual([`${place} protected-rbac/object-kept`])
})

test.each(asking.slice(3))('a protected role goes %s', async (_, files) => {
  expect(places(await change(base, files))).toEqual([
    expect.stringMatching(/^head\/c\/templates\/role\.yaml:\d+ \w+ protected-rbac\/object-kept$/),
  ])
})

const certain: [what: string, condition: string][] = [
  ['of a kind that every cluster has', 'if not (.Capabilities.APIVersions.Has "v1/Pod")'],
  ['of an upgrade, by a name that is put together', 'if not (index .Release (printf "Is%s" "Upgrade"))'],
]
test.each(certain)('a protected role goes that a condition takes away in every cluster: %s', async (_, condition) => {
  const report = await change(base, { 'c/templates/role.yaml': around(condition) })
  expect(places(report)).toEqual([expect.stringMatching(/role\.yaml:\d+ \w+ protected-rbac\/object-kept$/)])
})

test.each([
  ['a NUL', '\0'],
  ['a byte that is no UTF-8', '\xff'],
])('a protected role goes in a file with %s in it', async (_, letter) => {
  const text = `{{/* ${letter} */}}${around('if not (lookup "v1" "Namespace" "" "a")')}`
  const files = { 'c/templates/role.yaml': Buffer.from(text, 'latin1') }
  // If the marks that trace a line cannot be written, the place is the file.
  expect(places(await change(base, files))).toEqual([`head/c/templates/role.yaml:1 file ${kept}`])
})

test('a protected role goes in a packed chart', async () => {
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
