import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const policies = ['controller-scope@1.7.0']
const finding = 'controller-scope/backend-resolves'

function service(name: string, port: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  selector: {app: web}\n  ports: [{name: ${port}, port: 80}]\n`
}

/** The port that it names is in line 9. */
function ingress(name: string, backend: string, port: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  rules:\n    - host: ${name}.example.com\n      http:\n        paths:\n          - {path: /, pathType: Prefix, backend: {service: {name: ${backend}, port: {name: ${port}}}}}\n`
}

function kustomization(folder: string, text: string): Files {
  return { [`${folder}/kustomization.yaml`]: 'resources: [all.yaml]\n', [`${folder}/all.yaml`]: text }
}

async function judge(base: Files, head: Record<string, string | undefined>) {
  const report = await judgeChange(base, head as Files, 'helm', policies)
  return { rendered: report.inspected.head.rendered, lines: lines(report) }
}

describe('the Service that an Ingress names', () => {
  test('is found in a Kustomization that the change does not touch, and no other one is rendered', async () => {
    const base = {
      'web.yaml': ingress('web', 'web', 'http'),
      ...kustomization('services', service('web', 'http')),
      ...kustomization('others', ingress('other', 'web', 'http')),
    }
    expect(await judge(base, { 'web.yaml': ingress('web', 'web', 'main') })).toEqual({
      rendered: 1,
      lines: [`introduced warning head/web.yaml:9 ${finding}`],
    })
  })

  test('is compared with the Ingresses of Kustomizations that the change does not touch', async () => {
    const base = {
      'service.yaml': service('web', 'http'),
      ...kustomization('ingresses', ingress('web', 'web', 'http')),
      ...kustomization('others', ingress('other', 'other', 'http')),
    }
    expect(await judge(base, { 'service.yaml': service('web', 'main') })).toEqual({
      rendered: 1,
      lines: [`introduced warning head/service.yaml:6 ${finding}`],
    })
  })
})
