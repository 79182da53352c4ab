import { splitDocuments } from '../../manifest/documents'
import type { Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { mayPutWordsTogether } from '../../manifest/set-templates'
import { skimKind } from '../../manifest/skim'
import type { Subjects } from '../../rule/rule'
import { isAmong } from './wanted-partners'

/** The objects that are known before an untouched source is rendered. */
export class SeenObjects {
  private readonly known = new Map<readonly Subjects[], boolean>()

  /**
   * @param manifests those of the files and sources that the change touches, whether or not they differ
   * @param texts the plain files that it does not touch
   */
  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly texts: ReadonlyMap<string, string>,
  ) {}

  /** Whether one of them may be a subject of a rule. */
  mayHold(subjects: readonly Subjects[]): boolean {
    const known = this.known.get(subjects)
    if (known !== undefined) return known
    const found = this.manifests.some((one) => isAmong(one, subjects)) || this.isWritten(subjects)
    this.known.set(subjects, found)
    return found
  }

  private isWritten(subjects: readonly Subjects[]): boolean {
    const wanted = subjects.map(({ kinds, marks }) => ({ kinds: kinds.map((kind) => kind.split('.')[0] ?? ''), marks }))
    return [...this.texts.values()].some(
      (text) =>
        mayPutWordsTogether(text) ||
        wanted.some(
          ({ kinds, marks }) =>
            (marks === undefined || mentionsOneOf(text, marks)) &&
            mentionsOneOf(text, kinds) &&
            splitDocuments(text).some((document) => mayBeOf(document.text, kinds)),
        ),
    )
  }
}

/** Whether a document may be of one of the kinds: the word alone is in the policy types of a NetworkPolicy, too. */
function mayBeOf(text: string, kinds: readonly string[]): boolean {
  if (!mentionsOneOf(text, kinds)) return false
  const kind = skimKind(text)
  return kind === undefined || kinds.includes(kind)
}
