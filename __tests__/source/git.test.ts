import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkJson, guard, lines } from '../cli/guard'
import { binding, configMap, ingress, role, stream } from './objects'
import { gitIn, TestRepository, temporaryFolder, withEnvironment, writeFiles } from './repository'

const protectedRole = role('system:kube-controller-manager')
const holed = (host: string) => ingress('web', ['a.example.com'], ['a.example.com', host])

describe('two commits', () => {
  const repo = new TestRepository()
  const first = repo.commit({
    'rbac.yaml': protectedRole,
    'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
  })
  const second = repo.commit({ 'rbac.yaml': null, 'web.yaml': holed('b.example.com') })

  test('are compared by name, id and expression', async () => {
    for (const [base, head] of [
      [first, second],
      ['HEAD~1', 'HEAD'],
      [first.slice(0, 10), 'main'],
    ] as const) {
      const report = await checkJson('--repo', repo.dir, '--base', base, '--head', head)
      expect(lines(report)).toEqual([
        'introduced error base/rbac.yaml:1 protected-rbac/object-kept',
        'introduced error head/web.yaml:12 ingress-tls/host-covered',
      ])
      expect(report.status).toBe(1)
    }
  })

  test('are compared in a bare repository, whose head is HEAD', async () => {
    const bare = repo.clone('--bare')
    for (const more of [['--head', 'HEAD'], []]) {
      const report = await checkJson('--repo', bare, '--base', 'HEAD~1', ...more)
      expect(lines(report)).toEqual([
        'introduced error base/rbac.yaml:1 protected-rbac/object-kept',
        'introduced error head/web.yaml:12 ingress-tls/host-covered',
      ])
      expect(report.inspected.head.revision).toBe(`HEAD (${second.slice(0, 8)})`)
    }
  })

  test('are compared from a folder inside the repository', async () => {
    mkdirSync(path.join(repo.dir, 'sub'), { recursive: true })
    const report = await checkJson('--repo', path.join(repo.dir, 'sub'), '--base', first, '--head', second)
    expect(lines(report)).toHaveLength(2)
  })

  test('in a linked worktree', async () => {
    const worktree = path.join(temporaryFolder(), 'tree')
    repo.git('worktree', 'add', '--quiet', '--detach', worktree, second)
    const report = await checkJson('--repo', worktree, '--base', first)
    expect(report.inspected.head.revision).toBe('the working tree')
    expect(lines(report)[0]).toBe('introduced error base/rbac.yaml:1 protected-rbac/object-kept')
  })

  test('nothing is written to the repository', async () => {
    const state = () =>
      gitIn(repo.dir, 'for-each-ref') + gitIn(repo.dir, 'count-objects', '-v') + gitIn(repo.dir, 'status')
    const before = state()
    await checkJson('--repo', repo.dir, '--base', first, '--head', second)
    expect(state()).toBe(before)
    expect(existsSync(path.join(repo.dir, '.git', 'FETCH_HEAD'))).toBe(false)
  })
})

describe('the working tree', () => {
  test('holds what is uncommitted, staged, untracked and deleted, and not what is ignored', async () => {
    const repo = new TestRepository()
    repo.commit({
      '.gitignore': 'ignored.yaml\n',
      'deleted.yaml': role('system:deleted'),
      'removed-from-index.yaml': role('system:unstaged'),
      'edited.yaml': ingress('edited', ['a.example.com'], ['a.example.com']),
      'staged.yaml': ingress('staged', ['a.example.com'], ['a.example.com']),
      'same.yaml': ingress('same', ['a.example.com'], ['old.example.com']),
    })
    repo.write({ 'staged.yaml': ingress('staged', ['a.example.com'], ['staged.example.com']) })
    repo.git('add', 'staged.yaml')
    repo.git('rm', '--quiet', 'removed-from-index.yaml')
    repo.write({
      'deleted.yaml': null,
      'edited.yaml': ingress('edited', ['a.example.com'], ['edited.example.com']),
      'untracked/new.yaml': ingress('new', ['a.example.com'], ['new.example.com']),
      'ignored.yaml': ingress('ignored', ['a.example.com'], ['ignored.example.com']),
    })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(lines(report)).toEqual([
      'introduced error base/deleted.yaml:1 protected-rbac/object-kept',
      'introduced error head/edited.yaml:11 ingress-tls/host-covered',
      'introduced error base/removed-from-index.yaml:1 protected-rbac/object-kept',
      'introduced error head/staged.yaml:11 ingress-tls/host-covered',
      'introduced error head/untracked/new.yaml:11 ingress-tls/host-covered',
    ])
  })

  test('a file that is touched and not changed is no change', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': protectedRole })
    repo.write({ 'a.yaml': protectedRole })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 0 })
  })

  test('a file that is staged and then edited counts as it is on disk', async () => {
    const repo = new TestRepository()
    repo.commit({ 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) })
    repo.write({ 'web.yaml': holed('staged.example.com') })
    repo.git('add', '--all')
    repo.write({ 'web.yaml': holed('disk.example.com') })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(report.findings.map(({ keys }) => keys)).toEqual([['disk.example.com']])
  })

  test('a file that a sparse checkout leaves out is read', async () => {
    const repo = new TestRepository()
    repo.commit({ 'kept/a.yaml': configMap('a'), 'left/rbac.yaml': protectedRole })
    repo.git('sparse-checkout', 'set', '--cone', 'kept')
    expect(existsSync(path.join(repo.dir, 'left'))).toBe(false)
    repo.write({ 'kept/a.yaml': configMap('a', 'z') })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(lines(report)).toEqual([])
    expect(report.inspected.changes).toEqual({ added: 0, changed: 1, removed: 0 })
  })

  test('a folder replaced by a link out of the repository is not read through it', async () => {
    const outside = temporaryFolder()
    writeFiles(outside, { 'rbac.yaml': protectedRole })
    const repo = new TestRepository()
    repo.commit({ 'rbac/rbac.yaml': protectedRole })
    repo.write({ rbac: null }).write({ rbac: { link: outside } })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(lines(report)).toEqual(['introduced error head/rbac/rbac.yaml:1 source/unreadable'])
  })

  test('a file replaced by a folder of its name', async () => {
    const repo = new TestRepository()
    repo.commit({ 'rbac.yaml': protectedRole })
    repo.write({ 'rbac.yaml': null }).write({ 'rbac.yaml/other.yaml': configMap('a') })
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(lines(report)).toEqual(['introduced error base/rbac.yaml:1 protected-rbac/object-kept'])
  })

  test('a file that may not be read', async () => {
    if (process.getuid?.() === 0) return
    const repo = new TestRepository()
    repo.commit({ 'rbac.yaml': protectedRole })
    repo.write({ 'rbac.yaml': `${protectedRole}# edited\n` })
    chmodSync(path.join(repo.dir, 'rbac.yaml'), 0)
    const report = await checkJson('--repo', repo.dir, '--base', 'main')
    expect(lines(report)).toEqual(['introduced error head/rbac.yaml:1 source/unreadable'])
  })
})

