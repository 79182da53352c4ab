import { expect, test } from '@jest/globals'
import type { Content, Entry, Revision } from '../../src/revision/revision'
import { readTree } from '../../src/revision/tree'

/** A revision of empty files, and of links with their targets. */
function revisionOf(files: readonly string[], links: ReadonlyMap<string, string>): Revision {
  const entries: Entry[] = [
    ...files.map((path): Entry => ({ path, type: 'file', id: path })),
    ...[...links.keys()].map((path): Entry => ({ path, type: 'link', id: path })),
  ]
  return {
    name: 'head',
    list: async () => entries,
    async *read(wanted: readonly Entry[]): AsyncGenerator<[Entry, Content]> {
      for (const entry of wanted) yield [entry, Buffer.from(links.get(entry.path) ?? '')]
    },
  }
}

function many<T>(count: number, one: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => one(index))
}

test('links reach what is in their folder, and nothing beside it', async () => {
  const tree = await readTree(
    revisionOf(
      ['a/x.yaml', 'a/deep/y.yaml', 'a-b/z.yaml', 'a/no.txt'],
      new Map([
        ['l', 'a'],
        ['m/n', '../a/deep'],
        ['one.yaml', 'a-b/z.yaml'],
      ]),
    ),
    [],
  )
  expect([...tree.aliases]).toEqual([
    ['a/deep/y.yaml', ['l/deep/y.yaml', 'm/n/y.yaml']],
    ['a/x.yaml', ['l/x.yaml']],
    ['a-b/z.yaml', ['one.yaml']],
  ])
})

test('links that together reach more than 100,000 files are refused from the one on that goes beyond', async () => {
  const files = many(1500, (index) => `a/f${index}.yaml`)
  const links = new Map(many(1500, (index) => [`links/l${index}`, '../a'] as const))
  const tree = await readTree(revisionOf(files, links), [])
  const reached = [...tree.aliases.values()].flat()
  expect(reached).toHaveLength(66 * 1500)
  expect(tree.refused.size).toBe(1500 - 66)
  expect(tree.refused.get('links/l66')).toBe('one of many symbolic links that together reach more than 100,000 files')
  expect(tree.skipped).toContainEqual({ path: 'links/l1499', reason: tree.refused.get('links/l1499') })
})
