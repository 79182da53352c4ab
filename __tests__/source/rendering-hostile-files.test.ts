import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Checkout } from '../../src/revision/checkout'
import { readTree } from '../../src/revision/tree'
import { checkWithin } from '../cli/guard'
import { MemoryRevision } from '../memory-revision'
import { chart, config, helm, honest, judged, small, web } from './hostile'
import { role } from './objects'
import { type Files, TestRepository, temporaryFolder } from './repository'

describe('files of a chart', () => {
  test.each([
    [
      'a link out of the repository',
      { 'app/templates/web.yaml': { link: '/etc/passwd' } },
      'head/app/templates/web.yaml:1 Its file app/templates/web.yaml cannot be used: it is a symbolic link out of the repository, which is not followed.',
    ],
    [
      'a link above the repository',
      { 'app/files': { link: '../..' } },
      'head/app/files:1 Its file app/files cannot be used: it is a symbolic link out of the repository, which is not followed.',
    ],
    [
      'a link to itself',
      { 'app/templates/a.yaml': { link: 'a.yaml' } },
      'head/app/templates/a.yaml:1 Its file app/templates/a.yaml cannot be used: it is a symbolic link that leads back to itself.',
    ],
    [
      'a line break in a name',
      { 'app/templates/a\nx: ".yaml': role('hidden') },
      'head/app/templates/a\nx: ".yaml:1 Its file "app/templates/a\\nx: \\".yaml" has a line break in its name, so the output of helm is ambiguous; rename it.',
    ],
    [
      'a chart that takes in itself',
      { 'app/Chart.yaml': chart('app', 'dependencies:\n  - {name: app, version: 1.0.0, repository: "file://."}\n') },
      'head/app/Chart.yaml:5 Its dependency app names app, which contains the chart itself.',
    ],
    [
      'a chart whose name would lay it over another',
      {
        'app/Chart.yaml': chart('app', 'dependencies:\n  - {name: sub, version: 1.0.0, repository: "file://../sub"}\n'),
        'sub/Chart.yaml': chart('../../app/templates'),
      },
      'head/app/Chart.yaml:5 Its dependency sub has the name "../../app/templates", which is not a valid chart name.',
    ],
  ])('%s', async (_, files, expected) => {
    const { status, said } = await judged(files as Files)
    expect(said.map((line) => line.replace(/ It is unknown whether this change keeps .*/, ''))).toEqual([
      `introduced ${expected}`,
    ])
    expect(status).toBe(1)
  })

  test('links round in circles end', async () => {
    const { status, said } = await judged({ 'app/templates/a': { link: '..' }, 'app/templates/b': { link: '..' } })
    expect(said).toEqual([
      expect.stringMatching(
        /^introduced head\/app\/Chart\.yaml:1 Helm cannot render it: .*too many levels of symbolic links\./,
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
    expect(report.inspected.files).toContainEqual(
      expect.objectContaining({ path: 'shared/role.yaml', state: 'judged', objects: ['ClusterRole linked'] }),
    )
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
        /^introduced head\/a\d+\/Chart\.yaml:\d With its dependency [ab]\d+ it is larger than 64 MiB\.$/,
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
      'app/templates/../up.yaml:1 Its file app/templates/../up.yaml cannot be used: Git clients refuse to write a file with its name. It is unknown whether this change keeps ClusterRole web.',
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
    const checkout = new Checkout(revision, await readTree(revision, []), () => path.join(outer, 'inner'))
    const refused = 'Git clients refuse to write a file with its name'
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
