import { describe, expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

const helmfile = (hook = '', holder = 'release'): Files => {
  const hooks = hook ? `hooks:\n${hook}` : ''
  const inRelease = holder === 'release' ? hooks.replaceAll(/^/gm, '    ') : ''
  return {
    'helmfile.yaml': `releases:\n  - name: edge\n    namespace: edge\n    chart: ./charts/edge\n${inRelease}\n${holder === 'file' ? hooks : ''}`,
    'charts/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
    'charts/edge/templates/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n',
  }
}
const hook = (command: string, args: string, events = '[presync]') =>
  `  - {events: ${events}, command: ${command}, args: ${args}}\n`
const plain = hook('kubectl', '[delete, "ingress,ingressclass", --all, -A]')

async function found(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/deleting-hook')
    .map(
      ({ level, location: { path, region }, text }) => `${level} ${path}:${region.startLine} ${text.split(', so ')[0]}`,
    )
}

describe('a hook of a helmfile that deletes objects', () => {
  test.each<[string, string, string]>([
    ['by words', plain, 'ingress,ingressclass --all -A'],
    ['of a namespace', hook('/usr/bin/kubectl', '[-n, edge, delete, svc/web]'), 'svc/web'],
    ['of a file', hook('kubectl', '[delete, -f, old.yaml]'), '-f old.yaml'],
    ['in a script', hook('sh', '[-c, "set -e; kubectl -n edge delete deployment nginx || true"]'), 'deployment nginx'],
  ])('%s', async (_, hooks, asked) => {
    const text = `After this change a hook of the release edge runs \`delete ${asked}\` whenever helmfile syncs it`
    expect(await found(helmfile(), helmfile(hooks))).toEqual([`warning helmfile.yaml:6 ${text}`])
  })

  test('of the whole file', async () => {
    const text =
      'After this change a hook of this helmfile runs `delete ingress,ingressclass --all -A` whenever helmfile syncs it'
    expect(await found(helmfile(), helmfile(plain, 'file'))).toEqual([`warning helmfile.yaml:7 ${text}`])
  })

  test.each<[string, Files, Files]>([
    ['that the base has', helmfile(plain), helmfile(plain + hook('echo', '[done]'))],
    ['that are Jobs', helmfile(), helmfile(hook('kubectl', '[delete, job, migrate]'))],
    ['that are records of Helm', helmfile(), helmfile(hook('kubectl', '[delete, secret, sh.helm.release.v1.edge.v1]'))],
    ['when it is uninstalled', helmfile(), helmfile(hook('kubectl', '[delete, namespace, edge]', '[postuninstall]'))],
    ['but applies', helmfile(), helmfile(hook('kubectl', '[apply, -f, crds.yaml]'))],
  ])('is silent about one %s', async (_, base, head) => {
    expect(await found(base, head)).toEqual([])
  })
})
