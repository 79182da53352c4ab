import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { mayPutWordsTogether } from '../../manifest/set-templates'
import type { Subjects } from '../../rule/rule'
import type { PartnerSearch } from './partner-search'
import { isAmong } from './wanted-partners'

/** The files that the change does not touch, by the kinds of their objects. */
interface Written {
  /** Whether a set of resources may make objects of any kind. */
  readonly mayHoldAny: boolean
  readonly byKind: ReadonlyMap<GroupKind, readonly string[]>
}

/** The objects that are known before an untouched source is rendered. */
export class SeenObjects {
  private readonly known = new Map<readonly Subjects[], boolean>()
  private written: Written | undefined

  /**
   * @param manifests those of the files and sources that the change touches, whether or not they differ
   * @param texts the plain files that it does not touch
   * @param search reads the identities of the objects in a file
   */
  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly texts: ReadonlyMap<string, string>,
    private readonly search: Pick<PartnerSearch, 'identitiesIn'>,
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
    this.written ??= this.readTexts()
    const { mayHoldAny, byKind } = this.written
    const isIn = (kind: GroupKind, marks: readonly string[] | undefined) =>
      byKind.get(kind)?.some((text) => marks === undefined || mentionsOneOf(text, marks))
    return mayHoldAny || subjects.some(({ kinds, marks }) => kinds.some((kind) => isIn(kind, marks)))
  }

  private readTexts(): Written {
    const byKind = new Map<GroupKind, string[]>()
    for (const text of this.texts.values()) {
      for (const kind of new Set(this.search.identitiesIn(text).map(groupKindOf))) {
        const its = byKind.get(kind)
        if (its) its.push(text)
        else byKind.set(kind, [text])
      }
    }
    return { mayHoldAny: [...this.texts.values()].some(mayPutWordsTogether), byKind }
  }
}
