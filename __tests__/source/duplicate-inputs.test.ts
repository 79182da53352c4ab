import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const route = (parents: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: shop}
spec:
${parents}  hostnames: [www.example.com]
`
const once = route('  parentRefs:\n    - name: edge\n')
const twice = route('  parentRefs:\n  parentRefs:\n    - name: edge\n')
const base: Files = {
  'base/kustomization.yaml': 'resources: [web.yaml]\n',
  'base/web.yaml': once,
  'over/kustomization.yaml': 'resources: [../base]\npatches: [{path: patch.yaml}]\n',
  'over/patch.yaml': route('').replace('www', 'shop'),
}

async function found(before: Files, change: Files): Promise<string[]> {
  const { findings } = await judgeChange(before, change)
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

test('a key that a change writes twice in a file which kustomize patches is a warning at its line', async () => {
  expect(await found(base, { 'base/web.yaml': twice })).toEqual([
    'warning base/web.yaml:6 HTTPRoute shop/web has the key parentRefs more than once in one map, and only the last one takes effect. Merge them, or add the missing --- between two documents.',
  ])
  expect(await found({ ...base, 'base/web.yaml': twice }, { 'base/web.yaml': `# as before\n${twice}` })).toEqual([])
})

test('a key for which kustomize refuses the file is named at its line, beside the failure', async () => {
  const { 'over/kustomization.yaml': _, 'over/patch.yaml': __, ...alone } = base
  expect(await found(alone, { 'base/web.yaml': twice })).toEqual([
    expect.stringMatching(/^error base\/kustomization\.yaml:1 Kustomize cannot build it: /),
    'warning base/web.yaml:6 HTTPRoute shop/web has the key parentRefs more than once in one map, and kustomize refuses that. Merge them, or add the missing --- between two documents.',
  ])
})
