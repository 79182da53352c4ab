import { expect, test } from '@jest/globals'
import { type Account, accountFor, type FileChange, type Witness } from '../../src/ledger/entry'

const changed = new Map<string, FileChange>([
  ['b.yaml', 'removed'],
  ['a.yaml', 'added'],
])

const knows =
  (path: string, account: Account): Witness =>
  (one) =>
    one === path ? account : undefined

test('the first witness that knows a file accounts for it, and entries are in the order of paths', () => {
  const judged: Account = { state: 'judged', reason: 'its objects are judged', objects: ['Secret web'] }
  const other: Account = { state: 'not-deployed', cause: 'orphan', reason: 'nothing deploys it' }
  expect(accountFor(changed, [knows('b.yaml', other), knows('a.yaml', judged), () => other])).toEqual([
    { path: 'a.yaml', change: 'added', ...judged },
    { path: 'b.yaml', change: 'removed', ...other },
  ])
})

test('a file that no witness knows is a fault of the tool, which names it', () => {
  const other: Account = { state: 'not-kubernetes', reason: 'it is documentation' }
  const sentence =
    'b.yaml: No step of the run accounts for this changed file, so whether it was judged is unknown. This is a bug of ingress-guard: please report it.'
  expect(() => accountFor(changed, [knows('a.yaml', other)])).toThrow(
    expect.objectContaining({ code: 'internal', sentence, exitStatus: 3 }),
  )
})
