import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { GitServer, ServedRepository } from '../fetch/git-server'
import type { Files } from '../source/repository'
import { changeOnline, exposing, ingressWith, introduced, states } from './charts'

let git: GitServer
beforeAll(async () => {
  git = await GitServer.start()
  const apps = new ServedRepository(path.join(git.root, 'apps'))
  apps.commit({
    'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.1.0\n',
    ...Object.fromEntries(Object.entries(exposing).map(([file, text]) => [`charts/web/${file}`, text])),
    'values/open.yaml': 'exposed: open.example.com\n',
    'deploy/base/kustomization.yaml': 'resources: [ingress.yaml]\n',
    'deploy/base/ingress.yaml': ingressWith('covered.example.com'),
    'deploy/prod/kustomization.yaml': 'resources: [../base]\n',
    'deploy/remote/kustomization.yaml': 'resources: ["https://github.com/acme/base//deploy?ref=v1"]\n',
    'plain/ingress.yaml': ingressWith('covered.example.com'),
  })
  apps.git('tag', 'v1')
  apps.commit({
    'charts/web/values.yaml': 'exposed: open.example.com\n',
    'deploy/base/ingress.yaml': ingressWith('open.example.com'),
  })
  apps.git('tag', 'v2')
})
afterAll(() => git.close())

const config = (): Files => ({
  '.github/ingress-guard.yaml': `format: 1\nnetwork: {git: ["${git.url}/apps"]}\n`,
})

/** An Application: its version is in line 9, and what follows starts in line 10. */
function application(version: string, folder: string, more = '', name = 'apps'): Files {
  return {
    'web.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {name: in-cluster, namespace: shop}
  source:
    repoURL: ${git.url}/${name}
    path: ${folder}
    targetRevision: ${version}
${more}  project: default
`,
  }
}

const judge = (base: Files, head: Files, ...options: string[]) =>
  changeOnline({ ...config(), ...base }, head, ...options)

describe('a folder of another repository that an Application deploys', () => {
  test.each([
    ['a chart', 'charts/web'],
    ['a Kustomization', 'deploy/prod'],
  ])('is fetched and rendered: %s', async (_, folder) => {
    const report = await judge(application('v1', folder), application('v2', folder))
    expect(introduced(report)).toEqual(['error head/web.yaml:9 ingress-tls/host-covered'])
    expect(states(report)).toEqual(['web.yaml judged'])
  })

  test.each([
    ['in the Application', '    helm: {valuesObject: {exposed: open.example.com}}\n', {}],
    ['in a file of that repository', '    helm: {valueFiles: [../../values/open.yaml]}\n', {}],
    ['in a file from the root of that repository', '    helm: {valueFiles: [/values/open.yaml]}\n', {}],
  ])('is rendered with values %s', async (_, helm, more) => {
    const report = await judge(application('v1', 'charts/web'), { ...application('v1', 'charts/web', helm), ...more })
    expect(introduced(report)).toEqual(['error head/web.yaml:10 ingress-tls/host-covered'])
  })

  test('is rendered with what the Application lays over a Kustomization', async () => {
    const patch = `    kustomize:
      patches:
        - target: {kind: Ingress}
          patch: |
            - {op: replace, path: /spec/rules/0/host, value: open.example.com}
`
    const report = await judge(application('v1', 'deploy/prod'), application('v1', 'deploy/prod', patch))
    expect(introduced(report).map((line) => line.replace(/:\d+ /, ' '))).toEqual([
      'error head/web.yaml ingress-tls/host-covered',
    ])
  })

  test('fails without a patch that it names', async () => {
    const patch = '    kustomize: {patches: [{path: absent.yaml}]}\n'
    const report = await judge(application('v1', 'deploy/prod'), application('v1', 'deploy/prod', patch))
    expect(introduced(report).map((line) => line.replace(/:\d+ /, ' '))).toEqual([
      'error head/web.yaml source/unrendered',
    ])
  })

  test.each([
    ['plain', 'it is no chart and no Kustomization, and plain files of another repository are not read'],
    [
      'deploy/remote',
      'its Kustomization needs https://github.com/acme/base//deploy?ref=v1, which was not fetched with it',
    ],
  ])('is not rendered where it is something else: %s', async (folder, why) => {
    const report = await judge(application('v1', folder), application('v2', folder))
    expect(introduced(report)).toEqual(['notice head/web.yaml:9 source/not-judged'])
    expect(report.findings[0]?.text).toContain(`${folder} of ${git.url}/apps was fetched, and is not rendered: ${why}.`)
  })

  test('is not rendered without a folder that the version lacks', async () => {
    const report = await judge(application('v1', 'charts/web'), application('v1', 'charts/absent'))
    expect(introduced(report)).toEqual(['error head/web.yaml:9 source/unrendered'])
    expect(report.findings[0]?.text).toContain(`apps has no folder charts/absent at v1. Name a version that exists.`)
  })

  test('is not asked for at a place that only the change names: the finding has the line that allows it', async () => {
    const report = await judge({}, application('v1', 'charts/web', '', 'others'))
    expect(introduced(report)).toEqual(['notice head/web.yaml:1 source/not-judged'])
    expect(report.findings[0]?.text).toContain(`network: {git: ["${git.url}/others"]}`)
  })

  test('is listed where it cannot be fetched, with the reason', async () => {
    const config = { '.github/ingress-guard.yaml': `format: 1\nnetwork: {git: ["${git.url}/others"]}\n` }
    const [base, head] = ['v1', 'v2'].map((version) => application(version, 'charts/web', '', 'others'))
    const report = await changeOnline({ ...config, ...base }, { ...head })
    expect(introduced(report)).toEqual(['notice head/web.yaml:9 source/not-judged'])
    expect(report.findings[0]?.text).toContain(
      `charts/web of ${git.url}/others could not be fetched: ${git.url}/others is no repository, or one that requires credentials`,
    )
  })

  test('is listed where nothing is fetched', async () => {
    const report = await judge(application('v1', 'charts/web'), application('v2', 'charts/web'), '--offline')
    expect(introduced(report)).toEqual(['notice head/web.yaml:9 source/not-judged'])
    expect(report.findings[0]?.text).toContain(`${git.url}/apps charts/web is not in this repository.`)
  })
})
