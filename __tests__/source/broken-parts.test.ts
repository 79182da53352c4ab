import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const listing = (...entries: string[]) => kustomization('resources:', ...entries.map((entry) => `  - ${entry}`))
/** A root that does not build on either side: the Kustomization of one of its folders is empty. */
const base: Files = {
  'root/kustomization.yaml': listing('../empty', '../team'),
  'empty/kustomization.yaml': '',
  'team/kustomization.yaml': listing('web'),
  'team/web/kustomization.yaml': listing('settings.yaml'),
  'team/web/settings.yaml': configMap('settings'),
}

async function broken(head: Files, before: Files = base): Promise<string[]> {
  const { findings } = await change(before, head)
  return findings
    .filter(({ message }) => message === 'part')
    .map(({ level, status, location: { path, region }, text }) =>
      [status, level, `${path}:${region.startLine}`, text].join(' '),
    )
}

const patching = kustomization('resources:', '  - settings.yaml', 'patchesStrategicMerge:', '  - more.yaml')
const hidden =
  'the Kustomization root, which includes it, fails for another reason, before this change too, so that its build does not show this. Correct it in this change.'

describe('a part of a Kustomization that did not build before either', () => {
  test('is a warning at the patch that has no object any more', async () => {
    expect(await broken({ 'team/web/kustomization.yaml': patching, 'team/web/more.yaml': configMap('more') })).toEqual([
      `introduced warning team/web/kustomization.yaml:6 Kustomize cannot build it: accumulating resources from 'web': 'team/web' must resolve to a file': recursed accumulation of path 'team/web': no matches for Id ConfigMap.v1.[noGrp]/more.[noNs]; failed to find unique target for patch ConfigMap.v1.[noGrp]/more.[noNs]. It was built before this change, and ${hidden}`,
    ])
  })

  test('is a warning where a new one does not build by the fault of a new file', async () => {
    const added = {
      'team/kustomization.yaml': listing('web', 'api'),
      'team/api/kustomization.yaml': listing('gone.yaml'),
    }
    const of = { ...base, 'team/kustomization.yaml': listing('web', '../empty') }
    const found = await broken({ ...added, 'team/kustomization.yaml': listing('web', 'api', '../empty') }, of)
    expect(found).toEqual([
      expect.stringMatching(
        /^introduced warning team\/api\/kustomization\.yaml:4 .*gone\.yaml.* This Kustomization is new, and /,
      ),
    ])
  })

  test('is passed over where it builds, where it did not before, and where it is a component', async () => {
    expect(await broken({ 'team/web/settings.yaml': configMap('other') })).toEqual([])
    const before = { ...base, 'team/web/kustomization.yaml': patching, 'team/web/more.yaml': configMap('more') }
    expect(await broken({ 'team/web/settings.yaml': configMap('other') }, before)).toEqual([])
    const component = (text: string) => text.replace(/v1beta1/, 'v1alpha1').replace('Kustomization', 'Component')
    const { 'team/kustomization.yaml': _, ...others } = base
    const laid = {
      ...others,
      'root/kustomization.yaml': kustomization('resources: [../empty]', 'components: [../team/web]'),
      'team/web/kustomization.yaml': component(listing('settings.yaml')),
    }
    const head = { 'team/web/kustomization.yaml': component(patching), 'team/web/more.yaml': configMap('more') }
    expect(await broken(head, laid)).toEqual([])
  })
})