describe('the base', () => {
  test('means the merge base: later commits of the base branch are not part of the change', async () => {
    const repo = new TestRepository()
    const fork = repo.commit({ 'rbac.yaml': protectedRole })
    repo.git('switch', '--quiet', '--create', 'topic')
    repo.commit({ 'web.yaml': configMap('a') })
    repo.git('switch', '--quiet', 'main')
    repo.commit({ 'later.yaml': role('system:later') })
    const report = await checkJson('--repo', repo.dir, '--base', 'main', '--head', 'topic')
    expect(lines(report)).toEqual([])
    expect(report.inspected.base?.revision).toBe(`main (${fork.slice(0, 8)})`)
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 0 })
  })

  test.each([
    ['origin/HEAD', (clone: string) => gitIn(clone, 'remote', 'set-head', 'origin', 'trunk'), 'origin/trunk'],
    ['origin/main', (clone: string) => gitIn(clone, 'remote', 'set-head', 'origin', '--delete'), 'origin/main'],
  ])('is found from %s when no option names it', async (_, prepare, name) => {
    const repo = new TestRepository()
    repo.commit({ 'rbac.yaml': protectedRole })
    repo.git('branch', 'trunk')
    const clone = repo.clone()
    prepare(clone)
    rmSync(path.join(clone, 'rbac.yaml'))
    const report = await checkJson('--repo', clone)
    expect(report.inspected.base?.revision).toMatch(new RegExp(`^${name} \\([0-9a-f]{8}\\)$`))
    expect(lines(report)).toEqual(['introduced error base/rbac.yaml:1 protected-rbac/object-kept'])
  })

  test('is the local main or master without a remote', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    repo.git('branch', '--move', 'master')
    expect((await checkJson('--repo', repo.dir)).inspected.base?.revision).toMatch(/^master \(/)
  })

  test('is asked for when there is no default branch', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    repo.git('branch', '--move', 'trunk')
    expect(await guard(['check', '--repo', repo.dir])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'ingress-guard could not run: No default branch was found to compare with. Set the base with --base.\n',
    })
  })
})

