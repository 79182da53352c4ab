import { describe, expect, test } from '@jest/globals'
import { type ChangedFile, causeOf, type Trial } from '../../src/locate/cause'
import { EditedFile } from '../../src/locate/edits'

type Texts = Readonly<Record<string, string>>

/**
 * Searches for the cause of a finding that is there whenever a condition holds.
 *
 * @param changes the texts of each file, before and after
 * @returns `values.yaml:3 two: 2` for each part of the cause, and how often the change was judged again
 */
async function search(
  changes: Readonly<Record<string, readonly [before: string | undefined, after: string | undefined]>>,
  isFound: (texts: Texts) => boolean,
  most = 40,
  printed?: { path: string; line: number },
): Promise<{ causes: string[]; trials: number }> {
  const files = Object.entries(changes).map(([path, [before, after]]): ChangedFile => {
    const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text))
    return { path, before: bytes(before), after: bytes(after), text: new EditedFile(before, after) }
  })
  let trials = 0
  const trial: Trial = async (reversal) => {
    if (trials === most) return undefined
    trials++
    const texts = files.map((file) => {
      const taken = reversal.get(file)
      const text = taken === 'all' ? file.text?.before : file.text?.without(taken ?? new Set())
      return [file.path, text ?? ''] as const
    })
    return new Set(isFound(Object.fromEntries(texts)) ? ['finding', 'another'] : ['another'])
  }
  const causes = await causeOf('finding', files, trial, printed)
  return {
    causes: causes.map(({ file: { path }, edit }) =>
      edit ? `${path}:${edit.afterLine} ${edit.after.join(' ') || `without ${edit.before.join(' ')}`}` : path,
    ),
    trials,
  }
}

