import { describe, expect, test } from '@jest/globals'
import { bareConstraintsIn } from '../../src/kubernetes/versions/bare-constraints'
import { swappedDefaultsIn } from '../../src/template/swapped-defaults'
import type { Files } from './repository'
import { unrenderedBy } from './unrendered-lines'

const file = 'web/templates/config.yaml'
const right = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
`
const chart: Files = { 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' }

function unrendered(head: string, base = right): Promise<string[]> {
  return unrenderedBy({ ...chart, [file]: base }, { [file]: head })
}

describe('a question for the release of a cluster', () => {
  const asks = (constraint: string, version = '.Capabilities.KubeVersion.Version') =>
    `{{- if semverCompare ${constraint} ${version} }}\n`
  const bare = (template: string) => bareConstraintsIn(template).map(({ text }) => text)
  const says = (constraint: string, better: string) =>
    `No version of a cluster of EKS or GKE meets "${constraint}", because it ends in -eks-… or -gke.…, which semverCompare takes as a pre-release, so the chart renders as for an old release there. Write "${better}".`

  test('is a warning where no version with a suffix meets it', async () => {
    const head = `{{- if semverCompare ">=1.19" $.Capabilities.KubeVersion.GitVersion }}\n{{- end }}\n`
    expect(await unrendered(`${right}${head}`)).toEqual([
      `introduced warning ${file}:4:22 ${says('>=1.19', '>=1.19-0')}`,
    ])
    expect(await unrendered(`${right}${head}`, `${head}${right}`)).toEqual([])
  })

  test.each([
    ['">= 1.22.0"', '>= 1.22.0', '>= 1.22.0-0'],
    ['`^1.20`', '^1.20', '^1.20-0'],
  ])('is one for %s', (written, constraint, better) => {
    expect(bare(asks(written))).toEqual([says(constraint, better)])
    expect(bare(`{{ if and .Values.tls (.Capabilities.KubeVersion.Version | semverCompare ${written}) }}`)).toEqual([
      says(constraint, better),
    ])
  })

  test.each([
    ['the bound has a suffix', asks('">=1.19-0"') + asks('"^1.19.0-0"')],
    ['the bound is an upper one', asks('"<1.19"') + asks('"<=1.30"')],
    ['the version has no suffix', asks('">=1.19"', '(printf "%s.%s" $major $minor)')],
    ['it is the version of something else', asks('">=1.19"', '.Chart.AppVersion') + asks('">=1.19"', '$version')],
    ['the bound is made', asks('.Values.since')],
  ])('is none where %s', (_, template) => {
    expect(bare(template)).toEqual([])
  })
})

describe('a default', () => {
  const swapped = (action: string) => swappedDefaultsIn(`host: {{ ${action} }}\n`).map(({ text }) => text)
  const says = (value: string, fallback: string) =>
    `This line never writes ${value}: \`default\` takes the fallback first, and ${fallback} behind it is never empty, so it is always taken, whatever the value is. Write \`default ${fallback} ${value}\`.`

  test('is a warning where its arguments are swapped', async () => {
    const head = `${right}data: {host: {{ default $.Values.host "web.example.com" }}}\n`
    expect(await unrendered(head)).toEqual([
      `introduced warning ${file}:4:25 ${says('$.Values.host', '"web.example.com"')}`,
    ])
    expect(await unrendered(`# As before.\n${head}`, head)).toEqual([])
  })

  test.each([
    ['default .issuer_name (include "web.fullname" $root) | quote', '.issuer_name', '(include "web.fullname" $root)'],
    [
      'default .Values.host (printf "%s.example.com" .Release.Name)',
      '.Values.host',
      '(printf "%s.example.com" .Release.Name)',
    ],
    ['tpl (default $.Values.host "web") $', '$.Values.host', '"web"'],
    ['"web" | default .Values.host', '.Values.host', '"web"'],
    ['$port := default .Values.port 8080', '.Values.port', '8080'],
    ['default .Values.service.name .Release.Name', '.Values.service.name', '.Release.Name'],
    ['default $.Values.namespace $.Release.Namespace', '$.Values.namespace', '$.Release.Namespace'],
  ])('is one in %s', (action, value, fallback) => {
    expect(swapped(action)).toEqual([says(value, fallback)])
  })

  test.each([
    ['the fallback comes first', 'default "web" .Values.host'],
    ['the fallback is behind the bar', '.Values.host | default "web"'],
    ['both are values', 'default .Values.host .Values.name'],
    ['the last one may be empty', 'default .Values.host (include "web.host" .) | default .Values.host ""'],
    ['a number counts as empty', 'default .Values.port 0'],
    ['its format has no text of its own', 'default .Values.host (printf "%s%s" .a .b)'],
    ['helm fills the fallback in', 'default .Chart.Name "web"'],
    ['helm fills in both', 'default .Chart.Name .Release.Name'],
    ['it gives its output to another function', 'default .Values.host | quote'],
    ['it is another one', 'coalesce .Values.host "web"'],
  ])('is none where %s', (_, action) => {
    expect(swapped(action)).toEqual([])
  })
})
