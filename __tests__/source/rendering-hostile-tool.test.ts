import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { root } from '../harness'
import { config, fake, helm, honest, judged, judgedFolders, small, web } from './hostile'
import { role } from './objects'
import { temporaryFolder, withEnvironment, writeFiles } from './repository'

describe('a helm that is none', () => {
  const changed = { 'app/values.yaml': 'a: 2\n' }

  test.each([
    [
      'prints garbage',
      'echo hello',
      'head/.github/ingress-guard.yaml:2 Helm printed output that is not a rendered manifest: hello.',
      600,
    ],
    ['says nothing', 'exit 3', 'head/app/Chart.yaml:1 Helm exited with status 3 without a message.', 600],
    ['hangs', 'sleep 600', 'head/app/Chart.yaml:1 Helm was stopped because it did not finish within 1 seconds.', 1],
    [
      'leaves its output open',
      'setsid sleep 60 & sleep 0.3',
      'head/app/Chart.yaml:1 Helm was stopped because it did not finish within 1 seconds.',
      1,
    ],
  ])('one that %s is a finding, whatever it did at the base', async (_, script, expected, seconds) => {
    const { status, said } = await judged(changed, { helm: fake(script), limits: { ...small, seconds } })
    expect(said).toEqual([`introduced ${expected}`])
    expect(status).toBe(1)
  })

  test.each([
    ['does not exist', '/no/helm', 'does not exist'],
    ['is a folder', root, 'is a folder'],
    ['is not executable', path.join(root, 'package.json'), 'is not executable'],
    ['is not in the PATH', 'no-such-helm', 'is not in the PATH'],
  ])('one that %s', async (_, named, fault) => {
    const { status, said } = await judged(changed, { helm: named })
    expect(said).toEqual([
      `introduced head/.github/ingress-guard.yaml:2 Release shop/web of app could not be checked: ${named}, which the input or option helm names, ${fault}.`,
    ])
    expect(status).toBe(1)
  })

  test('one that this machine cannot run', async () => {
    const file = fake('')
    writeFileSync(file, Buffer.from([1, 2, 3, 4]))
    const { status, said } = await judged(changed, { helm: file })
    expect(said).toEqual([
      `introduced head/.github/ingress-guard.yaml:2 Release shop/web of app could not be checked: helm cannot be run: ${file}: Exec format error.`,
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
  // The six, and the chart as it was tried before it was declared, under two names.
  expect(runs.map(({ report }) => report.inspected.head.manifests)).toEqual([8, 8])
  const most = Math.max(...readFileSync(path.join(counts, 'seen'), 'utf8').trim().split(/\s+/).map(Number))
  expect(most).toBeLessThanOrEqual(availableParallelism())
  expect(readdirSync(own)).toEqual([])
})
