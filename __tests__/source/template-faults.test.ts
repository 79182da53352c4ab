import { describe, expect, test } from '@jest/globals'
import { misspeltApisIn } from '../../src/kubernetes/versions/misspelt-apis'
import { calledValuesIn } from '../../src/template/called-values'
import { gluedLinesIn } from '../../src/template/glued-lines'
import { misformattedTextsIn } from '../../src/template/misformatted-texts'
import { misindentedLinesIn } from '../../src/template/misindented-lines'
import { misplacedDotsIn } from '../../src/template/misplaced-dots'
import { misplacedFunctionsIn } from '../../src/template/misplaced-functions'
import { rootReadersIn } from '../../src/template/root-readers'
import { singleBracesIn } from '../../src/template/single-braces'
import type { Files } from './repository'
import { unrenderedBy } from './unrendered-lines'

const issuer = (range: string) => `{{- if .Values.acme.enabled }}
{{- range $name, $issuer := ${range} }}
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: {{ $name }}}
spec:
  acme: {server: {{ $issuer.server }}, privateKeySecretRef: {name: {{ $name }}}}
{{- end }}
{{- end }}
`
const file = 'issuers/templates/issuers.yaml'
const right = issuer('.Values.acme.issuers')
const chart: Files = {
  'issuers/Chart.yaml': 'apiVersion: v2\nname: issuers\nversion: 1.0.0\n',
  'issuers/values.yaml': 'acme: {enabled: "", issuers: {}}\n',
  [file]: right,
}

function unrendered(head: string, base = right): Promise<string[]> {
  return unrenderedBy({ ...chart, [file]: base }, { [file]: head })
}

const says = (value: string, argument: string) =>
  `Helm cannot render this line, because ${value} is a value and no function, but ${argument} follows it as an argument. Each release that reaches the line fails. Write the function first (\`index\`, \`and\`, \`default\`), or \`|\` before ${argument}.`

describe('a value that a template calls', () => {
  test('is a warning at its line, where no known values reach it', async () => {
    expect(await unrendered(issuer('$.Values "acme" "issuers"'))).toEqual([
      `introduced warning ${file}:2:29 ${says('$.Values', '"acme"')}`,
    ])
    expect(await unrendered(issuer('.Values.acme.issuers and .Values.acme.email'))).toEqual([
      `introduced warning ${file}:2:29 ${says('.Values.acme.issuers', 'and')}`,
    ])
    expect(await unrendered(issuer('dict "a" (.Values.acme.enabled (eq 1 2))'))).toEqual([
      `introduced warning ${file}:2:39 ${says('.Values.acme.enabled', 'an expression in parentheses')}`,
    ])
  })

  test('is none of this change where it was there before', async () => {
    const old = issuer('$.Values "acme" "issuers"')
    expect(await unrendered(`${old}# more\n`, old)).toEqual([])
  })

  test('is reported once where a rendering fails at it', async () => {
    const reached = right.replace('if .Values.acme.enabled', 'if .Release.Name "web"')
    expect(await unrendered(reached)).toEqual([
      expect.stringContaining(`introduced error ${file}:1:`) as unknown as string,
    ])
  })

  test.each([
    ['an argument of a function', 'index $.Values "acme" "issuers"'],
    ['the input of a function', '.Values.acme.issuers | default dict'],
    ['a value in parentheses', '(.Values.acme).issuers'],
    ['one of a string', '`.Values "acme"` | fromYaml'],
    ['a method', '(.Files.Get "a" | fromYaml)'],
  ])('is not %s', async (_, range) => {
    expect(await unrendered(issuer(range))).toEqual([])
  })
})

describe('a value behind the name of a function', () => {
  test('is a fault with the function and the value apart', () => {
    const text = 'host: {{ .Values.web.host | default.Values.host }}'
    expect(said(calledValuesIn(text), text)).toEqual([
      '1 Helm cannot render this line, because without a blank before it .Values.host is read as a field of the function `default`, which has none. Each release that reaches the line fails. Write `default .Values.host`.',
    ])
  })

  test.each([
    '{{ if.Values.a }}{{ end }}',
    '{{ with.Values.a }}{{ end }}',
    '{{ $one.Values.a }}',
    '{{ "a.Values.b" }}',
  ])('is none in %s', (text) => {
    expect(calledValuesIn(text)).toEqual([])
  })
})

