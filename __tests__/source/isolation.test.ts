import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { defaultLimits, isolationHere, runTool } from '../../src/render/tools/tool'
import { guard } from '../cli/guard'
import { configMap, role } from './objects'
import { tool } from './rendered'
import { type Files, temporaryFolder, withEnvironment, writeFiles } from './repository'

/** A program that writes down its environment, and then runs the tool that it replaces. */
function recording(name: string, seen: string): string {
  const file = path.join(temporaryFolder(), name)
  const script = `{ env; ls -A "$HOME"; cat /proc/net/dev 2>/dev/null; } >> ${seen}\nexec ${tool(name)} "$@"`
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

const head: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
  'chart/templates/role.yaml': role('web'),
  'web/kustomization.yaml': 'resources: [cm.yaml]\nhelmCharts: [{name: sub}]\n',
  'web/cm.yaml': configMap('web'),
  'web/charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
  'web/charts/sub/values.yaml': '{}\n',
  'web/charts/sub/templates/role.yaml': role('sub'),
}

async function check(files: Files, format: string, ...tools: readonly string[]) {
  const folder = temporaryFolder()
  writeFiles(folder, files)
  return guard(['check', '--all', '--head', folder, '--format', format, '--today', '2026-11-21', ...tools])
}

const own = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]

describe('network', () => {
  test.each([
    ['is not there', ['no-such-program', '--']],
    ['may not do so', ['false']],
    ['does something else', ['true']],
  ])('tools run as they are where what takes it away %s', async (_, words) => {
    expect(await isolationHere(temporaryFolder(), words)).toEqual([])
  })

  test('unshare is used where it works, and tools then have no network', async () => {
    const folder = temporaryFolder()
    expect(await isolationHere(folder, ['env'])).toEqual(['env'])
    const isolation = await isolationHere(folder)
    const limits = { ...defaultLimits, isolation }
    const { stdout } = await runTool('/bin/cat', ['/proc/net/dev'], { cwd: folder, home: folder, limits })
    const others = [...stdout.matchAll(/^\s*(\S+):/gm)].map(([, name]) => name).filter((name) => name !== 'lo')
    if (isolation.length > 0) expect(others).toEqual([])
    else expect(isolation).toEqual([])
  })

  test('a tool that cannot be started when the time is up ends no other process', async () => {
    const folder = temporaryFolder()
    const limits = { ...defaultLimits, signal: AbortSignal.abort() }
    const cwd = path.join(folder, 'none')
    const { status, stopped } = await runTool('/bin/cat', [], { cwd, home: folder, limits })
    expect([status, stopped]).toEqual([127, 'the time limit of the run was reached'])
  })

  test('the report says which it was', async () => {
    const isIsolated = (await isolationHere(temporaryFolder())).length > 0
    const { inspected } = JSON.parse((await check(head, 'json', ...own)).stdout)
    expect(inspected.confinement).toBe(isIsolated ? 'no-network' : undefined)
    const rendered = /^Rendered with helm v\S+, kubectl v[^\s,]+(, without network)?\.$/m
    const [, words] = (await check(head, 'terminal', ...own)).stdout.match(rendered) ?? []
    expect(words).toBe(isIsolated ? ', without network' : undefined)
    const plain = JSON.parse((await check({ 'cm.yaml': configMap('web') }, 'json', ...own)).stdout)
    expect(plain.inspected.tools).toEqual([])
    expect(plain.inspected).not.toHaveProperty('confinement')
  })
})

test('helm, kustomize, and the helm of kustomize see nothing of the job', async () => {
  const seen = path.join(temporaryFolder(), 'seen')
  const secrets = {
    ...Object.fromEntries(
      [
        'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
        'ACTIONS_RUNTIME_TOKEN',
        'ALL_PROXY',
        'AWS_SECRET_ACCESS_KEY',
        'DOCKER_CONFIG',
        'GH_TOKEN',
        'GITHUB_TOKEN',
        'GIT_ASKPASS',
        'GOOGLE_APPLICATION_CREDENTIALS',
        'HELM_KUBETOKEN',
        'HTTPS_PROXY',
        'HTTP_PROXY',
        'INPUT_TOKEN',
        'KUBECONFIG',
        'NO_PROXY',
        'SSH_AUTH_SOCK',
        'XDG_RUNTIME_DIR',
        'all_proxy',
        'https_proxy',
        'no_proxy',
      ].map((name) => [name, `the-job-s-own-${name}`]),
    ),
    HOME: '/the-job-s-own-home',
  }
  const { stdout } = await withEnvironment(secrets, () =>
    check(head, 'json', '--helm', recording('helm', seen), '--kustomize', recording('kubectl', seen)),
  )
  expect(JSON.parse(stdout).inspected.head).toMatchObject({ rendered: 2, manifests: 3 })
  const text = readFileSync(seen, 'utf8')
  expect(text).not.toMatch(/the-job-s-own|TOKEN|SSH_|AWS_|DOCKER_|NODE_|GITHUB_|ACTIONS_/)
  // Each of the tools was asked for its version and rendered, and kustomize started helm.
  expect(text.match(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:9$/gm)?.length).toBeGreaterThanOrEqual(5)
  expect(text.match(/^HOME=/gm)?.length).toBe(text.match(/^HTTPS_PROXY=/gm)?.length)
})