describe('a name that is no revision', () => {
  const repo = new TestRepository()
  repo.commit({ 'a.yaml': configMap('a') })
  repo.git('switch', '--quiet', '--orphan', 'unrelated')
  repo.commit({ 'b.yaml': configMap('b') })
  const folder = temporaryFolder()
  const absent = '0123456789abcdef0123456789abcdef01234567'

  test.each([
    [
      'an unknown base',
      ['--repo', repo.dir, '--base', 'no-such-branch'],
      3,
      `The revision "no-such-branch" is not in ${repo.dir}. Name a branch, tag or commit that this clone has, or a folder.`,
    ],
    [
      'an unknown head',
      ['--repo', repo.dir, '--base', 'main', '--head', 'v9'],
      3,
      `The revision "v9" is not in ${repo.dir}. Name a branch, tag or commit that this clone has, or a folder.`,
    ],
    [
      'the id of a commit that does not exist',
      ['--repo', repo.dir, '--base', absent],
      3,
      `Commit ${absent} is not in this clone and could not be fetched (the repository has no remote). Fetch it with git, or name a commit that this clone has.`,
    ],
    [
      'a base without a common ancestor',
      ['--repo', repo.dir, '--base', 'main', '--head', 'unrelated'],
      3,
      'main and the head have no common ancestor. Name a base that the head branched from.',
    ],
    [
      'an option in place of a revision',
      ['--repo', repo.dir, '--base=--all', '--head', 'main'],
      2,
      '"--all" is not a valid revision. Name a branch, tag or commit.',
    ],
    [
      'a folder that is no repository',
      ['--repo', folder, '--base', 'main'],
      3,
      `${folder} is not a Git repository. Run in a clone, set repo to the folder of one, or set base and head to two folders.`,
    ],
    [
      'a folder that is not there',
      ['--repo', `${folder}/x`, '--base', 'main'],
      3,
      `The folder ${folder}/x does not exist.`,
    ],
  ])('%s', async (_, argv, status, sentence) => {
    expect(await guard(['check', ...argv])).toEqual({
      status,
      stdout: '',
      stderr: `ingress-guard could not run: ${sentence}\n`,
    })
  })

  test('a repository with no commit', async () => {
    const { status, stderr } = await guard(['check', '--repo', new TestRepository().dir, '--base', 'main'])
    expect(stderr).toMatch(/^ingress-guard could not run: [^\n]*no commit[^\n]*\.\n$/)
    expect(status).toBe(3)
  })

  test('the tree of an empty repository is judged whole', async () => {
    const fresh = new TestRepository()
    fresh.write({ 'web.yaml': holed('b.example.com') })
    const report = await checkJson('--repo', fresh.dir, '--all')
    expect(lines(report)).toEqual(['existing error head/web.yaml:12 ingress-tls/host-covered'])
    expect(report.status).toBe(1)
  })

  test('a repository that another user owns', async () => {
    const run = await withEnvironment({ GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }, () =>
      guard(['check', '--repo', repo.dir, '--base', 'main']),
    )
    expect(run).toEqual({
      status: 3,
      stdout: '',
      stderr: `ingress-guard could not run: git does not read ${repo.dir}, because another user owns it (a container job, often). Run \`git config --global --add safe.directory ${repo.dir}\` before this step.\n`,
    })
  })
})

describe('the environment of a Git hook', () => {
  test('does not lead to another repository', async () => {
    const other = new TestRepository()
    other.commit({ 'other.yaml': role('system:other') })
    const repo = new TestRepository()
    repo.commit({ 'rbac.yaml': protectedRole })
    repo.write({ 'rbac.yaml': null })
    const report = await withEnvironment(
      {
        GIT_DIR: path.join(other.dir, '.git'),
        GIT_WORK_TREE: other.dir,
        GIT_INDEX_FILE: path.join(other.dir, '.git', 'index'),
        GIT_PREFIX: 'sub/',
        GIT_OBJECT_DIRECTORY: path.join(other.dir, '.git', 'objects'),
      },
      () => checkJson('--repo', repo.dir, '--base', 'main'),
    )
    expect(lines(report)).toEqual(['introduced error base/rbac.yaml:1 protected-rbac/object-kept'])
  })
})

test('a repository of SHA-256 objects', async () => {
  const repo = new TestRepository(temporaryFolder(), '--object-format=sha256')
  repo.commit({ 'rbac.yaml': stream(configMap('a'), protectedRole), 'same.yaml': binding('system:same') })
  const base = repo.commit({ 'rbac.yaml': configMap('a') })
  expect(base).toHaveLength(64)
  expect(lines(await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', base))).toEqual([
    'introduced error base/rbac.yaml:8 protected-rbac/object-kept',
  ])
  repo.write({ 'same.yaml': null, 'copy.yaml': binding('system:same') })
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD')
  expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 0 })
})

test('a rename, and a rename with an edit, keep the object', async () => {
  const repo = new TestRepository()
  repo.commit({ 'rbac.yaml': protectedRole, 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) })
  repo.git('mv', 'rbac.yaml', 'moved.yaml')
  repo.commit({ 'web.yaml': null, 'moved-web.yaml': holed('b.example.com') })
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(report.inspected.changes).toEqual({ added: 0, changed: 1, removed: 0 })
  expect(lines(report)).toEqual(['introduced error head/moved-web.yaml:12 ingress-tls/host-covered'])
})

test('a folder can be judged against a commit, and a commit against a folder', async () => {
  const repo = new TestRepository()
  repo.commit({ 'rbac.yaml': protectedRole })
  const folder = temporaryFolder()
  writeFiles(folder, { 'a.yaml': configMap('a') })
  const gone = await checkJson('--repo', repo.dir, '--base', 'main', '--head', folder)
  expect(lines(gone)).toEqual(['introduced error base/rbac.yaml:1 protected-rbac/object-kept'])
  const come = await checkJson('--repo', repo.dir, '--base', folder, '--head', 'main')
  expect(come.inspected.changes).toEqual({ added: 1, changed: 0, removed: 1 })
})
