import { expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap } from './objects'
import { change } from './probe'

const place = (name: string) => `https://github.com/acme/${name}//deploy?ref=v1`
const file = 'app/kustomization.yaml'
const listing = (...names: string[]) => ({
  [file]: kustomization('resources:', '  - settings.yaml', ...names.map((name) => `  - ${place(name)}`)),
})

/** The findings of remote bases that a change takes from a Kustomization. */
async function dropped(before: string[], after: string[] | undefined) {
  const base = { ...listing(...before), 'app/settings.yaml': configMap('settings') }
  const head = after ? listing(...after) : { [file]: null, 'app/settings.yaml': null }
  const { findings } = await change(base, { ...head, 'notes.yaml': configMap('notes') })
  return findings
    .filter(({ rule, text }) => rule === 'source/unrendered' && text.includes('drops'))
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

test('remote bases that a Kustomization no longer names are one finding', async () => {
  expect(await dropped(['edge', 'auth'], [])).toEqual([
    `warning ${file}:5 This change drops the remote bases ${place('edge')}, ${place('auth')}. The objects are not in this repository, so the removals cannot be checked. Review these bases, and vendor the objects that must stay.`,
  ])
  expect(await dropped(['edge'], undefined)).toEqual([
    `warning ${file}:5 This change drops the remote base ${place('edge')}. The objects are not in this repository, so the removals cannot be checked. Review that base, and vendor the objects that must stay.`,
  ])
})

test('a remote base in the place of another one is none', async () => {
  expect(await dropped(['edge'], ['auth'])).toEqual([])
})
