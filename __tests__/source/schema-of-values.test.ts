import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { base, kustomization, release } from './flux-objects'
import { kustomization as kustomize } from './kustomize-objects'
import { change } from './probe'
import type { Files } from './repository'

const schema = (text: string): Files => ({ 'charts/edge/values.schema.json': `${text}\n` })
const typed = schema('{"properties": {"port": {"type": "integer"}}}')
const elsewhere = schema('{"$ref": "https://schemas.example.com/values.json"}')

const values = (port: string, host: string) => release(`values:\n  port: ${port}\n  host: ${host}`)
const alarm = (line: number) => `introduced error head/flux/release.yaml:${line} ingress-tls/host-covered`

async function judged(more: Files, port: string): Promise<string[]> {
  const files = { ...base, ...more, 'flux/apps.yaml': kustomization('apps', './flux') }
  const report = await change(
    { ...files, 'flux/release.yaml': values(port, 'covered.example.com') },
    { 'flux/release.yaml': values(port, 'open.example.com') },
  )
  return lines(report)
}

test('a release is rendered without a schema of its values that is elsewhere', async () => {
  expect(await judged(elsewhere, '80')).toEqual([alarm(13)])
})

const inflating = (port: string, host: string) =>
  kustomize(
    'helmCharts:',
    '  - name: edge',
    '    releaseName: web',
    '    namespace: shop',
    `    valuesInline: {port: ${port}, host: ${host}}`,
  )

async function inflated(more: Files, port: string): Promise<string[]> {
  const report = await change(
    { ...base, ...more, 'kustomization.yaml': inflating('80', 'covered.example.com') },
    { 'kustomization.yaml': inflating(port, 'open.example.com') },
  )
  return lines(report)
}

test('a chart that a Kustomization inflates is rendered without a schema of its values that is elsewhere', async () => {
  expect(await inflated(elsewhere, '80')).toEqual([
    'introduced error head/kustomization.yaml:7 ingress-tls/host-covered',
  ])
})

test('a value of another type is refused in a chart that a Kustomization inflates', async () => {
  expect(await inflated(typed, 'http')).toEqual([expect.stringContaining('source/unrendered')])
})

test('a variable that only the cluster knows is not compared with the type of a value', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Flux.
  expect(await judged(typed, '${PORT}')).toEqual([alarm(13)])
})

test('a value of another type is refused', async () => {
  expect(await judged(typed, 'http')).toEqual([expect.stringContaining('source/unrendered')])
})
