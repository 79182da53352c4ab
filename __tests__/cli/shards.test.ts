import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { ReportJson } from '../../src/report/report-schema'
import { countingTool } from '../source/counting'
import { configMap, ingress, role, stream } from '../source/objects'
import { TestRepository, temporaryFolder } from '../source/repository'
import { checkJson, guard, lines, type Run } from './guard'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])
const kustomization = 'resources: [../../base, own.yaml]\n'
const fleet = {
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': sound,
  'overlays/eu/kustomization.yaml': kustomization,
  'overlays/eu/own.yaml': stream(configMap('eu'), role('system:eu')),
  'overlays/us/kustomization.yaml': kustomization,
  'overlays/us/own.yaml': configMap('us'),
  'rbac.yaml': stream(configMap('a'), role('system:a')),
}
const names = ['(rest)', 'overlays/eu', 'overlays/us']

/** A change of the shared base, of one cluster's own file and of a file of no cluster. */
function changed(more: Record<string, string> = {}): TestRepository {
  const repo = new TestRepository()
  repo.commit(fleet)
  repo.commit({ 'base/web.yaml': holed, 'overlays/eu/own.yaml': configMap('eu'), 'rbac.yaml': configMap('a'), ...more })
  return repo
}

const between = (repo: TestRepository) => ['--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD']

/** The report of each cluster, in a file of its own. */
async function shards(repo: TestRepository, clusters: readonly string[] = names): Promise<string[]> {
  const folder = temporaryFolder()
  const files: string[] = []
  for (const [index, name] of clusters.entries()) {
    const file = path.join(folder, `${index}.json`)
    const { stderr } = await guard([
      ...['check', ...between(repo), '--today', '2026-11-21', '--cluster', name, '--format', 'json', '--output', file],
    ])
    expect(stderr).toMatch(/^ingress-guard: (pass|fail); the report is in /)
    files.push(file)
  }
  return files
}

/** The log's format has a word of its own in each run. */
function withoutNonce({ stdout, ...run }: Run): Run {
  const [, word] = stdout.match(/^::stop-commands::(.*)$/m) ?? []
  return { ...run, stdout: word ? stdout.replaceAll(word, 'word') : stdout }
}

async function refusal(...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await guard(argv)
  expect(stdout).toBe('')
  expect([2, 3]).toContain(status)
  return stderr
}

describe('clusters', () => {
  test('lists the clusters of both sides, and the rest', async () => {
    const repo = changed({ 'overlays/asia/web.yaml': sound })
    expect(await guard(['clusters', ...between(repo)])).toEqual({
      status: 0,
      stdout: '(rest)\noverlays/asia\noverlays/eu\noverlays/us\n',
      stderr: '',
    })
    const { stdout } = await guard(['clusters', ...between(repo), '--format', 'json'])
    expect(JSON.parse(stdout)).toEqual(['(rest)', 'overlays/asia', 'overlays/eu', 'overlays/us'])
    expect(stdout).not.toMatch(/\n./)
  })

  test('lists a cluster that the head removes', async () => {
    const repo = new TestRepository()
    repo.commit(fleet)
    repo.commit({ 'overlays/us/kustomization.yaml': null, 'overlays/us/own.yaml': null })
    expect((await guard(['clusters', ...between(repo)])).stdout).toBe('(rest)\noverlays/eu\noverlays/us\n')
    expect((await guard(['clusters', '--all', '--repo', repo.dir])).stdout).toBe('(rest)\noverlays/eu\n')
  })
})