describe('a format of printf', () => {
  const lacks = '`%!s(MISSING)` in place of what is not there'
  const says = (format: string, values: string, given: number, effect: string) =>
    `The format ${format} asks for ${values}, and this \`printf\` gets ${given}, and Go writes ${effect}, so the API server refuses a name or a host of this text. Write one value for each \`%\` of the format.`

  test.each([
    ['{{ printf "%s-%s" .a | trunc 63 }}', says('"%s-%s"', '2 values', 1, lacks)],
    ['{{ (printf "%s" .a (.b | lower)) }}', says('"%s"', 'one value', 2, '`%!(EXTRA …)` behind it for the others')],
    ['{{ .a | printf "%s.%s" }}', says('"%s.%s"', '2 values', 1, lacks)],
    ['{{ printf "%d" | default 5432 }}', says('"%d"', 'one value', 0, lacks.replace('!s', '!d'))],
    ['{{ printf "%d" | quote | default 5432 .a }}', says('"%d"', 'one value', 0, lacks.replace('!s', '!d'))],
  ])('%s has another number of values', (template, text) => {
    expect(misformattedTextsIn(template).map((fault) => fault.text)).toEqual([text])
  })

  test.each([
    '{{ printf "%s-%s" .Release.Name (include "a" .) | trunc 63 }}',
    '{{ .a | printf "%s.%s" .b }}',
    '{{ printf "%d.%d" (semver .a).Major (semver .a).Minor }}',
    '{{ printf "100%%" }}',
    '{{ printf "%-5.2f" .a }}',
    '{{ printf "%[1]s-%[1]s" .a }}',
    '{{ printf $format .a .b }}',
    '{{ printf "%d" | default 5432 .Values.postgresql.port | int }}',
    '{{ fail (printf "%s is no port of a %s" .a) }}',
  ])('fits in %s', (template) => {
    expect(misformattedTextsIn(template)).toEqual([])
  })
})

/** The lines and the statements about a template. */
function said(faults: readonly { readonly from: number; readonly text: string }[], template: string): string[] {
  return faults.map(({ from, text }) => `${template.slice(0, from).split('\n').length} ${text}`)
}

describe('a function between values', () => {
  test('is a warning at its line, with the way to write it', async () => {
    const test = '{{ if eq .Values.mode "live" and .Values.acme }}{{ end }}'
    const head = right.replace('{{- range', `${test}\n{{- range`)
    expect(await unrendered(head)).toEqual([
      'introduced warning issuers/templates/issuers.yaml:2:30 Helm cannot render this line, because `and` comes between values, and it is a function that takes them from behind it. Each release that reaches the line fails. Write it first, with each condition in parentheses: `and (eq .a "x") (eq .b "y")`.',
    ])
  })

  test.each([
    ['{{ if not eq .Values.mode "live" }}', ['eq']],
    ['{{ if (hasPrefix "a" $name) or (hasPrefix "b" $name) }}', ['or']],
    ['{{ $on := and $tls and (eq .Values.type "acme") }}', ['and']],
    ['{{ if and (eq .a "x") (not .b) }}{{ else if or .a .b }}{{ end }}', []],
    ['{{ with .Values.a | default (eq .b "and") | not }}{{ end }}', []],
    ['{{ range $i, $one := .Values.list }}{{ ne $i 0 | toString }}{{ end }}', []],
    ['{{- /* this and that */ -}}', []],
    ['{{ up\n  and down }}', []],
  ])('%s has %j', (template, names) => {
    expect(misplacedFunctionsIn(template).map(({ written }) => written)).toEqual(names)
  })
})

describe('an action that begins with one brace', () => {
  test('is a warning at its line', () => {
    const text = 'ports:\n  - number: { .Values.web.port }}\n'
    expect(singleBracesIn(text).map(({ from, text: words }) => [from, words])).toEqual([
      [
        text.indexOf('{'),
        'Helm writes `{ .Values.web.port }}` out as it is, because it begins with one brace, so this value is not filled in, and the YAML may be broken. Write `{{ .Values.web.port }}`.',
      ],
    ])
  })

  test.each([
    '{{ .Values.web.port }}',
    '{ "port": {{ .Values.web.port }} }',
    '{ .spec.port }}',
    '{{`{{ .Values.a }}`}}',
  ])('%s is none', (text) => {
    expect(singleBracesIn(text)).toEqual([])
  })
})

