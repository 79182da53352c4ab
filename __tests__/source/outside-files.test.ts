import { describe, expect, test } from '@jest/globals'
import { ingress, kustomization, uncovered } from './kustomize-objects'
import { change } from './probe'
import type { Files } from './repository'

const settings = (option: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data: {kustomize.buildOptions: "${option}"}
`

const tag = `apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: images}
imageTag: {name: nginx, newName: registry.example.com/nginx}
`

const base: Files = {
  'shared/ingress.yaml': ingress('a.example.com'),
  'web/kustomization.yaml': kustomization('resources: [../shared/ingress.yaml]'),
}

const head: Files = {
  'shared/ingress.yaml': ingress('a.example.com').replace('- host: a', '- host: b'),
}

async function said(before: Files, after: Files): Promise<string[]> {
  const { findings } = await change(before, after)
  return findings.map(({ rule, location, text }) => `${rule} ${location.path} ${text.slice(0, 60)}`)
}

describe('a Kustomization that takes in a file beside its folder', () => {
  test.each([
    ['settings of Argo CD', 'argocd/cm.yaml', settings('--enable-helm --load-restrictor LoadRestrictionsNone')],
    ['a script', 'build.sh', 'kustomize build --load-restrictor=LoadRestrictionsNone web\n'],
    ['a command of Flux 1', 'web/.flux.yaml', 'generators: [{command: "kustomize build --load_restrictor none ."}]\n'],
  ])('is built where %s of the base build it so', async (_, file, text) => {
    expect(await said({ ...base, [file]: text }, head)).toEqual([
      expect.stringContaining(`${uncovered} shared/ingress.yaml No entry of spec.tls lists b.example.com`),
    ])
  })

  test('is built with transformers that read no files', async () => {
    const more = {
      'web/kustomization.yaml': kustomization(
        'resources: [../shared/ingress.yaml]',
        'transformers: [../shared/tag.yaml]',
      ),
      'shared/tag.yaml': tag,
      'build.sh': 'kustomize build --load-restrictor=LoadRestrictionsNone web\n',
    }
    expect(await said({ ...base, ...more }, head)).toEqual([
      expect.stringContaining(`${uncovered} shared/ingress.yaml No entry of spec.tls lists b.example.com`),
    ])
  })

  test('is not built with a plugin that may read files', async () => {
    const more = {
      'web/kustomization.yaml': kustomization('resources: [../shared/ingress.yaml]', 'generators: [made.yaml]'),
      'web/made.yaml': 'apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nliterals: [a=b]\n',
      'build.sh': 'kustomize build --load-restrictor=LoadRestrictionsNone web\n',
    }
    const { inspected } = await change({ ...base, ...more }, head)
    expect(inspected.skipped.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('is not in or below'))
  })

  test('is not built so for an option that only the change has', async () => {
    const { inspected } = await change(base, {
      ...head,
      'argocd/cm.yaml': settings('--load-restrictor LoadRestrictionsNone'),
    })
    expect(inspected.skipped.map(({ reason }) => reason)).toContainEqual(expect.stringContaining('is not in or below'))
  })
})
