// More charts of the kind that uncertain-objects.test.ts and asked-clusters.test.ts try.
import { expect, test } from '@jest/globals'
import { around, asking, elsewhere } from './asking-charts'
import { released as base, change } from './probe'
import { places } from './rendered'

const conditions = [
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
