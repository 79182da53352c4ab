import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { Checkout } from '../../src/source/checkout'
import type { Limits } from '../../src/source/render/tool'
import { readTree } from '../../src/source/tree'
import { checkWithin } from '../cli/guard'
import { root } from '../harness'
import { MemoryRevision } from '../memory-revision'
import { configMap, role } from './objects'
import { type Files, TestRepository, temporaryFolder, withEnvironment, writeFiles } from './repository'

const bin = path.join(root, '.tools', 'bin')
const helms = ['helm', 'helm3'].map((name) => path.join(bin, name)).filter((file) => existsSync(file))
const [helm = 'helm'] = helms
const kubectl = existsSync(path.join(bin, 'kubectl')) ? path.join(bin, 'kubectl') : 'kubectl'

/** Small enough for tests, and more than any honest rendering here takes. */
const small: Limits = { seconds: 20, outputMiB: 4, memoryMiB: 2048, objects: 500 }

function chart(name: string, more = ''): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`
}

/** A file of the repository as hostile input makes it, beside a release that is in order. */
const honest: Files = {
  'app/Chart.yaml': chart('app'),
  'app/values.yaml': 'a: 1\n',
  'app/templates/web.yaml': role('web'),
}

const web = { chart: 'app', release: 'web', namespace: 'shop' }

/** A config with a release on each line from the second on. */
function config(...releases: readonly object[]): Files {
  const lines = releases.map((release) => JSON.stringify(release)).join(',\n')
  return { '.github/ingress-guard.yaml': `{"format": 1, "helm": [\n${lines}\n]}\n` }
}

interface Case {
  readonly base?: Files
  readonly releases?: readonly object[]
  readonly limits?: Limits
  readonly helm?: string
}

/** What the gate says of a change, a line for each finding; by default of a release that the base declares. */
async function judged(head: Files, { base = config(web), releases, limits = small, helm: program = helm }: Case = {}) {
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  writeFiles(before, { ...honest, ...base })
  writeFiles(after, { ...honest, ...base, ...head, ...(releases ? config(...releases) : {}) })
  return judgedFolders(before, after, program, limits)
}

async function judgedFolders(base: string, head: string, program = helm, limits = small, ...more: readonly string[]) {
  const report = await checkWithin(
    limits,
    ...['--base', base, '--head', head, '--helm', program, '--kustomize', kubectl, ...more],
  )
  const said = report.findings
    .filter(({ rule }) => rule.startsWith('source/'))
    .map(
      ({ status, location, text }) =>
        `${status} ${location.side}/${location.path}:${location.region.startLine} ${text}`,
    )
  return { status: report.status, said, report }
}

/** A program that stands in for helm. */
function fake(script: string): string {
  const file = path.join(temporaryFolder(), 'helm')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/** A tar archive; names are written as they are. */
function tar(entries: Readonly<Record<string, string | Buffer | { readonly link: string }>>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, content]) => {
    const link = typeof content === 'object' && 'link' in content ? content.link : ''
    const body = Buffer.from(link ? '' : (content as string))
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(link ? '2' : '0', 156)
    header.write(link, 157)
    header.write('ustar\x0000', 257, 'latin1')
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

test('helm 3 and helm 4 are here', () => {
  expect(helms.length === 2 || process.platform !== 'linux' || process.arch !== 'x64').toBe(true)
})

describe.each(helms)('with %s', (program) => {
  const lost = 'What becomes of ClusterRole web is not known.'

  test.each([
    [
      'a template that takes itself in',
      '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
      /^introduced head\/app\/templates\/web\.yaml:1 Helm does not render it: template: .* rendering template has a nested reference name: x: unable to execute template\. What/,
    ],
    [
      'a loop over more numbers than memory holds',
      '{{ range until 2000000000 }}{{ end }}',
      /^introduced head\/app\/Chart\.yaml:1 Helm was ended, because it took more than 2048 MiB of memory\. What/,
    ],
    [
      'a text larger than memory',
      '{{ repeat 1000000000 "xxxxxxxxxx" }}',
      /^introduced head\/app\/Chart\.yaml:1 Helm was ended, because it took more than 2048 MiB of memory\. What/,
    ],
    [
      'a rendering that prints too much',
      `${role('web')}x: {{ repeat 5000000 "x" }}`,
      /^introduced head\/app\/Chart\.yaml:1 Helm was ended, because it printed more than 4 MiB\. What/,
    ],
    [
      'a rendering to too many objects',
      `{{ range until 600 }}---\n${role('web-{{ . }}')}{{ end }}`,
      /^introduced head\/app\/templates\/web\.yaml:1 It renders to more than 500 objects\. What/,
    ],
    [
      'the environment',
      `${role('web')}# {{ env "HOME" }}`,
      /^introduced head\/app\/templates\/web\.yaml:5 Helm does not render it: .*function "env" not defined\. What/,
    ],
    [
      'expanded variables',
      `${role('web')}# {{ expandenv "$HOME" }}`,
      /^introduced head\/app\/templates\/web\.yaml:5 Helm does not render it: .*function "expandenv" not defined\. What/,
    ],
  ])('%s', async (_, template, expected) => {
    const { status, said } = await judged({ 'app/templates/web.yaml': template }, { helm: program })
    expect(said).toEqual([expect.stringMatching(expected)])
    expect(status).toBe(1)
  })

  test('a template that never ends is ended', async () => {
    const forever = '{{ range until 30000 }}{{ range until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}{{ end }}'
    const limits = { ...small, seconds: 2 }
    const { status, said } = await judged({ 'app/templates/web.yaml': forever }, { helm: program, limits })
    expect(said).toEqual([
      `introduced head/app/Chart.yaml:1 Helm was ended, because it was not done after 2 seconds. ${lost}`,
    ])
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
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 0 })
  })

  test.each([
    ['an alias bomb', bomb(), /yaml: document contains excessive aliasing/],
    ['a great depth', `a: ${'['.repeat(20_000)}\n`, /yaml: exceeded max depth of 10000/],
  ])('values: %s', async (_, values, words) => {
    const { status, said } = await judged({ 'app/values.yaml': values }, { helm: program })
    expect(said).toEqual([
      expect.stringMatching(
        /^introduced head\/app\/values\.yaml:1 Helm does not render it: cannot load values\.yaml: /,
      ),
    ])
    expect(said[0]).toMatch(words)
    expect(status).toBe(1)
  })

  test.each([
    [
      'empty',
      '',
      /^introduced head\/app\/Chart\.yaml:1 Helm does not render it: validation: chart\.metadata\.name is required/,
    ],
    [
      'a list',
      '- a\n',
      /^introduced head\/app\/Chart\.yaml:1 Helm does not render it: cannot load Chart\.yaml: .*cannot unmarshal array/,
    ],
    [
      'binary',
      Buffer.from([1, 2, 255, 0]),
      /^introduced head\/app\/Chart\.yaml:1 Helm does not render it: cannot load Chart\.yaml: .*control characters/,
    ],
    [
      'of great depth',
      `${chart('app')}x: ${'['.repeat(20_000)}`,
      /^introduced head\/app\/Chart\.yaml:\d Helm does not render it: cannot load Chart\.yaml: .*exceeded max depth/,
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
      `introduced head/app/templates/web.yaml:1 Helm does not render it: YAML parse error on app/templates/web.yaml: error converting YAML to JSON: yaml: invalid leading UTF-8 octet. ${lost}`,
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
      /does not render it: (?:chart illegally references parent directory|unable to load chart archive)\.$/,
    ],
    // Helm 3 unpacks it, and prints it.
    [
      'a gzip bomb',
      { 'app/templates/big.yaml': Buffer.alloc(8 * 1024 * 1024, '#') },
      /(?:unable to load chart archive|it printed more than 4 MiB)\.$/,
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
})

/** Nine to the ninth strings, in ten lines. */
function bomb(): string {
  const lists = 'bcdefghi'.split('').map((name, index) => {
    const inner = `*${'abcdefgh'[index]}`
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]\n`
  })
  return `a: &a [${Array(9).fill('x').join(', ')}]\n${lists.join('')}`
}

describe('what a config declares', () => {
  test('reaches helm as names and files, never as options, URLs or places outside', async () => {
    const long = 'x'.repeat(300_000)
    const { status, said } = await judged(
      { 'v.yaml': { link: '/etc/passwd' }, 'up.yaml': { link: '../up.yaml' } },
      {
        base: {},
        releases: [
          { ...web, release: '--post-renderer' },
          { ...web, release: 'a\nb' },
          { ...web, release: 'a\0b' },
          { ...web, release: '../web' },
          { ...web, release: 'oci', chart: 'oci://charts.example/app' },
          { ...web, release: 'https', chart: 'https://charts.example/app.tgz' },
          { ...web, release: 'absolute', chart: '/etc' },
          { ...web, release: 'above', chart: '../app' },
          { ...web, release: 'around', chart: 'x/../app' },
          { ...web, release: 'dash', chart: '--help' },
          { ...web, release: 'v1', values: ['https://values.example/v.yaml'] },
          { ...web, release: 'v2', values: ['/etc/passwd'] },
          { ...web, release: 'v3', values: ['app/../../v.yaml'] },
          { ...web, release: 'v4', values: ['v.yaml'] },
          { ...web, release: 'v5', values: ['--help'] },
          { ...web, release: 's1', set: { 'a,b': 1 } },
          { ...web, release: 's2', set: { 'a[100000000]': 1 } },
          { ...web, release: 's3', set: { a: long } },
          { ...web, release: 'k1', kubeVersion: '--help' },
          { ...web, release: 'k2', apiVersions: ['a"b'] },
        ],
      },
    )
    const place = (line: number) => `introduced head/.github/ingress-guard.yaml:${line} `
    const regex =
      'invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53.'
    const refused = 'Helm does not render it: release name check failed: release name'
    expect(said).toEqual([
      `${place(2)}${refused} "--post-renderer": ${regex}`,
      `${place(3)}${refused} "a\\nb": ${regex}`,
      `${place(4)}Helm does not render it: what it is to be told holds a NUL character.`,
      `${place(5)}${refused} "../web": ${regex}`,
      `${place(6)}There is no chart oci://charts.example/app in this repository.`,
      `${place(7)}There is no chart https://charts.example/app.tgz in this repository.`,
      `${place(8)}There is no chart /etc in this repository.`,
      `${place(9)}There is no chart ../app in this repository.`,
      `${place(10)}There is no chart x/../app in this repository.`,
      `${place(11)}There is no chart --help in this repository.`,
      `${place(12)}There is no values file https://values.example/v.yaml in this repository.`,
      `${place(13)}There is no values file /etc/passwd in this repository.`,
      `${place(14)}There is no values file app/../../v.yaml in this repository.`,
      `${place(15)}There is no values file v.yaml in this repository.`,
      `${place(16)}There is no values file --help in this repository.`,
      `${place(17)}Helm does not render it: failed parsing --set-json data a,b=1.`,
      `${place(18)}Helm does not render it: failed parsing --set-json data a[100000000]=1.`,
      `${place(19)}Helm does not render it: what it is to be told is too long for a command line.`,
      `${place(20)}Helm does not render it: invalid kube version '--help': could not parse "--help" as version.`,
      `${place(21)}Helm does not render it: invalid argument "a\\"b" for "-a, --api-versions" flag: parse error on line 1, column 2: bare " in non-quoted-field.`,
    ])
    expect(status).toBe(1)
  })

  test('a comma in the name of a values file does not make two of it', async () => {
    const outside = path.join(temporaryFolder(), 'v.yaml')
    writeFileSync(outside, 'name: outside\n')
    const template = role('{{ .Values.name }}')
    const { said, report } = await judged(
      { a: 'x: 1\n', [`a,${outside}`]: 'name: web\n', 'app/templates/web.yaml': template },
      { base: config({ ...web, values: ['app/values.yaml'] }), releases: [{ ...web, values: [`a,${outside}`] }] },
    )
    expect(said).toEqual([])
    expect(report.inspected.changes).toMatchObject({ added: 0 })
  })

  test('strange but honest namespaces and keys are taken as they are', async () => {
    const releases = [
      { ...web, namespace: '--kubeconfig' },
      { ...web, release: 'two', set: { '--help': 1, 'a b': '{x,y}' } },
    ]
    const { said, status } = await judged({}, { base: {}, releases })
    expect([...said, status]).toEqual([0])
  })
})

