import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkJson, guard, lines } from '../cli/guard'
import { configMap, ingress, role, stream } from './objects'
import { gitIn, TestRepository, temporaryFolder, withEnvironment } from './repository'

const protectedRole = role('system:kube-controller-manager')
const holed = (host: string) => ingress('web', ['a.example.com'], ['a.example.com', host])

describe('a shallow clone', () => {
  const remote = new TestRepository()
  const base = remote.commit({ 'rbac.yaml': stream(protectedRole, configMap('a')) })
  const head = remote.commit({ 'rbac.yaml': configMap('a') })

  test('fetches a base it lacks, by its id', async () => {
    remote.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    const clone = remote.clone('--depth=1')
    // The base is cut off, so only an exact base can be judged: there is no ancestor to find.
    expect(gitIn(clone, 'rev-list', '--count', 'HEAD')).toBe('1')
    const { status, stderr } = await guard(['check', '--repo', clone, '--base', base])
    expect(gitIn(clone, 'cat-file', '-t', base)).toBe('commit')
    expect(stderr).toBe(
      `ingress-guard could not run: ${base} and the head have no common ancestor in this shallow clone. Run \`git fetch --unshallow\`.\n`,
    )
    expect(status).toBe(3)
  })

  test('says how to get it when the remote is gone', async () => {
    const clone = remote.clone('--depth=1')
    gitIn(clone, 'remote', 'set-url', 'origin', 'file:///nowhere')
    const { status, stderr } = await guard(['check', '--repo', clone, '--base', base])
    expect(stderr).toMatch(
      new RegExp(
        `^ingress-guard could not run: Commit ${base} is not in this clone and could not be fetched \\(fatal: .*\\)\\. Run \`git fetch --unshallow\`\\.\n$`,
      ),
    )
    expect(status).toBe(3)
  })

  test('says how to get it when there is no remote', async () => {
    const clone = remote.clone('--depth=1')
    gitIn(clone, 'remote', 'remove', 'origin')
    const { status, stderr } = await guard(['check', '--repo', clone, '--base', base])
    expect(stderr).toContain('could not be fetched (the repository has no remote). Run `git fetch --unshallow`.')
    expect(status).toBe(3)
  })

  test('of depth 2 has what it takes', async () => {
    const clone = remote.clone('--depth=2')
    const report = await checkJson('--repo', clone, '--base', 'HEAD~1', '--head', head)
    expect(lines(report)).toEqual(['introduced error base/rbac.yaml:1 protected-rbac/object-kept'])
  })
})