describe('lines that dashes join', () => {
  const glued = (template: string) => said(gluedLinesIn(template), template)
  const both = (line: number, above: string, below: string) => [
    `${line} Both dashes of this action take away a line break, so \`${above}\` and \`${below}\` come on one line, and the YAML is broken. Remove the dash before \`}}\`.`,
  ]

  test('are two keys, two items, and a key and a document', () => {
    const key = 'spec:\n  - path: /\n    {{- if .Values.typed -}}\n    pathType: Prefix\n    {{- end }}\n'
    expect(glued(key)).toEqual(both(3, '- path: /', 'pathType: Prefix'))
    expect(glued('dnsNames:\n  {{- range .Values.names -}}\n  - {{ . }}\n  {{- end }}\n')).toEqual(
      both(2, 'dnsNames:', '- {{ . }}'),
    )
    const documents = '  - a\n{{- end }}\n{{- if .Values.issuer -}}\n---\nkind: Issuer\n{{- end }}\n'
    expect(glued(documents)).toEqual(both(3, '- a', '---'))
  })

  test('are a key and what is below it', () => {
    const text =
      'Take: away\nannotations:\n  {{- with .Values.annotations }}\n{{- toYaml . | indent 4 }}\n  {{- end }}\n'
    expect(glued(text)).toEqual([
      '4 The dash of `{{-` takes away the line break before the text that this line writes, so the text comes behind `annotations:`, and the YAML is broken. Write `nindent` in place of `indent`.',
    ])
  })

  test.each([
    ['one dash alone', 'a: b\n{{- if .Values.c }}\nc: d\n{{- end }}\n'],
    ['the start of a file', '{{- if .Values.a -}}\na: b\n{{- end -}}\n'],
    ['an alternative', 'a:\n  {{- if .Values.b }}\n  b: 1\n  {{- else -}}\n  c: 1\n  {{- end }}\n'],
    [
      'blocks of which one is written',
      '{{- if .Values.a }}\na: b\n{{- end }}\n{{- if not .Values.a -}}\na: c\n{{- end }}\n',
    ],
    ['lines of a comment', 'a: b\n{{- /* if .Values.c -}}\nc: d */}}\n'],
    ['a line break between', 'a: b\n{{ if .Values.b -}}\nc: d\n{{- end }}\n'],
    ['JSON', '{"a": {\n  "b": 1,\n  {{- if .Values.c -}}\n  "c": 2\n  {{- end }}\n}}\n'],
    ['a text', 'text {{- if .Values.a -}} more {{- end -}} end\n'],
    ['nindent', 'a:\n{{- toYaml .Values.a | nindent 2 }}\n'],
  ])('are none with %s', (_, template) => {
    expect(glued(template)).toEqual([])
  })
})

describe('a line of which the indentation is wrong', () => {
  const misindented = (template: string) => said(misindentedLinesIn(template), template)

  test('is a key below one that has a text', () => {
    expect(
      misindented('tls:\n  termination: edge\n  {{- if .Values.redirect }}\n    policy: Redirect\n  {{- end }}\n'),
    ).toEqual([
      '4 The line `policy: Redirect` is indented below `termination: edge`, which has a text as its value, so the YAML is broken, and no release that writes both lines can be rendered. Give both the same indentation.',
    ])
  })

  test('is a key below one that has one of the values', () => {
    expect(misindented('tls:\n  termination: {{ .Values.termination | quote }}\n    policy: Redirect\n')).toEqual([
      expect.stringMatching(
        /^3 The line `policy: Redirect` is indented below `termination: \{\{ \.Values\.termination \| quote \}\}`,/,
      ),
    ])
  })

  test('is a key among the items of a list', () => {
    const text =
      'rules:\n  {{- range .Values.hosts }}\n  - host: {{ . }}\n    http: {}\n  {{- end }}\n{{ if .Values.tls }}\n  tls:\n    - hosts: [a]\n{{ end }}\n'
    expect(misindented(text)).toEqual([
      '7 The line `tls:` is a key, with the indentation of the items of the list before it, so the YAML is broken, and no release that writes both can be rendered. Give it the indentation of the key of that list, or of the keys of an item.',
    ])
    expect(misindented('args:\n  - key: one\n  operator: Exists\n')).toHaveLength(1)
  })

  test.each([
    ['a list has the indentation of its key', 'rules:\n- host: a\ntls:\n- hosts: [a]\n'],
    ['the key is one of an item', 'rules:\n  - host: a\n    http: {}\n  -\n    host: b\n'],
    ['the text goes on', 'a: one\nb: two words\n  more: c\nd: |\n  e: f\n    g: h\ni: "j\n  k: l"\n'],
    ['it is in another branch', 'a:\n  {{ if .b }}\n  b: c\n  {{ else }}\n  d:\n  {{ end }}\n    e: f\n'],
    ['one branch is a list', 'a:\n  {{ if .b }}\n  - c\n  {{ else }}\n  d: e\n  {{ end }}\n  f: g\n'],
    ['an action may write the key', 'a: b\n{{ include "c" . }}\n  d: e\n'],
    ['an action of several lines is between', 'a: b\n{{ include "c"\n  . }}\n  d: e\n{{/*\na: b\n  c: d */}}\n'],
    ['the value is an action', 'a: {{ include "b" . }}\n  b: c\nd: {{ .Values.d -}}\n  e: f\n'],
    ['another document begins', 'a: b\n---\n  c: d\n'],
    ['it is a comment', 'a: b\n  # c: d\n'],
    ['a part begins', 'a: b\n{{ define "c" }}\n  d: e\n{{ end }}\n  f: g\n'],
  ])('is none where %s', (_, template) => {
    expect(misindented(template)).toEqual([])
  })
})