describe('files of a chart', () => {
  test.each([
    [
      'a link out of the repository',
      { 'app/templates/web.yaml': { link: '/etc/passwd' } },
      'head/app/templates/web.yaml:1 Its file app/templates/web.yaml is not to be had: it is a symbolic link out of the repository, which is not followed.',
    ],
    [
      'a link above the repository',
      { 'app/files': { link: '../..' } },
      'head/app/files:1 Its file app/files is not to be had: it is a symbolic link out of the repository, which is not followed.',
    ],
    [
      'a link to itself',
      { 'app/templates/a.yaml': { link: 'a.yaml' } },
      'head/app/templates/a.yaml:1 Its file app/templates/a.yaml is not to be had: it is a symbolic link that leads back to itself.',
    ],
    [
      'a line break in a name',
      { 'app/templates/a\nx: ".yaml': role('hidden') },
      'head/app/templates/a\nx: ".yaml:1 Its file "app/templates/a\\nx: \\".yaml" has a line break in its name, so what helm prints cannot be told apart; rename it.',
    ],
    [
      'a chart that takes in itself',
      { 'app/Chart.yaml': chart('app', 'dependencies:\n  - {name: app, version: 1.0.0, repository: "file://."}\n') },
      'head/app/Chart.yaml:5 Its dependency app is in app, which it is itself a part of.',
    ],
    [
      'a chart whose name would lay it over another',
      {
        'app/Chart.yaml': chart('app', 'dependencies:\n  - {name: sub, version: 1.0.0, repository: "file://../sub"}\n'),
        'sub/Chart.yaml': chart('../../app/templates'),
      },
      'head/app/Chart.yaml:5 Its dependency sub calls itself "../../app/templates", which is no name of a chart.',
    ],
  ])('%s', async (_, files, expected) => {
    const { status, said } = await judged(files as Files)
    expect(said.map((line) => line.replace(/ What becomes of .*/, ''))).toEqual([`introduced ${expected}`])
    expect(status).toBe(1)
  })

  test('links round in circles end', async () => {
    const { status, said } = await judged({ 'app/templates/a': { link: '..' }, 'app/templates/b': { link: '..' } })
    expect(said).toEqual([
      expect.stringMatching(
        /^introduced head\/app\/Chart\.yaml:1 Helm does not render it: .*too many levels of symbolic links\./,
      ),
    ])
    expect(status).toBe(1)
  })

  test('links inside the repository work', async () => {
    const { said, report } = await judged(
      {
        'app/templates/more': { link: '../../shared' },
        'shared/role.yaml': role('{{ .Values.name }}'),
        'values/real.yaml': 'name: linked\n',
        'v.yaml': { link: 'values/real.yaml' },
      },
      { base: config({ ...web, values: ['app/values.yaml'] }), releases: [{ ...web, values: ['v.yaml'] }] },
    )
    expect(said).toEqual([])
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 0 })
  })

  test('charts that take in each other twice at every step are not put together', async () => {
    const files: Record<string, string> = {}
    for (let step = 0; step < 30; step++) {
      for (const name of ['a', 'b']) {
        const next = ['a', 'b'].map(
          (one) => `  - {name: ${one}${step + 1}, version: 1.0.0, repository: "file://../${one}${step + 1}"}\n`,
        )
        files[`${name}${step}/Chart.yaml`] = chart(`${name}${step}`, step < 29 ? `dependencies:\n${next.join('')}` : '')
      }
    }
    const { status, said } = await judged(files, { releases: [{ ...web, chart: 'a0' }] })
    expect(said).toEqual([
      expect.stringMatching(
        /^introduced head\/a\d+\/Chart\.yaml:\d With its dependency [ab]\d+ it comes to more than 64 MiB\.$/,
      ),
    ])
    expect(status).toBe(1)
  })

  test('a Git tree with names that no client writes stays inside', async () => {
    const repository = new TestRepository()
    const base = repository.commit({ ...honest, ...config(web) })
    const blob = repository.git('rev-parse', 'HEAD:app/values.yaml')
    const dots = tree(repository, [`100644 blob ${blob}\tup.yaml`])
    const templates = tree(repository, [
      `040000 tree ${dots}\t..`,
      `100644 blob ${repository.git('rev-parse', 'HEAD:app/templates/web.yaml')}\tweb.yaml`,
      `100644 blob ${blob}\t-x.yaml`,
      `040000 tree ${dots}\t.git`,
      `100644 blob ${blob}\tWEB.yaml`,
    ])
    const app = tree(repository, [
      ...['Chart.yaml', 'values.yaml'].map(
        (name) => `100644 blob ${repository.git('rev-parse', `HEAD:app/${name}`)}\t${name}`,
      ),
      `040000 tree ${templates}\ttemplates`,
    ])
    const top = tree(repository, [
      `040000 tree ${app}\tapp`,
      `040000 tree ${repository.git('rev-parse', 'HEAD:.github')}\t.github`,
    ])
    const head = repository.git('commit-tree', '-p', base, '-m', 'hostile', top)
    const report = await checkWithin(small, '--repo', repository.dir, '--base', base, '--head', head, '--helm', helm)
    expect(
      report.findings.map(({ location, text }) => `${location.path}:${location.region.startLine} ${text}`),
    ).toEqual([
      'app/templates/../up.yaml:1 Its file app/templates/../up.yaml is not to be had: it has a name that no Git client writes. What becomes of ClusterRole web is not known.',
    ])
  })

  test('no name leads out of the folder that a revision is laid out in', async () => {
    const names = [
      '../up',
      '/etc/x',
      'a/../../x',
      'a//b',
      './c',
      `long/${'n'.repeat(300)}`,
      'ok/a.yaml',
      'ok/a.yaml/below',
    ]
    const revision = new MemoryRevision('head', Object.fromEntries(names.map((name) => [name, 'x'])))
    const outer = temporaryFolder()
    const checkout = new Checkout(revision, await readTree(revision, []), path.join(outer, 'inner'))
    const refused = 'it has a name that no Git client writes'
    expect([...(await checkout.layOut(names))]).toEqual([
      ['../up', refused],
      ['/etc/x', refused],
      ['a/../../x', refused],
      ['a//b', refused],
      ['./c', refused],
      [`long/${'n'.repeat(300)}`, 'it cannot be written here (ENAMETOOLONG)'],
      [
        expect.stringMatching(/^ok/),
        expect.stringMatching(/^it cannot be written here \((?:EEXIST|ENOTDIR|EISDIR)\)$/),
      ],
    ])
    expect(readdirSync(outer)).toEqual(['inner'])
  })
})

