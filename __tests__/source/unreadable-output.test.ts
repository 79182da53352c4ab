// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { change, object } from './probe'
import type { Files } from './repository'

const settings = (name: string, value: string) =>
  object('v1', 'ConfigMap', name, 'shop', ['data:', '  value: "${VALUE}"', `  image: ${value}`, ''].join('\n'))

/** The variable's value has a colon, so that what Flux puts together is no YAML. */
const base: Files = {
  'flux/source.yaml': repository(),
  'flux/apps.yaml': kustomization('apps', './apps', 'postBuild: {substitute: {VALUE: "a: b: c"}}'),
  'apps/kustomization.yaml': 'resources: [web.yaml, api.yaml]\n',
  'apps/web.yaml': settings('web', 'v1'),
  'apps/api.yaml': object('v1', 'ConfigMap', 'api', 'shop', 'data: {image: v1}\n'),
}

async function unreadable(head: Files) {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/unrendered')
    .map(({ status, keys, text }) => `${status} ${keys.join(' ')}: ${text}`)
}

const was = expect.stringMatching(
  /^existing apps\/kustomization\.yaml unreadable-output ConfigMap\/shop\/web: The rendered manifests cannot be read \(ConfigMap\/shop\/web\): /,
)

test('an object that was unreadable at the base is no new error', async () => {
  expect(await unreadable({ 'apps/web.yaml': settings('web', 'v2') })).toEqual([was])
})

test('another object that becomes unreadable is', async () => {
  expect(await unreadable({ 'apps/api.yaml': settings('api', 'v1') })).toEqual([
    was,
    expect.stringMatching(/^introduced apps\/kustomization\.yaml unreadable-output ConfigMap\/shop\/api: /),
  ])
})

test('so is a second one of that name', async () => {
  const second = settings('web', 'v1').replace('namespace: shop', 'namespace: other')
  expect((await unreadable({ 'apps/api.yaml': second })).filter((one) => one.startsWith('introduced'))).toEqual([
    expect.stringContaining('ConfigMap/other/web'),
  ])
})
