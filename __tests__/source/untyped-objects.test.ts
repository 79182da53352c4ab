import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization } from './kustomize-objects'
import { change, probe } from './probe'
import type { Files } from './repository'

const web = probe('web', 'covered.example.com')
const without = (key: string) => web.replace(new RegExp(`^${key}:.*\\n`, 'm'), '')

const introduced = async (base: Files, head: Files) => {
  const report = await change(base, head)
  return lines(report).map((line, at) => `${line}: ${report.findings[at]?.text}`)
}

const remedy = 'An API server takes no such object, so correct the file or the patch that makes them.'

describe('an object that loses its type', () => {
  const built: Files = { 'web/kustomization.yaml': kustomization('resources: [web.yaml]'), 'web/web.yaml': web }

  test.each([
    ['apiVersion', without('apiVersion'), 'Ingress web has no apiVersion'],
    ['apiVersion', web.replace('apiVersion', 'rapiVersion'), 'rapiVersion of Ingress web must be apiVersion'],
    ['apiVersion', web.replace(/^apiVersion:.*/m, 'apiVersion:'), 'Ingress web has no apiVersion'],
  ])('is an error where kustomize builds it: %s', async (_, changed, reason) => {
    expect(await introduced(built, { 'web/web.yaml': changed })).toEqual([
      `introduced error head/web/web.yaml:1 source/unrendered: The rendered manifests cannot be read: ${reason}. ${remedy}`,
    ])
  })

  test('is one error where a patch selects it in two Kustomizations, as kustomize writes no apiVersion', async () => {
    const overlay = kustomization(
      'resources: [../web]',
      'patches: [{target: {kind: Ingress}, patch: "- {op: add, path: /metadata/labels, value: {a: b}}"}]',
    )
    const base = { ...built, 'one/kustomization.yaml': overlay, 'two/kustomization.yaml': overlay }
    const changed = web.replace('apiVersion', 'webVersion')
    expect(await introduced(base, { 'web/web.yaml': changed })).toEqual([
      `introduced error head/web/web.yaml:1 source/unrendered: The rendered manifests cannot be read: webVersion of Ingress web must be apiVersion. ${remedy}`,
    ])
  })

  test('is an error where kustomize never built it, and its files are read as they are', async () => {
    const broken = { ...built, 'web/kustomization.yaml': kustomization('resources: [web.yaml, gone.yaml]') }
    expect(await introduced(broken, { 'web/web.yaml': without('apiVersion') })).toEqual([
      `introduced error head/web/web.yaml:1 source/unrendered: The rendered manifests cannot be read: Ingress web has no apiVersion. ${remedy}`,
    ])
  })

  test('is said once where kustomize cannot build it any more, as it is no YAML', async () => {
    expect(await introduced(built, { 'web/web.yaml': `${web}extra: *name\n` })).toEqual([
      expect.stringMatching(/^introduced error head\/web\/\S+ source\/unrendered: Kustomize cannot build it: .*anchor/),
    ])
  })

  test.each([
    ['apiVersion', without('apiVersion'), 'Ingress web has no apiVersion'],
    ['kind', without('kind'), 'the object web has no kind'],
    ['kind', web.replace('kind', 'kinds'), 'kinds of the object web must be kind'],
  ])('is an error where it is a file of its own: %s', async (_, changed, reason) => {
    expect(await introduced({ 'web.yaml': web }, { 'web.yaml': changed })).toEqual([
      expect.stringContaining(`source/unreadable: This file cannot be read: ${reason}.`),
    ])
  })

  test('is an error beside an object of the same file, which never had a type', async () => {
    expect(await introduced({ 'web.yaml': web }, { 'web.yaml': `${web}---\n${without('apiVersion')}` })).toEqual([
      expect.stringContaining('source/unreadable: This file cannot be read: Ingress web has no apiVersion.'),
    ])
    expect(await introduced({}, { 'web.yaml': `${without('kind')}---\n${web}` })).toEqual([
      expect.stringContaining('source/unreadable: This file cannot be read: the object web has no kind.'),
    ])
  })

  test.each([
    [
      'its apiVersion has another key',
      web.replace('apiVersion', 'webVersion'),
      'webVersion of Ingress web must be apiVersion',
    ],
    [
      'its name is beside the metadata',
      web.replace(/metadata:[\s\S]*?(?=\nspec:)/, 'metadata:\nname: web\nnamespace: shop'),
      'name of Ingress web must be below metadata',
    ],
  ])('is an error in a new file where %s', async (_, text, reason) => {
    expect(await introduced({ 'a.txt': 'x' }, { 'web.yaml': text })).toEqual([
      expect.stringContaining(`source/unreadable: This file cannot be read: ${reason}.`),
    ])
  })

  test('is none where the file never was one', async () => {
    expect(await introduced({ 'a.txt': 'x' }, { 'web.yaml': without('apiVersion') })).toEqual([])
  })
})