describe('a partial clone', () => {
  function partialClone(): { remote: TestRepository; clone: string } {
    const remote = new TestRepository()
    remote.git('config', 'uploadpack.allowFilter', 'true')
    remote.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
    const same = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`same/${index}.yaml`, configMap(`c${index}`)]),
    )
    remote.commit({
      ...same,
      'rbac.yaml': protectedRole,
      'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
    })
    remote.commit({ 'rbac.yaml': null, 'web.yaml': holed('b.example.com') })
    return { remote, clone: remote.clone('--filter=blob:none', '--no-checkout') }
  }

  test('asks for what it lacks in one batch for each side', async () => {
    const { clone } = partialClone()
    const trace = path.join(temporaryFolder(), 'trace')
    const report = await withEnvironment({ GIT_TRACE: trace }, () =>
      checkJson('--repo', clone, '--base', 'HEAD~1', '--head', 'HEAD'),
    )
    expect(lines(report)).toEqual([
      'introduced error base/rbac.yaml:1 protected-rbac/object-kept',
      'introduced error head/web.yaml:12 ingress-tls/host-covered',
    ])
    const fetches = execFileSync('grep', ['-c', 'built-in: git fetch', trace], { encoding: 'utf8' })
    expect(Number(fetches)).toBeLessThanOrEqual(4)
  })

  test('says of each file that it could not be had when the remote is gone', async () => {
    const { remote, clone } = partialClone()
    // One of the two sides is there, the other is not.
    gitIn(clone, 'cat-file', '-p', 'HEAD~1:web.yaml')
    gitIn(clone, 'cat-file', '-p', 'HEAD~1:rbac.yaml')
    renameSync(remote.dir, `${remote.dir}-gone`)
    try {
      const report = await checkJson('--repo', clone, '--base', 'HEAD~1', '--head', 'HEAD')
      expect(report.status).toBe(1)
      expect(lines(report)).toContain('introduced error head/web.yaml:1 source/unreadable')
      expect(lines(report)).toContain('introduced error base/rbac.yaml:1 protected-rbac/object-kept')
      const [finding] = report.findings.filter(({ rule }) => rule === 'source/unreadable')
      expect(finding?.text).toMatch(
        /^This file cannot be read: its content is not in this clone and could not be fetched; .* Until then, what it holds is not judged\. It is unknown whether this change keeps Ingress shop\/web\.$/,
      )
    } finally {
      renameSync(`${remote.dir}-gone`, remote.dir)
    }
  })

  test('does not pass when the base could not be had: what it held is not known', async () => {
    const remote = new TestRepository()
    remote.git('config', 'uploadpack.allowFilter', 'true')
    remote.commit({ 'rbac.yaml': protectedRole })
    remote.commit({ 'rbac.yaml': null, 'a.yaml': configMap('a') })
    const clone = remote.clone('--filter=blob:none')
    renameSync(remote.dir, `${remote.dir}-gone`)
    try {
      const report = await checkJson('--repo', clone, '--base', 'HEAD~1', '--head', 'HEAD')
      expect(lines(report)).toEqual(['introduced error base/rbac.yaml:1 source/unreadable'])
      expect(report.status).toBe(1)
    } finally {
      renameSync(`${remote.dir}-gone`, remote.dir)
    }
  })

  test('lists a file that neither the clone nor the change has, and stops no change for it', async () => {
    const remote = new TestRepository()
    remote.git('config', 'uploadpack.allowFilter', 'true')
    const web = (hosts: string[]) => ingress('web', ['a.example.com'], hosts)
    remote.commit({ 'web.yaml': web(['a.example.com']), 'large.yaml': configMap('large') })
    remote.commit({ 'web.yaml': web(['a.example.com', 'b.example.com']) })
    const clone = remote.clone('--filter=blob:none', '--no-checkout')
    for (const side of ['HEAD~1', 'HEAD']) gitIn(clone, 'cat-file', '-p', `${side}:web.yaml`)
    renameSync(remote.dir, `${remote.dir}-gone`)
    try {
      const report = await checkJson('--repo', clone, '--base', 'HEAD~1', '--head', 'HEAD')
      expect(lines(report)).toEqual(['introduced error head/web.yaml:12 ingress-tls/host-covered'])
      expect(report.inspected.skipped).toEqual([
        {
          path: 'large.yaml',
          reason: expect.stringMatching(/^its content is not in this clone and could not be fetched; /),
        },
      ])
    } finally {
      renameSync(`${remote.dir}-gone`, remote.dir)
    }
  })

  test('reads what it has though another file could not be had', async () => {
    const remote = new TestRepository()
    remote.git('config', 'uploadpack.allowFilter', 'true')
    remote.commit({ 'a.yaml': configMap('a') })
    remote.commit({ 'a.yaml': configMap('a', 'y'), 'z.yaml': holed('b.example.com') })
    const clone = remote.clone('--filter=blob:none', '--no-checkout')
    gitIn(clone, 'cat-file', '-p', 'HEAD:z.yaml')
    renameSync(remote.dir, `${remote.dir}-gone`)
    try {
      const report = await checkJson('--repo', clone, '--base', 'HEAD~1', '--head', 'HEAD')
      expect(lines(report)).toContain('introduced error head/z.yaml:12 ingress-tls/host-covered')
      expect(lines(report)).toContain('introduced error head/a.yaml:1 source/unreadable')
    } finally {
      renameSync(`${remote.dir}-gone`, remote.dir)
    }
  })
})
