import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { DirectoryRevision } from '../../src/revision/directory'
import { openRepository } from '../../src/revision/git'
import { Blobs } from '../../src/revision/git-blobs'
import { WorkingTreeRevision } from '../../src/revision/git-revision'
import type { Revision } from '../../src/revision/revision'
import { TestRepository, temporaryFolder, writeFiles } from './repository'

async function workingTree(dir: string): Promise<Revision> {
  const repository = await openRepository({ dir })
  return new WorkingTreeRevision(repository, new Blobs(repository))
}

/** The texts of a revision; `between` happens after its files are listed and before they are read. */
async function textsOf(revision: Revision, between = () => {}): Promise<Record<string, string>> {
  const entries = await revision.list()
  between()
  const texts: Record<string, string> = {}
  for await (const [{ path: file }, content] of revision.read(entries))
    texts[file] = 'missing' in content ? content.missing : Buffer.from(content).toString()
  return texts
}

/** Git's id of the content of a file, and the one that the revision lists. */
async function idsOf(repo: TestRepository, file: string): Promise<{ disk: string; listed: string | undefined }> {
  const entries = await (await workingTree(repo.dir)).list()
  const disk = repo.git('hash-object', '--no-filters', file).trim()
  return { disk, listed: entries.find((entry) => entry.path === file)?.id }
}

describe('what is on disk is read and compared, whatever the index says of it', () => {
  test.each([['--assume-unchanged'], ['--skip-worktree']])('a file that is hidden with %s', async (flag) => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' })
    repo.git('update-index', flag, 'a.yaml')
    repo.write({ 'a.yaml': 'a: 2\n' })
    expect(await textsOf(await workingTree(repo.dir))).toEqual({ 'a.yaml': 'a: 2\n', 'b.yaml': 'b: 1\n' })
    const { disk, listed } = await idsOf(repo, 'a.yaml')
    expect(listed).toBe(disk)
  })

  test('a file that a filter changes when it is checked out', async () => {
    const repo = new TestRepository()
    repo.git('config', 'filter.other.smudge', 'sed s/written/deployed/')
    repo.git('config', 'filter.other.clean', 'sed s/deployed/written/')
    repo.write({ '.gitattributes': 'a.yaml filter=other\n', 'a.yaml': 'a: deployed\n' })
    repo.commit()
    expect(repo.git('show', 'HEAD:a.yaml')).toContain('a: written')
    expect(repo.git('status', '--porcelain')).toBe('')
    expect((await textsOf(await workingTree(repo.dir)))['a.yaml']).toBe('a: deployed\n')
  })

  test('a folder has the ids of a commit with equal files, and another one for a file that differs', async () => {
    const repo = new TestRepository()
    const large = 'x'.repeat(2 * 1024 * 1024)
    repo.commit({ 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n', 'image.bin': large })
    repo.write({ 'b.yaml': 'b: 2\n' })
    const listed = await new DirectoryRevision(repo.dir).list()
    const differs = listed.filter(({ path: file, id }) => id !== repo.git('rev-parse', `HEAD:${file}`).trim())
    expect(differs.map((entry) => entry.path)).toEqual(['b.yaml'])
  })

  test('a file with other line ends than in the repository', async () => {
    const repo = new TestRepository()
    repo.write({ '.gitattributes': 'a.yaml text eol=crlf\n', 'a.yaml': 'a: 1\r\n' })
    repo.commit()
    expect(repo.git('status', '--porcelain')).toBe('')
    expect((await textsOf(await workingTree(repo.dir)))['a.yaml']).toBe('a: 1\r\n')
  })
})

describe('what is replaced after the files are listed', () => {
  test.each<[string, (dir: string) => void]>([
    ['by a link out of the repository', (dir) => writeFiles(dir, { 'a.yaml': { link: outside() } })],
    ['by a folder', (dir) => writeFiles(dir, { 'a.yaml': null, 'a.yaml/b.yaml': 'b: 1\n' })],
    ['by a pipe', (dir) => execFileSync('sh', ['-c', 'rm a.yaml && mkfifo a.yaml'], { cwd: dir })],
    ['by nothing', (dir) => writeFiles(dir, { 'a.yaml': null })],
  ])('%s, is what was listed', async (_, replace) => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': 'a: listed\n', 'z.yaml': 'z: 1\n' })
    const texts = await textsOf(await workingTree(repo.dir), () => replace(repo.dir))
    expect(texts).toEqual({ 'a.yaml': 'a: listed\n', 'z.yaml': 'z: 1\n' })
  })

  test('by a link, is not read through it in a folder without Git', async () => {
    const dir = temporaryFolder()
    writeFiles(dir, { 'a.yaml': 'a: 1\n' })
    const reading = textsOf(new DirectoryRevision(dir), () => writeFiles(dir, { 'a.yaml': { link: outside() } }))
    await expect(reading).rejects.toMatchObject({ code: 'ELOOP' })
  })
})

test('what a sparse checkout leaves out is read with one git process, in its place among the others', async () => {
  const repo = new TestRepository()
  const files = Object.fromEntries(['a/1', 'b/2', 'b/3', 'c/4'].map((name) => [`${name}.yaml`, `${name}\n`]))
  repo.commit(files)
  repo.git('sparse-checkout', 'set', '--cone', 'a', 'c')
  const repository = await openRepository({ dir: repo.dir })
  const blobs = new Blobs(repository)
  const asked: string[][] = []
  const read = blobs.read.bind(blobs)
  blobs.read = (entries) => {
    asked.push(entries.map(({ path: file }) => file))
    return read(entries)
  }
  const texts = await textsOf(new WorkingTreeRevision(repository, blobs))
  expect(Object.entries(texts)).toEqual(Object.entries(files))
  expect(asked).toEqual([['b/2.yaml', 'b/3.yaml']])
})

test('a file that this user may not read is listed, and said to be unreadable', async () => {
  if (process.getuid?.() === 0) return
  const dir = temporaryFolder()
  writeFiles(dir, { 'a.yaml': 'a: 1\n' })
  chmodSync(path.join(dir, 'a.yaml'), 0)
  expect(await textsOf(new DirectoryRevision(dir))).toEqual({ 'a.yaml': 'the user of this run may not read it' })
})

/** A file that no run may read. */
function outside(): string {
  const folder = temporaryFolder()
  writeFiles(folder, { 'secret.yaml': 'secret: 1\n' })
  return path.join(folder, 'secret.yaml')
}