describe('check --cluster', () => {
  test('renders and judges only what belongs to its cluster', async () => {
    const repo = changed()
    const counted = async (...argv: string[]) => {
      const kubectl = countingTool('kubectl')
      const report = await checkJson(...between(repo), '--kustomize', kubectl.program, ...argv)
      return { builds: kubectl.count('kustomize'), found: lines(report) }
    }
    const whole = await counted()
    const eu = await counted('--cluster', 'overlays/eu')
    const us = await counted('--cluster', 'overlays/us')
    const rest = await counted('--cluster', '(rest)')
    expect(us.found).toEqual(['introduced error head/base/web.yaml:12 ingress-tls/host-covered'])
    expect(eu.found).toEqual([
      'introduced error head/base/web.yaml:12 ingress-tls/host-covered',
      'introduced error base/overlays/eu/own.yaml:11 protected-rbac/object-kept',
    ])
    expect(rest.found).toEqual(['introduced error base/rbac.yaml:8 protected-rbac/object-kept'])
    expect(us.builds).toBeGreaterThan(0)
    expect(eu.builds).toBeGreaterThan(0)
    // Finding lines builds again, only what a finding is about.
    expect(eu.builds).toBeLessThan(whole.builds)
    expect(us.builds).toBeLessThan(whole.builds)
  })

  test('renders nothing for the rest where the change does not touch it', async () => {
    const repo = new TestRepository()
    repo.commit(fleet)
    repo.commit({ 'base/web.yaml': holed })
    const kubectl = countingTool('kubectl')
    const report = await checkJson(...between(repo), '--kustomize', kubectl.program, '--cluster', '(rest)')
    expect([lines(report), kubectl.count('kustomize')]).toEqual([[], 0])
  })

  test('finds in the rest which folders repeat each other by what is rendered beside their files', async () => {
    const copies = (name: string) => ({
      [`team-${name}/web.yaml`]: sound,
      [`team-${name}/overlays/prod/kustomization.yaml`]: 'resources: [all.yaml]\n',
      [`team-${name}/overlays/prod/all.yaml`]: stream(configMap('one'), configMap('two')),
    })
    const repo = new TestRepository()
    repo.commit({ ...copies('a'), ...copies('b') })
    repo.commit({
      'team-a/web.yaml': holed,
      'team-a/overlays/prod/all.yaml': stream(configMap('one', 'y'), configMap('two')),
      'team-b/overlays/prod/all.yaml': stream(configMap('one', 'z'), configMap('two')),
    })
    const whole = await checkJson(...between(repo))
    const rest = await checkJson(...between(repo), '--cluster', '(rest)')
    expect(whole.findings.map(({ cluster, rule }) => [cluster, rule])).toEqual([['team-a', 'ingress-tls/host-covered']])
    expect(rest.findings).toEqual(whole.findings)
  })

  test('takes globs and several names, and says which clusters it judged', async () => {
    const repo = changed()
    const { shard } = await checkJson(...between(repo), '--cluster', 'overlays/*')
    expect(shard?.judged).toEqual(['overlays/eu', 'overlays/us'])
    const two = await checkJson(...between(repo), '--cluster', 'overlays/us', '--cluster', '(rest)')
    expect(two.shard?.judged).toEqual(['(rest)', 'overlays/us'])
    expect(two.shard?.all).toEqual([['(rest)'], ['overlays/eu'], ['overlays/us']])
    const { stdout } = await guard(['check', ...between(repo), '--cluster', 'overlays/us'])
    expect(stdout).toContain('Only the clusters overlays/us were judged, 1 of 3: merge the reports of all.')
  })

  test('names the clusters where none matches', async () => {
    expect(await refusal('check', ...between(changed()), '--cluster', 'overlays/su')).toBe(
      'ingress-guard could not run: No cluster of the base or the head matches "overlays/su", so nothing would be judged. Did you mean overlays/eu? The clusters are "(rest)", "overlays/eu", "overlays/us".\n',
    )
  })

  test('fixes nothing', async () => {
    expect(await refusal('check', '--repo', '.', '--fix', '--cluster', 'a')).toBe(
      'ingress-guard could not run: --fix edits files that several clusters may share, so it cannot be used with --cluster. Leave out one of them.\n',
    )
  })
})

