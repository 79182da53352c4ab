import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { initFiles, workflowPath } from '../../src/cli/init-files'
import { bundledPolicies } from '../../src/host/bundled'
import type { Coverage } from '../../src/ledger/coverage'
import { type Config, readConfig } from '../../src/policy/config'
import { configPath } from '../../src/policy/names'
import { resolvePolicies } from '../../src/policy/policy'
import { rules } from '../../src/rules/index'
import { root } from '../harness'
import { ingress } from '../source/objects'
import { type Files, TestRepository, temporaryFolder, withEnvironment } from '../source/repository'
import { guard, type Run } from './guard'

const web = ingress('web', ['a.example.com'], ['a.example.com'])

function repositoryOf(files: Files): TestRepository {
  const repo = new TestRepository()
  repo.commit(files)
  return repo
}

function init(repo: TestRepository, ...argv: readonly string[]): Promise<Run> {
  return guard(['init', '--repo', repo.dir, ...argv])
}

const text = (repo: TestRepository, file: string) => readFileSync(path.join(repo.dir, file), 'utf8')

/** A config with every suggestion in it taken: each block of comments from its first line that is a key. */
function taken(config: string): string {
  return config
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n')
      const first = lines.findIndex((line) => /^# (?:fail-on|clusters|policies|helm):/.test(line))
      return first === -1 ? block : lines.map((line, index) => (index < first ? line : line.slice(2))).join('\n')
    })
    .join('\n')
}

function validated(config: string): Config {
  const read = readConfig(config, configPath)
  resolvePolicies(read.uses ?? [], bundledPolicies(root), rules, read.places)
  return read
}

