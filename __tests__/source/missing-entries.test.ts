import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const remote = 'https://example.com/base.yaml'
const listing = (...entries: string[]) => kustomization('resources:', ...entries.map((entry) => `  - ${entry}`))
/** A root that did not build before either, so its files are read as they are written. */
const base: Files = {
  'root/kustomization.yaml': kustomization('resources: [../web]', 'patches:', '  - path: nowhere.yaml'),
  'web/kustomization.yaml': listing('settings.yaml', 'more'),
  'web/settings.yaml': configMap('settings'),
  'web/more/kustomization.yaml': listing('notes.yaml'),
  'web/more/notes.yaml': configMap('notes'),
}

async function missing(head: Files, before: Files = base): Promise<string[]> {
  const { findings } = await change(before, head)
  return findings
    .filter(({ message }) => message.startsWith('entry-'))
    .map(({ level, status, location: { path, region }, text }) =>
      [status, level, `${path}:${region.startLine}`, text].join(' '),
    )
}

const fate =
  'so kustomize cannot build it, and nothing that is built with it is applied. Correct the path, restore the file, or remove the entry.'

describe('an entry of a Kustomization that no build shows to be missing', () => {
  test.each<[what: string, head: Files, expected: string]>([
    [
      'its file is renamed',
      { 'web/settings.yaml': null, 'web/config.yaml': configMap('settings') },
      `introduced warning web/kustomization.yaml:4 This Kustomization lists settings.yaml, and this change removes it, ${fate}`,
    ],
    [
      'its folder is removed',
      { 'web/more/kustomization.yaml': null, 'web/more/notes.yaml': null },
      `introduced warning web/kustomization.yaml:5 This Kustomization lists more, and this change removes it, ${fate}`,
    ],
  ])('is a warning where %s', async (_, head, expected) => {
    expect(await missing(head)).toEqual([expected])
  })

  test('is a warning where the change writes nearly the name of a manifest that is not listed', async () => {
    const head = {
      'web/kustomization.yaml': listing('settings.yaml', 'more', 'issue.yaml'),
      'web/issuers.yaml': configMap('i'),
    }
    expect(await missing(head)).toEqual([
      'introduced warning web/kustomization.yaml:6 This Kustomization lists issue.yaml, which is not there, so kustomize cannot build it, and nothing that is built with it is applied. It does not list issuers.yaml, which is in the same folder. Write issuers.yaml if that is meant.',
    ])
    const below = {
      'web/kustomization.yaml': listing('settings.yaml', 'more/page.yaml.yaml'),
      'web/more/page.yaml': configMap('page'),
      'web/page.yaml': configMap('other'),
    }
    expect(await missing(below)).toEqual([expect.stringContaining('Write more/page.yaml if that is meant.')])
    const other = { ...head, 'web/issuers.yaml': null, 'web/secret.yaml': configMap('secret') }
    expect(await missing(other)).toEqual([])
  })

  test('is a warning where one word of the name differs from that of a manifest that is not listed', async () => {
    const head = {
      'web/kustomization.yaml': listing('settings.yaml', 'more', 'cluster-roling-binding.yaml'),
      'web/cluster-role-binding.yaml': configMap('b'),
    }
    expect(await missing(head)).toEqual([expect.stringContaining('Write cluster-role-binding.yaml if that is meant.')])
    const others = { 'web/cluster-role-config.yaml': configMap('c'), 'web/role-binding.yaml': configMap('d') }
    const first = { ...head, 'web/cluster-role-binding.yaml': null, ...others }
    expect(await missing(first)).toEqual([])
  })

  test('is a warning where the change writes it in place of a manifest that is there', async () => {
    const head = { 'web/kustomization.yaml': listing('config.yaml', 'more') }
    expect(await missing(head)).toEqual([
      expect.stringContaining('It does not list settings.yaml, which is in the same folder.'),
    ])
    const two = { 'web/kustomization.yaml': listing('config.yaml', 'more', 'secret.yaml') }
    expect(await missing(two)).toEqual([])
  })

  test('is a warning where others show another number of steps to the same folder, which may be in no commit', async () => {
    const [first, second, third] = ['issuers', 'dex', 'istio'].map((name) => `../upstream/common/${name}`)
    const listed = ['settings.yaml', 'more', `${first}`, `${second}`, `${third}`]
    const before = { ...base, 'web/kustomization.yaml': listing(...listed) }
    const write = (...entries: string[]) => missing({ 'web/kustomization.yaml': listing(...entries) }, before)
    const wrong = '../../upstream/common/knative'
    expect(await write(...listed, '../../web/upstream/common/knative', '../more/upstream')).toEqual([])
    expect(await write(...listed.slice(0, 4), 'upstream/common/knative')).toEqual([])
    expect(await write(...listed, wrong, '../../upstream/common/other')).toEqual([])
    expect(await write(...listed, 'upstream/common/knative')).toEqual([
      'introduced warning web/kustomization.yaml:9 This Kustomization lists upstream/common/knative, which is not there, so kustomize cannot build it, and nothing that is built with it is applied. The 3 other entries that lead to upstream begin with ../. Write ../upstream/common/knative if that is meant.',
    ])
    const there = { ...before, 'upstream/common/dex/kustomization.yaml': listing('x.yaml') }
    expect(await missing({ 'web/kustomization.yaml': listing(...listed, 'upstream/common/knative') }, there)).toEqual(
      [],
    )
    expect(await missing({ 'web/kustomization.yaml': listing(...listed, 'upstream/common/dex') }, there)).toEqual([
      expect.stringContaining('Write ../upstream/common/dex if that is meant.'),
    ])
  })

  test('is reported once where the build shows it', async () => {
    const whole = { ...base, 'root/kustomization.yaml': listing('../web') }
    expect(await missing({ 'web/settings.yaml': null }, whole)).toEqual([])
  })

  test('is reported where another failure only has its name as a part of a word', async () => {
    const before = { ...base, 'moreover/kustomization.yaml': listing('notes.yaml') }
    const head = { 'web/more/kustomization.yaml': null, 'web/more/notes.yaml': null, 'moreover/x.yaml': configMap('x') }
    expect(await missing({ ...head, 'moreover/kustomization.yaml': listing('x.yaml', 'gone.yaml') }, before)).toEqual([
      `introduced warning web/kustomization.yaml:5 This Kustomization lists more, and this change removes it, ${fate}`,
    ])
  })

  test('is passed over where it was missing before, and where it is elsewhere', async () => {
    const before = { ...base, 'web/kustomization.yaml': listing('settings.yaml', 'more', 'made-later.yaml') }
    const head = { 'web/kustomization.yaml': listing('settings.yaml', 'more', 'made-later.yaml', remote) }
    expect(await missing(head, before)).toEqual([])
  })
})
