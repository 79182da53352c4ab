import { describe, expect, test } from '@jest/globals'
import { ingress } from './kustomize-objects'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const web: Files = {
  'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'charts/web/templates/ingress.yaml': ingress('shop.example.com').replace('spec:', 'spec:\n  ingressClassName: nginx'),
}
const helmfile = (...more: string[]) =>
  [
    'repositories: [{ name: ingress-nginx, url: https://kubernetes.github.io/ingress-nginx }]',
    'releases:',
    '  - name: web',
    '    namespace: shop',
    '    chart: ./charts/web',
    ...more,
    '',
  ].join('\n')
const nginx = ['  - name: edge', '    namespace: edge', '    chart: ingress-nginx/ingress-nginx', '    version: 4.11.3']
const fleet =
  'defaultNamespace: edge\nhelm: {repo: https://kubernetes.github.io/ingress-nginx, chart: ingress-nginx, version: 4.11.3}\n'

async function losses(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', ['controller-scope@1.13.0'])
  return findings
    .filter(({ rule }) => rule === 'controller-scope/controller-kept')
    .map(({ message, location: { path, region } }) => `${message} ${path}:${region.startLine}`)
}

describe('a controller whose release has no values of its own', () => {
  test('is known where helmfile no longer installs it', async () => {
    const base = { 'helmfile.yaml': helmfile(...nginx), ...web }
    expect(await losses(base, { 'helmfile.yaml': helmfile(...nginx, '    installed: false') })).toEqual([
      'removed helmfile.yaml:10',
    ])
    expect(await losses(base, { 'helmfile.yaml': helmfile(...nginx, '    labels: { a: b }') })).toEqual([])
  })

  test('is known where its file of Fleet is removed', async () => {
    const base = {
      'edge/fleet.yaml': fleet,
      'web/fleet.yaml': 'defaultNamespace: shop\n',
      'web/ingress.yaml': web['charts/web/templates/ingress.yaml'] ?? '',
    }
    expect(await losses(base, { 'edge/fleet.yaml': null })).toEqual(['removed edge/fleet.yaml:2'])
  })
})