describe('its output and files', () => {
  test('plain manifests', async () => {
    const repo = repositoryOf({ 'shop/web.yaml': web })
    const { status, stdout, stderr } = await init(repo)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`repository: ${repo.dir}
default branch: main
layout: plain manifests
deployed by: nothing that its files show
cluster: Kubernetes version unknown

ingress-guard sees 1 of 1 manifest (100 %) of the working tree.
`)
    for (const file of [workflowPath, configPath])
      expect(stdout).toContain(`\nWrote ${file}:\n\n${text(repo, file).replace(/^(?=.)/gm, '    ')}`)
    expect(repo.git('status', '--porcelain', '--untracked-files=all').split('\n')).toEqual([
      `?? ${configPath}`,
      `?? ${workflowPath}`,
    ])
  })

  test('deployers, clusters, what they run, and on which Kubernetes', async () => {
    const app = (name: string, source: string) =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, namespace: argocd}\nspec:\n  destination: {name: in-cluster, namespace: ${name}}\n  source: ${source}\n`
    const repo = repositoryOf({
      'clusters/prod/proxy.yaml': app(
        'proxy',
        '{repoURL: "https://kubernetes.github.io/ingress-nginx", chart: ingress-nginx, targetRevision: 4.11.3}',
      ),
      'clusters/prod/kops.yaml':
        'apiVersion: kops.k8s.io/v1alpha2\nkind: Cluster\nmetadata: {name: prod.example.com}\nspec: {kubernetesVersion: 1.30.4}\n',
      'clusters/prod/cni.yaml':
        'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: cilium, namespace: kube-system}\nspec:\n  selector: {matchLabels: {k8s-app: cilium}}\n  template:\n    metadata: {labels: {k8s-app: cilium}}\n    spec: {containers: [{name: cilium-agent, image: "quay.io/cilium/cilium:v1.15.1"}]}\n',
      'clusters/staging/web.yaml': web,
      'apps/one/kustomization.yaml': 'resources: [web.yaml]\n',
      'apps/one/web.yaml': web,
      'apps/fleet.yaml': 'defaultNamespace: shop\n',
    })
    expect((await init(repo)).stdout).toContain(`layout: 1 Kustomization (apps/one)
deployed by: Argo CD (1) and Fleet (1)
cluster: Kubernetes version unknown
cluster clusters/prod: Kubernetes 1.30.4; runs Cilium 1.15.1, ingress-nginx 1.11.3
cluster clusters/staging: Kubernetes version unknown
`)
    expect(validated(taken(text(repo, configPath))).clusters).toMatchObject({ prod: {}, staging: {} })
  })

  test('releases of charts whose values are elsewhere: with these suggestions, all of it is seen', async () => {
    const repo = repositoryOf({
      'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'charts/web/templates/web.yaml': `{{- if .Values.on }}\n${web}{{- end }}\n`,
      'environments/prod/web.yaml': 'on: true\n',
      'environments/staging/web/values.yaml': 'on: true\n',
      'environments/staging/other.yaml': 'on: true\n',
    })
    expect((await init(repo)).stdout).toContain('sees 1 of 2 manifests (50 %)')
    repo.write({ [configPath]: taken(text(repo, configPath)) })
    expect(validated(text(repo, configPath)).releases.map(({ chart, values }) => [chart, values])).toEqual([
      ['charts/web', ['environments/prod/web.yaml']],
      ['charts/web', ['environments/staging/web/values.yaml']],
    ])
    expect((await guard(['coverage', '--repo', repo.dir])).stdout).toContain(
      'sees 4 of 4 manifests (100 %) and 2 of 2 releases (100 %: 2 rendered, 0 by their values)',
    )
  })

  test('a repository without a commit, from a folder in it', async () => {
    const repo = new TestRepository()
    repo.write({ 'shop/web.yaml': web })
    const { status, stdout } = await guard(['init', '--repo', path.join(repo.dir, 'shop')])
    expect(status).toBe(0)
    expect(stdout).toContain('default branch: unknown; name it with --base when you run check\n')
    expect(existsSync(path.join(repo.dir, workflowPath))).toBe(true)
  })

  test('on GitLab, where its job is', async () => {
    const { stdout } = await init(repositoryOf({ 'web.yaml': web, '.gitlab-ci.yml': 'stages: [test]\n' }))
    expect(stdout).toContain('\n  For GitLab, docs/ci-systems.md of ingress-guard has the job to include instead.\n')
  })
})

describe('the files', () => {
  test('the config is valid as it is, and with each suggestion taken', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    await init(repo)
    expect(validated(text(repo, configPath))).toMatchObject({ uses: undefined, clusters: {}, releases: [] })
    const config = validated(taken(text(repo, configPath)))
    expect(config.failOn).toBe('never')
    expect(Object.keys(config.clusters)).toEqual(['main'])
    expect(config.uses?.map(({ use }) => use.split('@')[0]).sort()).toEqual(
      [...new Set(bundledPolicies(root).map(({ file }) => file.policy))].sort(),
    )
  })

  test('the workflow has the triggers and permissions that the docs name, and runs on the published name', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    await init(repo)
    const { on, permissions, jobs } = parse(text(repo, workflowPath))
    expect([Object.keys(on), permissions]).toEqual([
      ['pull_request', 'merge_group'],
      { contents: 'read', checks: 'write' },
    ])
    const { url } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).repository
    const steps: { uses: string }[] = jobs['ingress-guard'].steps
    expect(steps.map(({ uses }) => uses)).toEqual([
      'actions/checkout@v6',
      `${url.match(/github\.com\/(.*)\.git$/)[1]}@v1`,
    ])
  })

  test('a change of the workflow is one that the gate reports', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    await init(repo)
    repo.commit()
    repo.commit({ [workflowPath]: 'on: push\n' })
    const { stdout } = await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'])
    expect(stdout).toContain(`notice config/changed ${workflowPath}:1:1`)
  })
})

describe('a file that exists', () => {
  test('--dry-run writes nothing, and prints the files alone to the standard output', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    const { status, stdout, stderr } = await init(repo, '--dry-run')
    expect(status).toBe(0)
    expect(stderr).toContain('ingress-guard sees 1 of 1 manifest (100 %)')
    expect(repo.git('status', '--porcelain')).toBe('')
    await init(repo)
    expect(stdout).toBe(`# ${workflowPath}\n${text(repo, workflowPath)}---\n# ${configPath}\n${text(repo, configPath)}`)
  })

  test('a file that exists is kept, and replaced with --force', async () => {
    const own = 'format: 1\nfail-on: warning\n'
    const repo = repositoryOf({ 'web.yaml': web, [configPath]: own })
    const kept = (await init(repo)).stdout
    expect(kept).toContain(`\nWrote ${workflowPath}:\n`)
    expect(kept).toContain(`\nKept ${configPath}, which exists; --force replaces it.\n`)
    expect(text(repo, configPath)).toBe(own)
    const replaced = (await init(repo, '--force')).stdout
    expect(replaced).toContain(`\nReplaced ${workflowPath}:\n`)
    expect(replaced).toContain(`\nReplaced ${configPath}:\n`)
    expect(text(repo, configPath)).not.toBe(own)
    expect(readdirSync(path.join(repo.dir, '.github')).sort()).toEqual(['ingress-guard.yaml', 'workflows'])
  })
})