function tree(repository: TestRepository, entries: readonly string[]): string {
  return execFileSync('git', ['-C', repository.dir, 'mktree', '-z'], {
    input: entries.map((entry) => `${entry}\0`).join(''),
  })
    .toString()
    .trim()
}

describe('a helm that is none', () => {
  const changed = { 'app/values.yaml': 'a: 2\n' }

  test.each([
    ['prints garbage', 'echo hello', 'head/.github/ingress-guard.yaml:2 Helm printed what is no rendering: hello.'],
    ['says nothing', 'exit 3', 'head/app/Chart.yaml:1 Helm ended with status 3 and said nothing.'],
    ['hangs', 'sleep 600', 'head/app/Chart.yaml:1 Helm was ended, because it was not done after 1 seconds.'],
    [
      'leaves its output open',
      'setsid sleep 4 & sleep 0.3',
      'head/app/Chart.yaml:1 Helm was ended, because it was not done after 1 seconds.',
    ],
  ])('one that %s is a finding, whatever it did at the base', async (_, script, expected) => {
    const { status, said } = await judged(changed, { helm: fake(script), limits: { ...small, seconds: 1 } })
    expect(said).toEqual([`introduced ${expected}`])
    expect(status).toBe(1)
  })

  test('its children end with it', async () => {
    const pids = path.join(temporaryFolder(), 'pids')
    const script = `trap '' TERM INT HUP\nsh -c 'trap "" TERM; echo $$ >> ${pids}; sleep 600' &\nsleep 600`
    await judged(changed, { helm: fake(script), limits: { ...small, seconds: 1 } })
    const alive = () =>
      readFileSync(pids, 'utf8')
        .trim()
        .split('\n')
        .filter((pid) => existsSync(`/proc/${pid}`) && !/ Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
    expect(alive()).toEqual([])
  })

  test.each([
    ['is not there', '/no/helm', 'is not there'],
    ['is a folder', bin, 'is a folder'],
    ['may not be executed', path.join(root, 'package.json'), 'may not be executed'],
    ['is in no folder of the PATH', 'no-such-helm', 'is in no folder of the PATH'],
  ])('one that %s', async (_, named, fault) => {
    const { status, said } = await judged(changed, { helm: named })
    expect(said).toEqual([
      `introduced head/.github/ingress-guard.yaml:2 Release shop/web of app could not be judged: ${named}, which the input or option helm names, ${fault}.`,
    ])
    expect(status).toBe(1)
  })

  test('one that this machine cannot run', async () => {
    const file = fake('')
    writeFileSync(file, Buffer.from([1, 2, 3, 4]))
    const { status, said } = await judged(changed, { helm: file })
    expect(said).toEqual([
      `introduced head/.github/ingress-guard.yaml:2 Release shop/web of app could not be judged: helm cannot be run: ${file}: Exec format error.`,
    ])
    expect(status).toBe(1)
  })

  test('a missing one matters only to what needs it', async () => {
    const { status, said } = await judged({ 'role.yaml': role('plain') }, { helm: '/no/helm' })
    expect([...said, status]).toEqual([0])
  })
})

test('helm sees nothing of the job, and the home it is given is empty', async () => {
  const seen = path.join(temporaryFolder(), 'environment')
  const secrets = {
    GITHUB_TOKEN: 'secret-token',
    HELM_KUBETOKEN: 'secret-kube',
    HELM_PLUGINS: '/secret-plugins',
    HELM_REPOSITORY_CONFIG: '/secret-repositories',
    HELM_NAMESPACE: 'secret-namespace',
    HTTPS_PROXY: 'http://secret-proxy.example',
    NODE_OPTIONS: process.env.NODE_OPTIONS,
  }
  const { said } = await withEnvironment(secrets, () =>
    judged(
      { 'app/values.yaml': 'a: 2\n' },
      { helm: fake(`env >> ${seen}; ls -A "$HOME" >> ${seen}; exec ${helm} "$@"`) },
    ),
  )
  expect(said).toEqual([])
  const text = readFileSync(seen, 'utf8')
  expect(text).not.toMatch(/secret|GITHUB|NODE|^values/m)
  expect(text).toMatch(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:9$/m)
  expect(text).not.toContain(`HOME=${process.env.HOME}\n`)
})

test('runs at the same time do not meet, start no more tools than there are processors, and leave nothing', async () => {
  const counts = temporaryFolder()
  const counting = fake(
    `d=${counts}/running.$$; mkdir $d; ls -d ${counts}/running.* | wc -l >> ${counts}/seen; sleep 0.2; rmdir $d; exec ${helm} "$@"`,
  )
  const releases = Array.from({ length: 6 }, (_, index) => ({ ...web, release: `web-${index}` }))
  const folders = ['one', 'two'].map((name) => {
    const [before, after] = [temporaryFolder(), temporaryFolder()]
    const files = { 'app/templates/web.yaml': role(`{{ .Release.Name }}-${name}`) }
    writeFiles(before, { ...honest, ...config() })
    writeFiles(after, { ...honest, ...config(...releases), ...files })
    return [before, after] as const
  })
  const own = temporaryFolder()
  const runs = await withEnvironment({ TMPDIR: own }, async () => {
    const first = await Promise.all(folders.map(([before, after]) => judgedFolders(before, after)))
    const [before, after] = folders[0] as [string, string]
    await judgedFolders(before, after, counting)
    await judgedFolders(before, after, '/no/helm')
    await expect(judgedFolders(before, '/no/such/folder')).rejects.toThrow('no report')
    return first
  })
  // The six, and the chart as it was tried before it was declared.
  expect(runs.map(({ report }) => report.inspected.head.manifests)).toEqual([7, 7])
  const most = Math.max(...readFileSync(path.join(counts, 'seen'), 'utf8').trim().split(/\s+/).map(Number))
  expect(most).toBeLessThanOrEqual(availableParallelism())
  expect(readdirSync(own)).toEqual([])
})

describe('Kustomizations', () => {
  test('what they would fetch or read outside is refused at its line, with no request made', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end(configMap('fetched'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const written: readonly (readonly [text: string, line: number, taken: string, more?: Files])[] = [
      ...[
        'https://bases.example/web?ref=main',
        'git@github.com:owner/name',
        'github.com/owner/name//folder?ref=v1',
        'ssh://git@bases.example/web',
        'file:///tmp/web',
        'git::https://bases.example/web',
        'gh:owner/name',
        'user@bases.example/web',
        '/etc',
        '../../..',
        `${url}/resource.yaml`,
      ].map((taken) => [`resources:\n  - cm.yaml\n  - ${taken}\n`, 3, taken] as const),
      [`resources: [cm.yaml]\ncommonLabels:\n  u: &u ${url}/alias.yaml\ncrds:\n  - *u\n`, 3, `${url}/alias.yaml`],
      [`patches:\n  - path: ${url}/patch.yaml\n`, 2, `${url}/patch.yaml`],
      ['configMapGenerator:\n  - name: a\n    files:\n      - b=/etc/passwd\n', 4, 'b=/etc/passwd'],
      [`commonLabels:\n  u: &u ${url}/alias\nconfigMapGenerator:\n  - name: a\n    files: [*u]\n`, 2, `${url}/alias`],
      [`secretGenerator:\n  - name: a\n    env: ${url}/env\n`, 3, `${url}/env`],
      [
        'generators:\n  - plugin.yaml\n',
        4,
        `${url}/plugin`,
        {
          'plugin.yaml': `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: ["${url}/plugin"]\n`,
        },
      ],
      [
        'transformers:\n  - plugin.yaml\n',
        4,
        `${url}/plugin`,
        {
          'plugin.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: "${url.replace('h', '\\x68')}/plugin"\n`,
        },
      ],
      [
        `generators:\n  - |\n    apiVersion: builtin\n    kind: ConfigMapGenerator\n    metadata: {name: a}\n    files: [${url}/inline]\n`,
        2,
        `${url}/inline`,
      ],
    ]
    const files: Record<string, Files[string]> = {}
    for (const [index, [text, , , more]] of written.entries()) {
      const folder = `k${String(index).padStart(2, '0')}`
      files[`${folder}/kustomization.yaml`] = text
      files[`${folder}/cm.yaml`] = configMap('web')
      for (const [name, content] of Object.entries(more ?? {})) files[`${folder}/${name}`] = content
    }
    const { status, said } = await judged(files)
    server.close()
    expect(said).toEqual(
      written.map(([, line, taken, more], index) => {
        const file = `k${String(index).padStart(2, '0')}/${more ? 'plugin' : 'kustomization'}.yaml`
        return `introduced head/${file}:${line} It takes in ${taken}, which is not in this repository; vendor it and name the copy.`
      }),
    )
    expect(status).toBe(1)
    expect(requests).toEqual([])
  })

  test('what is malformed or would run a program is said', async () => {
    const ran = path.join(temporaryFolder(), 'ran')
    const plugin = `apiVersion: example.com/v1\nkind: Plugin\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./run.sh}\n`
    const { status, said } = await judged({
      'a/kustomization.yaml': '',
      'b/kustomization.yaml': '- a\n',
      'c/kustomization.yaml': 'resources:\n\t- a.yaml\n',
      'd/kustomization.yaml': 'resources: []\n',
      'd/kustomization.yml': 'resources: []\n',
      'e/kustomization.yaml': `x: ${'['.repeat(100_000)}`,
      'f/kustomization.yaml': 'resources: [.]\n',
      'g/kustomization.yaml': 'generators: [plugin.yaml]\n',
      'g/plugin.yaml': plugin,
      'g/run.sh': `#!/bin/sh\ntouch ${ran}\n`,
      'h/kustomization.yaml': 'patches: [{path: p.yaml}]\n',
      'h/p.yaml': { link: '/etc/passwd' },
    })
    const words = (folder: string, text: string) =>
      expect.stringMatching(
        new RegExp(`^introduced head/${folder}/kustomization.yaml:1 Kustomize does not build it: ${text}`),
      )
    expect(said).toEqual([
      words('a', 'kustomization.yaml is empty\\.$'),
      words('b', 'invalid Kustomization: json: cannot unmarshal array'),
      'introduced head/c/kustomization.yaml:2 Kustomize cannot read it: tabs are not allowed as indentation.',
      words('d', 'Found multiple kustomization files under: d\\.$'),
      'introduced head/e/kustomization.yaml:1 Kustomize cannot read it: it nests deeper than any manifest.',
      words('f', '.*cycle detected'),
      words('g', '.*external plugins disabled'),
      words('h', ".*'h/p.yaml' : lstat h/p.yaml: no such file or directory\\.$"),
    ])
    expect(status).toBe(1)
    expect(existsSync(ran)).toBe(false)
  })

  test('one that takes in two that take in two, and so on, is ended', async () => {
    const files: Record<string, string> = { 'a23/cm.yaml': configMap('web'), 'b23/cm.yaml': configMap('web') }
    for (let step = 0; step < 24; step++) {
      const resources = step < 23 ? `../a${step + 1}, ../b${step + 1}` : 'cm.yaml'
      for (const name of ['a', 'b'])
        files[`${name}${step}/kustomization.yaml`] = `namePrefix: ${name}${step}\nresources: [${resources}]\n`
    }
    files['b0/kustomization.yaml'] = 'resources: [../a0]\n'
    const { status, said } = await judged(files, { limits: { ...small, seconds: 2 } })
    expect(said).toEqual([
      'introduced head/b0/kustomization.yaml:1 Kustomize was ended, because it was not done after 2 seconds.',
    ])
    expect(status).toBe(1)
  })

  test('a vendored chart of an inflated Kustomization is all that helm gives it', async () => {
    const { said, report } = await judged({
      'k/kustomization.yaml': 'helmCharts:\n  - name: sub\n',
      'k/charts/sub/Chart.yaml': chart('sub'),
      'k/charts/sub/values.yaml': '{}\n',
      'k/charts/sub/templates/role.yaml': role('inflated'),
      'l/kustomization.yaml': 'helmCharts:\n  - name: sub\n    version: 1.0.0\n    repo: http://127.0.0.1:9\n',
      'l/charts/sub/Chart.yaml': chart('sub'),
    })
    expect(said).toEqual([])
    expect(report.inspected.skipped).toContainEqual({
      path: 'l/kustomization.yaml',
      reason: 'the chart sub of http://127.0.0.1:9 is not in this repository',
    })
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 0 })
  })
})
