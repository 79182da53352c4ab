import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { writePatches } from '../../src/cli/fix'
import { GuardError } from '../../src/errors'
import type { Patch } from '../../src/finding/edited-text'
import { configMap, ingress, role, stream } from '../source/objects'
import { TestRepository, temporaryFolder } from '../source/repository'
import { guard } from './guard'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = `# keep me\n${ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])}`
const fixed = `# keep me\n${ingress('web', ['a.example.com', 'b.example.com'], ['a.example.com', 'b.example.com'])}`

function repository(files: Record<string, string>): TestRepository {
  const repo = new TestRepository()
  repo.commit({ 'web.yaml': sound, 'rbac.yaml': stream(configMap('a'), role('system:a')) })
  return repo.write(files)
}

const check = (repo: TestRepository, ...argv: string[]) =>
  guard(['check', '--repo', repo.dir, '--base', 'HEAD', '--today', '2026-11-21', ...argv])
const read = (repo: TestRepository, file: string) => readFileSync(path.join(repo.dir, file), 'utf8')

describe('check --fix', () => {
  test('fixes the working tree, shows the diff, and checks again', async () => {
    const repo = repository({ 'web.yaml': holed, 'rbac.yaml': configMap('a') })
    chmodSync(path.join(repo.dir, 'web.yaml'), 0o750)
    const { status, stdout, stderr } = await check(repo, '--fix')
    expect(stderr).toBe('ingress-guard: fixed rbac.yaml and web.yaml, and checked again\n')
    expect(stdout).toMatch(/^--- a\/rbac\.yaml\n\+\+\+ b\/rbac\.yaml\n@@ -3,4 \+3,9 @@\n metadata:\n/)
    expect(stdout).toContain('\n+kind: ClusterRole\n')
    expect(stdout).toContain('\n-      hosts: [a.example.com]\n+      hosts: [a.example.com, b.example.com]\n')
    expect(stdout).toMatch(/\ningress-guard found nothing\./)
    expect(status).toBe(0)
    expect(read(repo, 'web.yaml')).toBe(fixed)
    expect(statSync(path.join(repo.dir, 'web.yaml')).mode & 0o777).toBe(0o750)
    expect(read(repo, 'rbac.yaml')).toBe(stream(configMap('a'), role('system:a')))
  })

  test('=dry shows the diff and writes nothing', async () => {
    const repo = repository({ 'web.yaml': holed })
    const { status, stdout, stderr } = await check(repo, '--fix=dry')
    expect(stderr).toBe('ingress-guard: --fix would change web.yaml; nothing was written\n')
    expect(stdout).toMatch(/^--- a\/web\.yaml\n/)
    expect(stdout).toMatch(/\ningress-guard found 1 error and blocks this change\./)
    expect(status).toBe(1)
    expect(read(repo, 'web.yaml')).toBe(holed)
  })

  test('leaves the standard output to the report where it is for a program', async () => {
    const repo = repository({ 'web.yaml': holed })
    const { stdout, stderr } = await check(repo, '--fix=dry', '--format', 'json')
    const [finding] = JSON.parse(stdout).findings
    expect(finding.fix.edits).toEqual([
      {
        path: 'web.yaml',
        region: { startLine: 10, startColumn: 28, endLine: 10, endColumn: 28 },
        newText: ', b.example.com',
      },
    ])
    expect(stderr).toMatch(/^--- a\/web\.yaml\n/)
  })

  test('says so where no finding counts that has a fix', async () => {
    const repo = repository({ 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com', 'c.example.org']) })
    repo.git('commit', '--all', '--quiet', '--message', 'more')
    const { status, stderr } = await check(repo, '--fix')
    expect([status, stderr]).toEqual([
      0,
      'ingress-guard: nothing was fixed, because no finding that counts has a verified fix\n',
    ])
  })

  test('is refused where there is nothing to write to', async () => {
    const repo = repository({})
    const refused = async (...argv: string[]) => {
      const { status, stderr } = await guard(['check', '--base', 'HEAD', ...argv])
      return [status, stderr]
    }
    expect(await refused('--repo', repo.dir, '--head', 'HEAD', '--fix')).toEqual([
      2,
      'ingress-guard could not run: --fix changes the working tree, so it cannot be used with --head. Leave out one of them.\n',
    ])
    expect(await refused('--repo', repo.clone('--bare'), '--fix=dry')).toEqual([
      2,
      'ingress-guard could not run: --fix changes the working tree, and this repository has none. Run it in a clone.\n',
    ])
    expect((await refused('--repo', repo.dir, '--fix=all'))[0]).toBe(2)
  })

  test('puts a key of values back, and edits no template of the chart, nor of one below it', async () => {
    const template = `{{- /* kept */}}\n${sound.replace('[a.example.com]', '{{ toJson .Values.tls.hosts }}')}`
    const values =
      '# of the site\ntls:\n  hosts: # served\n    - a.example.com\n    - b.example.com\nport: 80\nother: "x"\n'
    const repo = new TestRepository()
    repo.commit({
      'chart/Chart.yaml': 'apiVersion: v2\nname: site\nversion: 1.0.0\n',
      'chart/values.yaml': values,
      'chart/templates/_names.tpl': '{{- define "x" }}{{ end }}\n',
      'chart/templates/web.yaml': template.replace('- host:', '- host: b.example.com\n    - host:'),
      'chart/charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
      'chart/charts/sub/templates/api.yaml': sound.replaceAll('web', 'api').replaceAll('a.ex', 'c.ex'),
    })
    const below = ingress('api', ['c.example.com'], ['c.example.com', 'd.example.com'])
    repo.write({
      'chart/values.yaml': values.replace('    - b.example.com\n', '').replace('"x"', '"y"'),
      'chart/charts/sub/templates/api.yaml': below,
    })
    const { status, stderr } = await check(repo, '--fix')
    expect(stderr).toBe('ingress-guard: fixed chart/values.yaml, and checked again\n')
    expect(read(repo, 'chart/values.yaml')).toBe(values.replace('"x"', '"y"'))
    expect(read(repo, 'chart/charts/sub/templates/api.yaml')).toBe(below)
    expect(repo.git('diff', '--name-only').trim().split('\n')).toEqual([
      'chart/charts/sub/templates/api.yaml',
      'chart/values.yaml',
    ])
    expect(status).toBe(1)
  })

  test('does not edit a template, a config of the gate, or a file behind a link', async () => {
    const repo = repository({})
    repo.commit({
      'real/web.yaml': sound,
      'chart/Chart.yaml': 'name: a\nversion: 1.0.0\n',
      'chart/templates/web.yaml': sound,
    })
    const away = path.join(temporaryFolder(), 'web.yaml')
    writeFileSync(away, holed)
    rmSync(path.join(repo.dir, 'web.yaml'))
    symlinkSync(away, path.join(repo.dir, 'web.yaml'))
    repo.write({ 'chart/templates/web.yaml': holed })
    const { stdout, stderr } = await check(repo, '--fix')
    expect(stdout).toContain('error ingress-tls/host-covered chart/templates/web.yaml:13:5\n')
    expect(stderr).toBe('ingress-guard: nothing was fixed, because no finding that counts has a verified fix\n')
    expect(readFileSync(away, 'utf8')).toBe(holed)
    expect(read(repo, 'chart/templates/web.yaml')).toBe(holed)
  })
})

describe('patches are written to the files that they name, or not at all', () => {
  const patch = (file: string): Patch => ({ path: file, before: 'a\n', after: 'b\n' })

  function refusalOf(prepare: (top: string) => void, ...patches: Patch[]): string {
    const top = temporaryFolder()
    writeFileSync(path.join(top, 'a.yaml'), 'a\n')
    prepare(top)
    try {
      writePatches(top, [patch('a.yaml'), ...patches])
    } catch (error) {
      if (!(error instanceof GuardError)) throw error
      expect(readFileSync(path.join(top, 'a.yaml'), 'utf8')).toBe('a\n')
      return error.sentence
    }
    throw new Error('It was written.')
  }
  const because = (file: string, why: string) =>
    `${file}: This file cannot be fixed, because ${why}. Nothing was written.`

  test.each([
    '../b.yaml',
    '/b.yaml',
    '.git/b.yaml',
    'a/.GIT/b.yaml',
    '.g\u200cit/b.yaml',
    'git~1/b.yaml',
    '.git./b.yaml',
    '.git::$INDEX_ALLOCATION/b.yaml',
    'a//b.yaml',
    './b.yaml',
    'a\\..\\b.yaml',
  ])('%s is refused', (file) => {
    expect(refusalOf(() => {}, patch(file))).toBe(because(file, 'it is no path of this repository'))
  })

  test('what is not as it was judged is refused', () => {
    const elsewhere = temporaryFolder()
    writeFileSync(path.join(elsewhere, 'b.yaml'), 'a\n')
    const cases: [string, (top: string) => void, string | undefined][] = [
      ['d is no folder', (top) => symlinkSync(elsewhere, path.join(top, 'd')), 'a\n'],
      ['d is no folder', (top) => writeFileSync(path.join(top, 'd'), ''), undefined],
      ['d is another repository', (top) => mkdirSync(path.join(top, 'd/.git'), { recursive: true }), undefined],
      ['it is not in the working tree, as in a sparse checkout', () => {}, 'a\n'],
      [
        'it is no regular file',
        (top) => {
          mkdirSync(path.join(top, 'd'))
          symlinkSync(path.join(elsewhere, 'b.yaml'), path.join(top, 'd/b.yaml'))
        },
        'a\n',
      ],
      [
        'it exists, but is not part of what was checked',
        (top) => {
          mkdirSync(path.join(top, 'd'))
          writeFileSync(path.join(top, 'd/b.yaml'), '')
        },
        undefined,
      ],
      [
        'it was changed while the check ran',
        (top) => {
          mkdirSync(path.join(top, 'd'))
          writeFileSync(path.join(top, 'd/b.yaml'), 'other\n')
        },
        'a\n',
      ],
    ]
    for (const [why, prepare, before] of cases)
      expect(refusalOf(prepare, { ...patch('d/b.yaml'), before })).toBe(because('d/b.yaml', why))
    expect(readFileSync(path.join(elsewhere, 'b.yaml'), 'utf8')).toBe('a\n')
  })

  test('another name of a file keeps the old text, and a folder that is gone is made again', () => {
    const top = temporaryFolder()
    const other = path.join(temporaryFolder(), 'other.yaml')
    writeFileSync(other, 'a\n')
    linkSync(other, path.join(top, 'a.yaml'))
    writePatches(top, [patch('a.yaml'), { ...patch('d/e/b.yaml'), before: undefined }])
    expect(['a.yaml', 'd/e/b.yaml'].map((file) => readFileSync(path.join(top, file), 'utf8'))).toEqual(['b\n', 'b\n'])
    expect(readFileSync(other, 'utf8')).toBe('a\n')
  })
})