describe('a hostile repository', () => {
  const outside = temporaryFolder()

  test.each<[string, Files, string]>([
    ['.github leads elsewhere', { '.github': { link: outside } }, '.github: This is a symbolic link'],
    ['the folder of workflows does', { '.github/workflows': { link: outside } }, '.github/workflows: This is a symbo'],
    ['a workflow does', { [workflowPath]: { link: `${outside}/w.yaml` } }, `${workflowPath}: This is a symbolic link`],
    ['a config does', { [configPath]: { link: '../../x.yaml' } }, `${configPath}: This is a symbolic link`],
    ['a link stays inside', { [configPath]: { link: '../web.yaml' } }, `${configPath}: This is a symbolic link`],
    ['a folder has the name', { [`${configPath}/a.yaml`]: 'a: b\n' }, `${configPath}: This is a folder`],
    ['a file is in the way', { '.github': 'a\n' }, '.github: This is not a folder'],
  ])('%s: nothing is written, not even with --force', async (_, files, sentence) => {
    const repo = repositoryOf({ 'web.yaml': web, ...files })
    for (const flags of [[], ['--force'], ['--dry-run']]) {
      const { status, stderr } = await init(repo, ...flags)
      expect(status).not.toBe(0)
      expect(stderr).toContain(sentence)
    }
    expect(repo.git('status', '--porcelain')).toBe('')
    expect(readdirSync(outside)).toEqual([])
  })

  test('a pipe has the name of the workflow', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    mkdirSync(path.join(repo.dir, '.github/workflows'), { recursive: true })
    execFileSync('mkfifo', [path.join(repo.dir, workflowPath)])
    const { status, stderr } = await init(repo, '--force')
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${workflowPath}: This is not a file`)])
    expect(lstatSync(path.join(repo.dir, workflowPath)).isFIFO()).toBe(true)
    expect(existsSync(path.join(repo.dir, configPath))).toBe(false)
  })

  test('another name of a file keeps its text', async () => {
    const repo = repositoryOf({ 'web.yaml': web })
    mkdirSync(path.join(repo.dir, '.github'))
    linkSync(path.join(repo.dir, 'web.yaml'), path.join(repo.dir, configPath))
    const { status, stdout } = await init(repo, '--force')
    expect([status, stdout]).toEqual([2, ''])
    expect(text(repo, 'web.yaml')).toBe(web)
  })

  test('a folder of the way is another repository', async () => {
    const repo = repositoryOf({ 'web.yaml': web, '.github/readme.md': 'x\n' })
    new TestRepository(path.join(repo.dir, '.github'))
    const { status, stderr } = await init(repo)
    expect(status).toBe(2)
    expect(stderr).toContain('.github: This folder is another repository, so no file is written into it.')
    expect(existsSync(path.join(repo.dir, configPath))).toBe(false)
  })

  test.each([
    ['a sibling', (repo: TestRepository) => outsideOf(repo)],
    ['a folder above', (repo: TestRepository) => path.dirname(path.dirname(repo.dir))],
  ])('its settings call %s its working tree', async (_, elsewhere) => {
    const repo = repositoryOf({ 'web.yaml': web })
    repo.git('config', 'core.worktree', elsewhere(repo))
    const { status, stderr } = await init(repo)
    expect(status).toBe(2)
    expect(stderr).toContain('is not in the working tree of a Git repository of its own')
    expect(existsSync(path.join(elsewhere(repo), '.github'))).toBe(false)
  })

  test('names of branches and folders are shown as text, and written only where they are plain', async () => {
    const names = [
      'prod\non: push\n',
      'a"]}\n      - run: curl evil',
      'x$' + '{{ github.token }}',
      '# format: 2',
      '\u001b[2Jx',
      'l\u2028fail-on: never',
      '--force',
      '..',
      'prod: {kubernetes: "9"}',
    ].filter((name) => name !== '..')
    const named = Object.fromEntries(
      names.flatMap((name) => [
        [`clusters/${name}/web.yaml`, web],
        [`charts/${name}/Chart.yaml`, 'apiVersion: v2\nname: web\nversion: 1.0.0\n'],
        [`values/${name}.yaml`, 'on: true\n'],
      ]),
    )
    const repo = repositoryOf({ 'clusters/ok/web.yaml': web, ...named })
    repo.git('checkout', '--quiet', '-b', 'x$' + '{{github.token}}')
    repo.git('update-ref', 'refs/remotes/origin/x$' + '{{github.token}}', 'HEAD')
    repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/x$' + '{{github.token}}')
    const { status, stdout, stderr } = await init(repo)
    expect([status, stderr]).toEqual([0, ''])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028]/)
    const plain = repositoryOf({ 'clusters/ok/web.yaml': web })
    await init(plain)
    expect(text(repo, workflowPath)).toBe(text(plain, workflowPath))
    expect(text(repo, configPath)).toBe(text(plain, configPath))
  })

  test('of thousands of names, as many are written as a person reads', () => {
    const folders = Array.from({ length: 5000 }, (_, index) => `c${index}`)
    const coverage: Coverage = {
      files: folders.map((name) => ({ path: `values/${name}.yaml`, state: 'not-kubernetes', reason: '' })),
      releases: [],
      platform: {
        charts: folders,
        kustomizations: [],
        idleCharts: folders,
        deployers: [],
        clusters: folders.map((name) => ({ name, components: [] })),
      },
    }
    const config = initFiles(coverage, 'org/ingress-guard').get(configPath) ?? ''
    const { clusters, releases } = validated(taken(config))
    expect([Object.keys(clusters).length, releases.length]).toEqual([8, 12])
  })
})

test('outside of a repository it says so', async () => {
  await withEnvironment({ GIT_CEILING_DIRECTORIES: '/tmp' }, async () => {
    const { status, stderr } = await guard(['init', '--repo', temporaryFolder()])
    expect([status, stderr]).toEqual([3, expect.stringContaining('is not a Git repository.')])
  })
})

function outsideOf({ dir }: TestRepository): string {
  const sibling = `${dir}-outside`
  mkdirSync(sibling, { recursive: true })
  return sibling
}