describe('a field that the dot does not have', () => {
  const misplaced = (template: string, first: 'root' | 'unknown' = 'root') =>
    said(misplacedDotsIn(template, first), template)

  test('is one of helm’s objects in a block on values', () => {
    const text =
      '{{- range $name, $host := .Values.hosts }}\n- {{ .Values.prefix }}.{{ $host }}\n{{- end }}\n{{ .Values.a }}\n'
    expect(misplaced(text)).toEqual([
      '2 Helm cannot render this line, because the dot is .Values.hosts, or an item of it, up to the `end` of this block, and .Values.prefix is not in that. Each release that reaches the line fails. Write $.Values.prefix.',
    ])
    expect(
      misplaced('{{ with $.Values.tls }}{{ if .a }}{{ .Release.Name }}{{ end }}{{ end }}', 'unknown'),
    ).toHaveLength(1)
  })

  test('is one of them in a list of what is in the values', () => {
    const text =
      '{{ range .Values.hosts }}\n{{ range .paths }}\n{{ if .Capabilities.APIVersions }}\n{{ end }}{{ end }}{{ end }}'
    expect(misplaced(text)).toEqual([
      '3 Helm cannot render this line, because the dot is .paths, or an item of it, up to the `end` of this block, and .Capabilities.APIVersions is not in that. Each release that reaches the line fails. Write $.Capabilities.APIVersions.',
    ])
    expect(misplaced('{{ with .Values.a }}{{ range . }}{{ .Chart.Name }}{{ end }}{{ end }}')).toHaveLength(1)
  })

  test('is read by a named template that gets a value', () => {
    const text =
      '{{ range .Values.hosts }}\n- name: {{ include "web.fullname" . }}-{{ include "web.host" . }}\n{{ end }}'
    const parts = [
      '{{ define "web.fullname" }}{{ .Chart.Name | trunc 63 }}{{ end }}{{ define "web.host" }}{{ .host }}{{ end }}',
      '{{ define "web.any" }}{{ with .Values }}{{ .name }}{{ else }}{{ .name }}{{ end }}{{ end }}{{ .Values.a }}',
    ]
    const readers = rootReadersIn(parts)
    expect([...readers].filter((name) => name.startsWith('web.'))).toEqual(['web.fullname'])
    expect(said(misplacedDotsIn(text, 'root', readers), text)).toEqual([
      '2 Helm cannot render this line, because the dot is .Values.hosts, or an item of it, up to the `end` of this block, and the template "web.fullname" reads helm\'s objects (.Values, .Release, .Chart) of the dot it gets. Each release that reaches the line fails. Write include "web.fullname" $.',
    ])
    for (const other of ['{{ include "web.fullname" . }}', text.replace('"web.fullname" .', '"web.fullname" $')])
      expect(misplacedDotsIn(other, 'root', readers)).toEqual([])
  })

  test('is none of helm’s objects elsewhere', () => {
    expect(misplaced('{{- toYaml .webhooks.annotations | nindent 4 }}')).toEqual([
      '1 Helm cannot render this line, because .webhooks.annotations is none of its objects, which are .Values, .Release, .Chart, .Capabilities, .Files and .Template. Each release that reaches the line fails. Write .Values.webhooks.annotations, if that is meant.',
    ])
  })

  test('is a field beside the list of whose items the dot is one', () => {
    const text = '{{- range .ingress.paths }}\n- path: {{ .path }}\n  pathType: {{ .ingress.pathType }}\n{{- end }}\n'
    expect(misplaced(text, 'unknown')).toEqual([
      '3 Helm cannot render this line, because the dot is an item of .ingress.paths up to the `end` of this block, and .ingress.pathType is not in that. Each release that reaches the line fails. Assign .ingress.pathType to a variable before the block, and write the variable here.',
    ])
    expect(misplaced(text.replace(' .ingress.pathType', ' $.ingress.pathType'), 'unknown')).toEqual([])
    expect(misplaced('{{ range .ingresses }}{{ .ingresses.a }}{{ .ingress.b }}{{ end }}', 'unknown')).toEqual([])
  })

  test.each([
    ['the root is named', '{{ range .Values.hosts }}{{ $.Values.a }}{{ .name.first }}{{ end }}'],
    ['the block is over', '{{ with .Values.a }}{{ . }}{{ else }}{{ .Values.b }}{{ end }}{{ .Values.c }}'],
    ['the dot may be the root', '{{ with $root }}{{ .Values.a }}{{ end }}{{ range list . }}{{ .Values.a }}{{ end }}'],
    ['another template gives the dot', '{{ define "a" }}{{ .image.tag }}{{ .Values.a }}{{ end }}'],
    ['the template sets it', '{{ $_ := set . "image" (dict "tag" 1) }}{{ .image.tag }}'],
    ['a template may set it', '{{ $_ := include "ca.setup" . }}{{ .commonCA.Cert }}'],
    ['it is of an expression', '{{ (index .Values "a").image.tag }}'],
    ['it is a text', '{{ "{{ .path.basename }}" }}{{ `{{ .path.basename }}` }}'],
  ])('is none where %s', (_, template) => {
    expect(misplaced(template)).toEqual([])
  })

  test('is none in a file that others render with a dot of their choice', () => {
    expect(misplaced('{{ .image.tag }}', 'unknown')).toEqual([])
  })
})

