import { describe, expect, test } from '@jest/globals'
import { released as base, change, role } from './probe'
import { places } from './rendered'
import type { Files } from './repository'

/** The protected role, unless the cluster has a namespace. */
const conditional = `{{- if not (lookup "v1" "Namespace" "" "kube-system") }}\n${role}{{- end }}\n`
const kept = 'protected-rbac/object-kept'

describe('a template that fails with an answer hides no other question', () => {
  const failing: [what: string, files: Files][] = [
    [
      'in the same file',
      {
        'c/templates/role.yaml': `{{ if lookup "v1" "ConfigMap" "x" "never" }}{{ .Values.nope.x.y }}{{ end }}\n${conditional}`,
      },
    ],
    [
      'by fail',
      { 'c/templates/role.yaml': `{{ with lookup "v1" "Secret" "x" "y" }}{{ fail "no" }}{{ end }}\n${conditional}` },
    ],
    [
      'twice, and in another file, too',
      {
        'c/templates/a.yaml': '{{ if lookup "v1" "Secret" "x" "a" }}{{ fail "a" }}{{ end }}\n',
        'c/templates/role.yaml': [
          '{{ if lookup "v1" "Secret" "x" "b" }}{{ fail "b" }}{{ end }}\n',
          '{{ if lookup "v1" "Secret" "x" "c" }}{{ fail "c" }}{{ end }}\n',
          conditional,
        ].join(''),
      },
    ],
    [
      'by a value that another file sets',
      {
        'c/templates/a.yaml': '{{ if .Values.boom }}{{ fail "boom" }}{{ end }}\n',
        'c/templates/z/b.yaml': '{{ if lookup "v1" "Secret" "x" "y" }}{{ $_ := set .Values "boom" true }}{{ end }}\n',
        'c/templates/role.yaml': conditional,
      },
    ],
    [
      'by a variable',
      {
        'c/templates/role.yaml': `{{ $s := lookup "v1" "Secret" "x" "y" }}\n${conditional}{{ if $s }}{{ fail "s" }}{{ end }}\n`,
      },
    ],
    [
      'by what is no YAML',
      {
        'c/templates/role.yaml': `{{ if lookup "v1" "Secret" "x" "y" }}a: b: c{{ end }}\n---\n${conditional}`,
      },
    ],
    [
      'in a named template',
      {
        'c/templates/_x.tpl':
          '{{ define "c.x" }}{{ if lookup "v1" "Secret" "x" "y" }}{{ fail "x" }}{{ end }}{{ end }}\n',
        'c/templates/role.yaml': `{{ include "c.x" . }}\n${conditional}`,
      },
    ],
    [
      'for a version of Kubernetes',
      {
        'c/templates/role.yaml': `{{ if semverCompare ">=1.43-0" .Capabilities.KubeVersion.Version }}{{ fail "new" }}{{ end }}\n{{ if semverCompare "<1.40-0" .Capabilities.KubeVersion.Version }}\n${role}{{ end }}\n`,
      },
    ],
    [
      'for an API',
      {
        'c/templates/role.yaml': `{{ if .Capabilities.APIVersions.Has "a.example.com/v1" }}{{ fail "a" }}{{ end }}\n{{ if not (.Capabilities.APIVersions.Has "b.example.com/v1") }}\n${role}{{ end }}\n`,
      },
    ],
    [
      'for a revision',
      {
        'c/templates/role.yaml': `{{ if gt .Release.Revision 100 }}{{ fail "old" }}{{ end }}\n{{ if ne (int .Release.Revision) 7 }}\n${role}{{ end }}\n`,
      },
    ],
    [
      'by the length of a list',
      {
        'c/templates/role.yaml': `{{ range until (int .Release.Revision) }}{{ if gt . 1000 }}{{ fail "old" }}{{ end }}{{ end }}\n${conditional}`,
      },
    ],
    [
      'where another question has no answer',
      {
        'c/templates/a.yaml': '{{ if lookup "v1" "Secret" "x" "y" }}{{ $_ := set .Values "y" true }}{{ end }}\n',
        'c/templates/b.yaml': '{{ if and .Values.y (lookup "v1" "Secret" "x" "z") }}{{ fail "b" }}{{ end }}\n',
        'c/templates/role.yaml': `{{ if lookup "v1" "Secret" "x" "z" }}{{ else }}\n${role}{{ end }}\n`,
      },
    ],
  ]
  test.each(failing)('%s', async (_, files) => {
    const found = places(await change(base, files))
    expect(found).toContainEqual(expect.stringMatching(new RegExp(`role\\.yaml:\\d+ \\w+ ${kept}$`)))
  })

  test('in a large file', async () => {
    const files = { 'c/templates/role.yaml': `{{/* ${'x'.repeat(2 * 1024 * 1024)} */}}\n${conditional}` }
    expect(places(await change(base, files))).toContainEqual(expect.stringContaining(kept))
  })

  const many = Array.from(
    { length: 9 },
    (_, n) => `{{ if lookup "v1" "Secret" "x" "y${n}" }}{{ fail "no" }}{{ end }}\n`,
  )

  test('where more questions are refused than are tried alone', async () => {
    const report = await change(base, { 'c/templates/role.yaml': `${many.join('')}${role}` })
    expect(places(report)).toEqual(['head/c/templates/role.yaml:1 exact source/unrendered'])
    expect(report.findings[0]?.text).toBe(
      'After this change, helm cannot render release shop/web of c where lookup finds objects: its objects in such a cluster are unknown, and a condition on the cluster can remove any of them. Write the templates so that they render with each answer to `lookup`, `.Release.Revision`, `.Capabilities` and random functions, or remove the condition that this change adds.',
    )
  })

  test('and it is an error, where the answer to it alone is refused', async () => {
    const fails = '{{ if lookup "v1" "Secret" "x" "y" }}{{ fail "no" }}{{ end }}\n'
    const report = await change(base, { 'c/templates/a.yaml': fails })
    expect(places(report)).toEqual(['head/c/templates/a.yaml:1 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(
      /^After this change, helm cannot render release shop\/web of c where lookup finds objects: /,
    )
  })

  test('and it is listed, where that was so before', async () => {
    const before = { ...base, 'c/templates/a.yaml': many.join('') }
    const report = await change(before, { 'c/values.yaml': 'enabled: false\n' })
    expect(report.findings).toEqual([])
    expect(report.inspected.skipped).toEqual([
      {
        path: 'c/values.yaml',
        reason:
          'release shop/web of c does not render where lookup finds objects (templates/a.yaml), so it is judged without that answer',
      },
      {
        path: 'c/values.yaml',
        reason: 'release shop/web of c does not render where lookup finds objects, so it is judged without that answer',
      },
    ])
  })
})
