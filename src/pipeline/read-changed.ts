import type { Budget } from '../budget'
import { mayDeclare } from '../deployers/fleet-helmfile/read-deployment-files'
import { DocumentReader } from '../manifest/document-reader'
import { Files } from '../revision/files'
import { readFiles, readTexts, type Texts } from '../revision/reading'
import type { Tree } from '../revision/tree'
import { ReleaseValueFiles } from '../values/release-value-files'
import { differs, type Sides } from './opening/open-sides'
import type { Scope } from './opening/scope'
import { reachedByVariables } from './reached-by-variables'

/** The plain files that differ, parsed, and the objects that differ only by the values files they take. */
export interface ChangedFiles {
  readonly before: Files
  readonly after: Files
  readonly values: ReleaseValueFiles
  /** The ids of sources that may render to objects whose values files differ, or whose variables are set on one side only. */
  readonly reached: ReadonlySet<string>
  /** The texts of the other files, where they had to be read for that. */
  readonly others: Texts | undefined
}

/** Parses the files that differ. */
export async function readChanged(sides: Sides, { repository, renderer: { budget } }: Scope): Promise<ChangedFiles> {
  const { base, head, changed } = sides
  const reader = new DocumentReader()
  const differing = ({ files }: Pick<Tree, 'files'>) => [...files.keys()].filter((path) => differs(sides, path))
  const before = base ? await readFiles(base.checkout, differing(base.tree), reader, budget) : new Files()
  const after = await readFiles(head.checkout, differing(head.tree), reader, budget)
  const values = new ReleaseValueFiles({ base, head, before, after, changed, repository })
  const others = values.mayDiffer ? await readUntouched(sides, budget) : undefined
  const { texts, reached: byValues, ...completed } = await values.completeFiles(others?.texts)
  const reached = new Set([...byValues, ...(await reachedByVariables(sides))])
  return { ...completed, reached, values, others: others && texts && { ...others, texts } }
}

/** The texts of the files that this change does not touch. */
export function readUntouched(sides: Sides, budget: Budget): Promise<Texts> {
  const { base, head } = sides
  const untouched = base ? [...head.tree.files.keys()].filter((path) => !differs(sides, path)) : []
  return readTexts(head.checkout, untouched, budget, mayDeclare)
}