describe('a question for an API', () => {
  const asks = (api: string, more = '') => `{{- if ${more}.Capabilities.APIVersions.Has ${api} }}\n`
  const misspelt = (template: string) => misspeltApisIn(template).map(({ text }) => text)
  const says = (api: string, kind: string, right: string) =>
    `No cluster has "${api}", because the kind is spelt ${kind} and helm compares letter by letter, so the chart renders as for a cluster without this API. Write "${right}".`

  test('is a warning where no cluster spells the kind so', async () => {
    const head = `{{- if $.Capabilities.APIVersions.Has "networking.k8s.io/v1/ingress" -}}\n{{- end }}\n`
    const lost = says('networking.k8s.io/v1/ingress', 'Ingress', 'networking.k8s.io/v1/Ingress')
    expect(await unrendered(`${right}${head}`)).toEqual([`introduced warning ${file}:11:39 ${lost}`])
    expect(await unrendered(`${right}${head}`, `${head}${right}`)).toEqual([])
  })

  test.each([
    ['"v1/secret"', 'v1/secret', 'Secret', 'v1/Secret'],
    ['`policy/v1/poddisruptionbudgets`', 'policy/v1/poddisruptionbudgets', 'PodDisruptionBudget', ''],
    ['"cert-manager.io/v1/certificate"', 'cert-manager.io/v1/certificate', 'Certificate', ''],
  ])('is one for %s', (api, written, kind, full) => {
    const group = written.slice(0, written.lastIndexOf('/'))
    expect(misspelt(asks(api))).toEqual([says(written, kind, full || `${group}/${kind}`)])
  })

  test.each([
    ['the kind is right', asks('"networking.k8s.io/v1/Ingress"')],
    ['it asks for no kind', asks('"networking.k8s.io/v1"') + asks('"v1"')],
    ['the group is not known', asks('"example.com/v1/ingress"')],
    ['the group has no such kind', asks('"networking.k8s.io/v1/webs"')],
    [
      'it asks for the right one, too',
      asks('"apps/v1/deployment"', 'or (.Capabilities.APIVersions.Has "apps/v1/Deployment") '),
    ],
    ['it is made', asks('(printf "%s/ingress" .Values.api)') + asks('.Values.api')],
    ['it is asked of something else', '{{ has "networking.k8s.io/v1/ingress" .Values.apis }}'],
  ])('is none where %s', (_, template) => {
    expect(misspelt(template)).toEqual([])
  })
})

test('each such fault of a change is a warning at its line', async () => {
  const head = `{{- if .Values.acme.enabled }}
kind: Issuer
{{- if .Values.acme.name -}}
metadata: {name: {{ .acme.name }}}
{{- end }}
{{- end }}
`
  expect(await unrendered(head)).toEqual([
    expect.stringMatching(`^introduced warning ${file}:3:1 Both dashes of this action take away a line break`),
    expect.stringMatching(`^introduced warning ${file}:4:21 Helm cannot render this line, because .acme.name is none`),
  ])
  expect(await unrendered(head, `# As before.\n${head}`)).toEqual([])
})