describe('merge', () => {
  const config = (more = '') => `format: 1\nclusters:\n  named: {paths: ["named/**"]}\n${more}`
  const exceptions = `exceptions:
  - {rule: protected-rbac/object-kept, object: ClusterRole/system:eu, reason: it moves, expires: 2027-01-01}
  - {rule: protected-rbac/object-kept, object: ClusterRole/system:none, reason: it moves, expires: 2027-01-01}
`

  test.each([
    ['a shared base', {}, {}],
    ['exceptions', { '.github/ingress-guard.yaml': config(exceptions) }, {}],
    [
      'the config itself',
      { '.github/ingress-guard.yaml': config() },
      { '.github/ingress-guard.yaml': config(exceptions) },
    ],
    ['files that are not judged', {}, { 'overlays/us/kustomization.yaml': 'resources: [../../base, gone.yaml]\n' }],
    [
      'a new and a removed cluster',
      {},
      {
        'overlays/asia/kustomization.yaml': 'resources: [../../base]\n',
        'overlays/us/kustomization.yaml': null,
        'overlays/us/own.yaml': null,
      },
    ],
  ])('writes the report of one run, for %s', async (what, before, after) => {
    const isFirst = what === 'a shared base'
    const repo = new TestRepository()
    repo.commit({ ...fleet, ...before, 'notes.md': 'a' })
    repo.commit({ 'base/web.yaml': holed, 'overlays/eu/own.yaml': configMap('eu'), 'notes.md': 'b', ...after })
    const { stdout: listed } = await guard(['clusters', ...between(repo), '--format', 'json'])
    const files = await shards(repo, JSON.parse(listed))
    const others = isFirst ? ['terminal', 'markdown', 'sarif', 'github', 'gitlab', 'junit'] : []
    for (const format of ['json', ...others]) {
      const whole = await guard(['check', ...between(repo), '--today', '2026-11-21', '--format', format])
      const merged = await guard(['merge', '--format', format, ...files.toReversed()])
      expect(withoutNonce(merged)).toEqual(withoutNonce(whole))
    }
  })

  test('passes where every cluster passes', async () => {
    const repo = new TestRepository()
    repo.commit(fleet)
    repo.commit({ 'overlays/eu/own.yaml': stream(configMap('other'), role('system:eu')) })
    const { status, stdout } = await guard(['merge', ...(await shards(repo))])
    expect(stdout).toMatch(/ingress-guard found nothing\. Inspected HEAD~1 /)
    expect(status).toBe(0)
  })

  test('refuses a set in which a cluster is missing, or twice', async () => {
    const repo = changed()
    const [rest = '', eu = '', us = ''] = await shards(repo)
    expect(await refusal('merge', rest, us)).toBe(
      'ingress-guard could not run: No report judges "overlays/eu", so nothing is known of that cluster. Merge the reports of all clusters that `ingress-guard clusters` lists for this change.\n',
    )
    expect(await refusal('merge', rest, eu, us, eu)).toBe(
      `ingress-guard could not run: The cluster "overlays/eu" is in two reports, ${eu} and ${eu}. Merge one report of each cluster.\n`,
    )
  })

  test('refuses reports of different revisions, dates and policies', async () => {
    const repo = changed()
    const [rest = '', eu = '', us = ''] = await shards(repo)
    const again = async (name: string, ...argv: string[]) => {
      const file = path.join(temporaryFolder(), 'other.json')
      await guard(['check', ...between(repo), '--cluster', name, '--format', 'json', '--output', file, ...argv])
      return file
    }
    const day = ['--today', '2026-11-21']
    expect(await refusal('merge', rest, eu, await again('overlays/us', '--today', '2026-11-22'))).toContain(
      'judge by different dates; give all runs the same date. Merge the reports of one workflow run only; run all jobs again.',
    )
    expect(
      await refusal('merge', rest, eu, await again('overlays/us', ...day, '--policy', 'ingress-tls@^1')),
    ).toContain('judge by different policies.')
    expect(await refusal('merge', rest, eu, await again('overlays/us', ...day, '--fail-on', 'never'))).toContain(
      'judge by different configs or options.',
    )
    repo.commit({ 'overlays/asia/web.yaml': sound })
    expect(await refusal('merge', rest, eu, us, await again('overlays/asia', ...day))).toContain(
      'judge different revisions.',
    )
  })

  test('refuses what is no report of some clusters, whole and of this version', async () => {
    const [rest = '', eu = '', us = ''] = await shards(changed())
    const text = readFileSync(us, 'utf8')
    const report = JSON.parse(text) as ReportJson
    const written = (content: string) => {
      const file = path.join(temporaryFolder(), 'us.json')
      writeFileSync(file, content)
      return file
    }
    const refused = (content: string) => refusal('merge', rest, eu, written(content))
    const { shard, ...whole } = report
    expect(await refusal('merge', rest, '/no/such.json')).toContain(
      '/no/such.json cannot be used: there is no such file.',
    )
    expect(await refused(text.slice(0, -100))).toContain('cannot be used: it is not JSON, or cannot be read.')
    expect(await refused('[]')).toContain('is not a report of some clusters, so there is nothing to merge.')
    expect(await refused(JSON.stringify(whole))).toContain('is not a report of some clusters')
    expect(await refused(JSON.stringify({ ...report, shard: { ...shard, judged: ['overlays/us', 'x'] } }))).toContain(
      'is not as ingress-guard wrote it, so it is not used.',
    )
    expect(await refused(JSON.stringify({ ...report, shard: { ...shard, terms: { tool: '0.0.1' } } }))).toContain(
      'was made by ingress-guard 0.0.1, and this is ',
    )
    expect(
      await refused(JSON.stringify({ ...report, unfinished: { minutes: 10, doing: 'rendering', path: null } })),
    ).toContain('reached its time limit (10 min), so its clusters were not judged. Raise the timeout of that run.')
  })
})