const has = (text: string | undefined, ...words: readonly string[]) => words.every((word) => text?.includes(word))
const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word}-${at}:`).join('\n')

describe('the cause of a finding is', () => {
  test('the one line that was replaced', async () => {
    const { causes } = await search({ 'values.yaml': ['a: 1\nb: 1\nc: 1\n', 'a: 2\nb: 2\nc: 2\n'] }, (texts) =>
      has(texts['values.yaml'], 'b: 2'),
    )
    expect(causes).toEqual(['values.yaml:2 b: 2'])
  })

  test('the line that was taken away', async () => {
    const { causes } = await search(
      { 'values.yaml': ['a: 1\nb: 1\nc: 1\n', 'c: 1\nd: 1\n'] },
      (texts) => !has(texts['values.yaml'], 'b: 1'),
    )
    expect(causes).toEqual(['values.yaml:1 without b: 1'])
  })

  test('of lines that were written together, the printed one, where it matters', async () => {
    const isFound = (texts: Texts) => has(texts['role.yaml'], 'name: web', 'subjects:')
    const change = { 'role.yaml': [undefined, 'kind: Role\nname: web\nverbs: [get]\nsubjects:\n'] as const }
    const near = await search(change, isFound, 40, { path: 'role.yaml', line: 2 })
    expect(near.causes).toEqual(['role.yaml:2 name: web'])
    const elsewhere = await search(change, isFound, 40, { path: 'other.yaml', line: 2 })
    expect(elsewhere.causes).toEqual(['role.yaml:4 subjects:'])
    const without = await search(change, isFound, 40, { path: 'role.yaml', line: 3 })
    expect(without.causes).toEqual(['role.yaml:4 subjects:'])
  })

  test('of edits without each of which it is gone, that of the printed line', async () => {
    const isFound = (texts: Texts) => has(texts['rbac.yaml'], 'role: web', 'roleRef: site')
    const change = {
      'rbac.yaml': ['role: nginx\nrules: []\nroleRef: nginx\n', 'role: web\nrules: []\nroleRef: site\n'] as const,
    }
    expect((await search(change, isFound, 40, { path: 'rbac.yaml', line: 3 })).causes).toEqual([
      'rbac.yaml:3 roleRef: site',
    ])
    expect((await search(change, isFound)).causes).toEqual(['rbac.yaml:1 role: web'])
  })

  test('of lines that were written together, the last that matters alone', async () => {
    const { causes } = await search({ 'values.yaml': ['a: 1\n', 'a: 1\nb:\n  c:\n    d: 2\n  e: 3\n'] }, (texts) =>
      has(texts['values.yaml'], 'b:', 'c:', 'd: 2'),
    )
    expect(causes).toEqual(['values.yaml:4     d: 2'])
  })

  test('one of two edits, where the finding needs both: without either it is gone', async () => {
    const { causes } = await search({ 'values.yaml': ['a: 1\nx:\nb: 1\n', 'a: 2\nx:\nb: 2\n'] }, (texts) =>
      has(texts['values.yaml'], 'a: 2', 'b: 2'),
    )
    expect(causes).toEqual(['values.yaml:1 a: 2'])
  })

  test('both edits, where either makes the finding', async () => {
    const { causes } = await search({ 'values.yaml': ['a: 1\nx:\nb: 1\n', 'a: 2\nx:\nb: 2\n'] }, (texts) =>
      ['a: 2', 'b: 2'].some((line) => has(texts['values.yaml'], line)),
    )
    expect(causes).toEqual(['values.yaml:1 a: 2', 'values.yaml:3 b: 2'])
  })

  test('two of three edits, each of which alone makes the finding', async () => {
    const { causes } = await search(
      { 'values.yaml': ['a: 1\nx:\nb: 1\nx:\nc: 1\n', 'a: 2\nx:\nb: 2\nx:\nc: 2\n'] },
      (texts) => ['a: 2', 'c: 2'].some((line) => has(texts['values.yaml'], line)),
    )
    expect(causes).toEqual(['values.yaml:1 a: 2', 'values.yaml:5 c: 2'])
  })

  test('in the second file, where the first has nothing to do with it', async () => {
    const { causes } = await search(
      { 'values.yaml': ['a: 1\n', 'a: 2\n'], 'templates/web.yaml': ['b: 1\nc: 1\n', 'b: 1\nc: 2\n'] },
      (texts) => has(texts['templates/web.yaml'], 'c: 2'),
    )
    expect(causes).toEqual(['templates/web.yaml:2 c: 2'])
  })

  test('in the first file, where either file taken back is enough', async () => {
    const { causes, trials } = await search(
      { 'values.yaml': ['a: 1\n', 'a: 2\n'], 'templates/web.yaml': ['b: 1\n', 'b: 2\n'] },
      (texts) => has(texts['values.yaml'], '2') && has(texts['templates/web.yaml'], '2'),
    )
    expect(causes).toEqual(['values.yaml:1 a: 2'])
    expect(trials).toBe(1)
  })

  test('in both files, where each makes the finding, and not in a third', async () => {
    const { causes } = await search(
      {
        'values.yaml': ['a: 1\nx: 1\n', 'a: 2\nx: 2\n'],
        'templates/other.yaml': ['c: 1\n', 'c: 2\n'],
        'templates/web.yaml': ['b: 1\n', 'b: 2\n'],
      },
      (texts) => has(texts['values.yaml'], 'a: 2') || has(texts['templates/web.yaml'], 'b: 2'),
    )
    expect(causes).toEqual(['values.yaml:1 a: 2', 'templates/web.yaml:1 b: 2'])
  })

  test('a new file, at the line that matters, and a deleted one, at what it held', async () => {
    const added = await search({ 'templates/new.yaml': [undefined, 'a: 1\nb: 2\n'] }, (texts) =>
      has(texts['templates/new.yaml'], 'b: 2'),
    )
    expect(added.causes).toEqual(['templates/new.yaml:2 b: 2'])
    const deleted = await search(
      { 'templates/old.yaml': ['a: 1\n', undefined] },
      (texts) => !has(texts['templates/old.yaml'], 'a: 1'),
    )
    expect(deleted.causes).toEqual(['templates/old.yaml:1 without a: 1'])
  })

  test('nothing, where the finding stays after every trial, or no trial is left', async () => {
    expect((await search({ 'values.yaml': ['a: 1\n', 'a: 2\n'] }, () => true)).causes).toEqual([])
    expect((await search({ 'values.yaml': ['a: 1\n', 'a: 2\n'] }, () => false, 0)).causes).toEqual([])
  })

  test('found in few trials among many edits', async () => {
    const count = 400
    const lines = (word: string) => `${numbered(count, word).replaceAll('\n', '\nsame:\n')}\n`
    const { causes, trials } = await search({ 'values.yaml': [lines('old'), lines('new')] }, (texts) =>
      has(texts['values.yaml'], 'new-317:'),
    )
    expect(causes).toEqual(['values.yaml:635 new-317:'])
    expect(trials).toBeLessThanOrEqual(22)
  })

  test('all of many edits, where no half of them is enough', async () => {
    const lines = (word: string) => `${numbered(40, word).replaceAll('\n', '\nsame:\n')}\n`
    const { causes, trials } = await search({ 'values.yaml': [lines('old'), lines('new')] }, (texts) =>
      has(texts['values.yaml'], 'new-'),
    )
    expect(causes[0]).toBe('values.yaml:1 new-0:')
    expect(causes.at(-1)).toBe('values.yaml:79 new-39:')
    expect(trials).toBeLessThanOrEqual(5)
  })
})
