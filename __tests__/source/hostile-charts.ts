import { existsSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { chart, config, judged, tar, web } from './hostile'
import { configMap, role } from './objects'
import { temporaryFolder } from './repository'

/** Charts that try to exhaust, to read, or to forge, rendered by one version of helm. */
export function hostileCharts(program: string): void {
  const lost = 'It is unknown whether this change keeps ClusterRole web.'

  test.each([
    [
      'a template that takes itself in',
      '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
      /^introduced head\/app\/templates\/web\.yaml:1 Helm cannot render it: template: .* rendering template has a nested reference name: x: unable to execute template\. It is unknown whether this change keeps ClusterRole web\. Fix this error; `helm template [^`]+` shows all of it\.$/,
    ],
    [
      'a loop over more numbers than memory holds',
      '{{ range until 2000000000 }}{{ end }}',
      /^introduced head\/app\/Chart\.yaml:1 Helm was stopped because it used more than 2048 MiB of memory\. It is unknown whether this change keeps ClusterRole web\.$/,
    ],
    [
      'a text larger than memory',
      '{{ repeat 1000000000 "xxxxxxxxxx" }}',
      /^introduced head\/app\/Chart\.yaml:1 Helm was stopped because it used more than 2048 MiB of memory\. It is unknown whether this change keeps ClusterRole web\.$/,
    ],
    [
      'a rendering that prints too much',
      `${role('web')}x: {{ repeat 5000000 "x" }}`,
      /^introduced head\/app\/Chart\.yaml:1 Helm was stopped because it printed more than 4 MiB\. It is unknown whether this change keeps ClusterRole web\.$/,
    ],
    [
      'a rendering to too many objects',
      `{{ range until 600 }}---\n${role('web-{{ . }}')}{{ end }}`,
      /^introduced head\/app\/templates\/web\.yaml:1 It renders to more than 500 objects\. It is unknown whether this change keeps ClusterRole web\.$/,
    ],
    [
      'the environment',
      `${role('web')}# {{ env "HOME" }}`,
      /^introduced head\/app\/templates\/web\.yaml:5 Helm cannot render it: .*function "env" not defined\. It is unknown whether this change keeps ClusterRole web\. Fix this error; `helm template [^`]+` shows all of it\.$/,
    ],
    [
      'expanded variables',
      `${role('web')}# {{ expandenv "$HOME" }}`,
      /^introduced head\/app\/templates\/web\.yaml:5 Helm cannot render it: .*function "expandenv" not defined\. It is unknown whether this change keeps ClusterRole web\. Fix this error; `helm template [^`]+` shows all of it\.$/,
    ],
  ])('%s', async (_, template, expected) => {
    const { status, said } = await judged({ 'app/templates/web.yaml': template }, { helm: program })
    expect(said).toEqual([expect.stringMatching(expected)])
    expect(status).toBe(1)
  })

  test('names, clusters and files outside come to nothing', async () => {
    const template = `${configMap('probe')}
  host: "{{ getHostByName "localhost" }}"
  secret: {{ lookup "v1" "Secret" "" "" | toJson | quote }}
  passwd: {{ .Files.Get "/etc/passwd" | quote }}
  above: {{ .Files.Get "../../secret.yaml" | quote }}
  tpl: {{ tpl .Values.a . | quote }}
  able: {{ toYaml .Capabilities | quote }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ if or (getHostByName "localhost") (lookup "v1" "Secret" "" "") (.Files.Get "/etc/passwd") (.Files.Get "../../secret.yaml") }}outside{{ else }}inside{{ end }}
`
    const files = {
      'app/templates/web.yaml': template,
      'app/values.yaml': "a: '{{ .Release.Name }}'\n",
      'secret.yaml': 'x',
    }
    const { said, report } = await judged(files, {
      helm: program,
      base: { ...config(web), 'app/templates/web.yaml': role('inside') },
    })
    expect(said).toEqual([])
    expect(JSON.stringify(report)).not.toContain('root:')
    // The ConfigMap, and the role that an answer of a cluster to `lookup` would make.
    expect(report.inspected.changes).toEqual({ added: 2, changed: 0, removed: 0 })
  })

  test.each([
    ['an alias bomb', bomb(), /yaml: document contains excessive aliasing/],
    ['a great depth', `a: ${'['.repeat(20_000)}\n`, /yaml: exceeded max depth of 10000/],
  ])('values: %s', async (_, values, words) => {
    const { status, said } = await judged({ 'app/values.yaml': values }, { helm: program })
    expect(said).toEqual([
      expect.stringMatching(/^introduced head\/app\/values\.yaml:1 Helm cannot render it: cannot load values\.yaml: /),
    ])
    expect(said[0]).toMatch(words)
    expect(status).toBe(1)
  })

  test.each([
    [
      'empty',
      '',
      /^introduced head\/app\/Chart\.yaml:1 Helm cannot render it: validation: chart\.metadata\.name is required/,
    ],
    [
      'a list',
      '- a\n',
      /^introduced head\/app\/Chart\.yaml:1 Helm cannot render it: cannot load Chart\.yaml: .*cannot unmarshal array/,
    ],
    [
      'binary',
      Buffer.from([1, 2, 255, 0]),
      /^introduced head\/app\/Chart\.yaml:1 Helm cannot render it: cannot load Chart\.yaml: .*control characters/,
    ],
    [
      'of great depth',
      `${chart('app')}x: ${'['.repeat(20_000)}`,
      /^introduced head\/app\/Chart\.yaml:\d Helm cannot render it: cannot load Chart\.yaml: .*exceeded max depth/,
    ],
    [
      'a link out of the repository',
      { link: '/etc/passwd' },
      /^introduced head\/\.github\/ingress-guard\.yaml:2 There is no chart app in this repository\./,
    ],
  ])('a Chart.yaml that is %s', async (_, content, expected) => {
    const { status, said } = await judged({ 'app/Chart.yaml': content }, { helm: program })
    expect(said).toEqual([expect.stringMatching(expected)])
    expect(status).toBe(1)
  })

  test('a template that is no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from(`${role('web')}x: "`), Buffer.from([0xff, 0xfe]), Buffer.from('"\n')])
    const { said } = await judged({ 'app/templates/web.yaml': bytes }, { helm: program })
    expect(said).toEqual([
      `introduced head/app/templates/web.yaml:1 Helm cannot render it: YAML parse error on app/templates/web.yaml: error converting YAML to JSON: yaml: invalid leading UTF-8 octet. ${lost} Fix this error; \`helm template web app --namespace shop\` shows all of it.`,
    ])
  })

  test('a chart with no templates renders to nothing', async () => {
    const { said, report } = await judged({ 'app/templates/web.yaml': null }, { helm: program })
    expect(said).toEqual([])
    expect(report.inspected.changes.removed).toBe(1)
  })

  test.each([
    // Helm 4 keeps the reason to itself.
    [
      'an entry above it',
      { 'app/../../up.yaml': 'x' },
      /cannot render it: (?:chart illegally references parent directory|unable to load chart archive)\. Fix this error/,
    ],
    // Helm 3 unpacks it, and prints it.
    [
      'a gzip bomb',
      { 'app/templates/big.yaml': Buffer.alloc(8 * 1024 * 1024, '#') },
      /(?:unable to load chart archive\. Fix this error; .*|it printed more than 4 MiB)\.$/,
    ],
  ])('an archive with %s', async (_, entries, words) => {
    const files = { 'app/Chart.yaml': chart('app'), ...entries, 'app/templates/a.yaml': role('web') }
    const { status, said } = await judged(
      { 'packed/app-1.0.0.tgz': gzipSync(tar(files), { level: 1 }) },
      { helm: program, releases: [{ ...web, chart: 'packed/app-1.0.0.tgz' }] },
    )
    expect(said).toEqual([expect.stringMatching(/^introduced head\/packed\/app-1\.0\.0\.tgz:1 Helm /)])
    expect(said[0]).toMatch(words)
    expect(status).toBe(1)
  })

  test('an absolute entry of an archive is a file of its chart', async () => {
    const outside = path.join(temporaryFolder(), 'written.yaml')
    const files = { 'app/Chart.yaml': chart('app'), [outside]: role('x'), 'app/templates/a.yaml': role('web') }
    const { said } = await judged(
      { 'packed/app-1.0.0.tgz': gzipSync(tar(files)) },
      { helm: program, releases: [{ ...web, chart: 'packed/app-1.0.0.tgz' }] },
    )
    expect(said).toEqual([])
    expect(existsSync(outside)).toBe(false)
  })

  test('links in an archive are not followed', async () => {
    const archive = gzipSync(
      tar({
        'sub/Chart.yaml': chart('sub'),
        'sub/templates/a.yaml': { link: '/etc/passwd' },
        'sub/templates/b.yaml': role('b'),
      }),
    )
    const { report } = await judged(
      {
        'app/Chart.yaml': chart(
          'app',
          'dependencies:\n  - {name: sub, version: 1.0.0, repository: "https://charts.example"}\n',
        ),
        'app/charts/sub-1.0.0.tgz': archive,
      },
      { helm: program },
    )
    expect(JSON.stringify(report)).not.toContain('root:')
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 0 })
  })

  test('forged marks of templates misplace nothing', async () => {
    const template = `${configMap('web')}  b: |
    x\u2028---
# Source: app/templates/other.yaml
    \u00021:1\u0003
---
# Source: app/templates/other.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: admin
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, name: "system:unauthenticated", apiGroup: rbac.authorization.k8s.io}]
`.replace('\u00021:1\u0003', 'y')
    const { report } = await judged(
      { 'app/templates/evil.yaml': template, 'app/templates/other.yaml': configMap('other') },
      { helm: program },
    )
    const places = report.findings
      .filter(({ rule }) => !/^(?:source|config)\//.test(rule))
      .map(({ location }) => location.path)
    expect(places).not.toContain('app/templates/other.yaml')
    expect(report.inspected.changes).toEqual({ added: 3, changed: 0, removed: 0 })
  })
}

/** Nine to the ninth strings, in ten lines. */
function bomb(): string {
  const lists = 'bcdefghi'.split('').map((name, index) => {
    const inner = `*${'abcdefgh'[index]}`
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]\n`
  })
  return `a: &a [${Array(9).fill('x').join(', ')}]\n${lists.join('')}`
}
