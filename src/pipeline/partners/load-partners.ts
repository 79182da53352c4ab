import type { Change, Move } from '../../manifest/change'
import { splitDocuments } from '../../manifest/documents'
import { type LoadedFile, loadFile } from '../../manifest/load'
import { groupKindOf, identityOf, Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { mayPutWordsTogether } from '../../manifest/set-templates'
import { skimKind } from '../../manifest/skim'
import type { ActiveRule } from '../../policy/policy'
import type { SeenObjects } from './seen-objects'
import { concerns, isAmong, kindsOfPartners, partnersOf, rulesAsked, type StateOfChange } from './wanted-partners'
import { WordIndex } from './word-index'
import { WordSearch } from './word-search'

/** Up to so many strings, it is faster to look for each, and then to rule out most of them in a text. */
const fewStrings = { each: 30, ruledOut: 300 }

/** The untouched files with partners in them, and the texts of the documents that were read. */
export interface LoadedPartners {
  readonly loaded: ReadonlyMap<string, LoadedFile>
  readonly documents: readonly string[]
}

/** What is known before partners are looked for in files. */
interface Known {
  /** Objects that are compared with any strings, and have partners too. */
  readonly loaded?: readonly Manifest[]
  /** The objects among which a subject of a rule may be, apart from these. */
  readonly seen?: SeenObjects | undefined
  readonly search?: WordSearch | undefined
  /** Whether something in a cluster of this file changes; other files may have copies of what is removed, and no more. */
  readonly isNear?: (path: string) => boolean
}

/** An object whose partners are looked for, and the rules that compare it with them. */
interface Reached {
  readonly manifest: Manifest
  readonly by: Iterable<ActiveRule>
}

/** A rule that looks for a word, and the kinds of the objects in which it does; none of them for any. */
interface Asking {
  readonly active: ActiveRule
  readonly kinds: readonly string[]
}

/** A file with the documents of it that were read, and the rules that read them. */
interface ReadInPart {
  readonly file: LoadedFile
  readonly documents: ReadonlySet<string>
  readonly by: ReadonlySet<ActiveRule>
}

/**
 * Loads, from the files this change does not touch, the documents that a rule compares with a touched object: those of
 * a kind it reads that contain one of the strings it named. Loaded documents may have partners for the same rule, so
 * this repeats until nothing new is found. Other rules do not ask for theirs: a finding ends at a touched object, and no
 * such object led them here.
 *
 * @param moves objects that moved to another place, which matter to rules on moves alone
 */
export function loadPartners(
  rules: readonly ActiveRule[],
  changes: readonly Change[],
  moves: readonly Move[],
  rest: ReadonlyMap<string, string>,
  { loaded: loadedAlready = [], seen, search = new WordSearch(), isNear = () => true }: Known = {},
): LoadedPartners {
  const found = new Map<string, ReadInPart>()
  const asked = new Map<ActiveRule, Set<string>>()
  /** The rules that look for a word of a document. */
  const askers = new Map<string, Set<ActiveRule>>()
  const touched = touchedBy(changes)
  const state = {
    gone: new Set(changes.flatMap((change) => (change.kind === 'removed' ? [change.before] : []))),
    touched: new Set(touched),
  }
  const stating = rules.filter((one) => mayState(one, loadedAlready, seen))
  let frontier = startOf(stating, touched, moves, state)
  const others = new Map(loadedAlready.map((one) => [one, new Set<ActiveRule>()]))
  for (let isFirst = true; frontier.length > 0; isFirst = false) {
    const wanted = new Map<string, Asking[]>()
    for (const { manifest, by } of frontier) {
      const kind = groupKindOf(manifest.ref)
      for (const active of by) {
        if (!concerns(active.rule, kind) || (active.rule.direct && !isFirst)) continue
        const known = asked.get(active) ?? new Set<string>()
        asked.set(active, known)
        const texts = partnersOf(active, manifest, state)
        if (texts.length === 0) continue
        const ofKinds = kindsOfPartners(active.rule, manifest)
        const these = ofKinds.join()
        for (const text of texts) {
          const key = `${these} ${text}`
          if (known.has(key)) continue
          known.add(key)
          const its = wanted.get(text) ?? []
          its.push({ active, kinds: ofKinds })
          wanted.set(text, its)
        }
      }
    }
    if (wanted.size === 0) break
    frontier = []
    const strings = [...wanted.keys()]
    const index = new WordIndex(strings)
    const kinds = kindsSought(wanted)
    for (const [manifest, followed] of others) {
      // It saves the search for words in most of the rendered text.
      if (kinds && !kinds.has(manifest.ref.kind)) continue
      const by = new Set(lookingFor(manifest, wanted, index).filter((active) => !followed.has(active)))
      for (const active of by) followed.add(active)
      if (by.size > 0) frontier.push({ manifest, by })
    }
    for (const [path, text] of rest) {
      if (!isFirst && !isNear(path)) continue
      if (!mayPutWordsTogether(text) && !mayMention(text, strings, index, search)) continue
      const documents = new Set<string>()
      const by = new Set<ActiveRule>()
      for (const { text: document } of splitDocuments(text)) {
        const its = askers.get(document) ?? new Set<ActiveRule>()
        askers.set(document, its)
        const words = mayPutWordsTogether(document) ? strings : index.in(document)
        const asking = [...words].flatMap((word) => wanted.get(word) ?? [])
        const kind = asking.length > 0 ? skimKind(document) : undefined
        for (const active of askingFor(kind, asking)) its.add(active)
        if (its.size > 0) documents.add(document)
        for (const active of its) by.add(active)
      }
      const before = found.get(path)
      const isRead = before !== undefined && before.documents.size === documents.size
      const file = isRead ? before.file : loadFile({ text }, (document) => documents.has(document))
      found.set(path, { file, documents, by })
      if (isNear(path)) frontier.push(...newIn(file, by, path, before))
    }
  }
  const loaded = new Map([...found].map(([path, { file }]) => [path, file]))
  return { loaded, documents: [...new Set([...found.values()].flatMap(({ documents }) => [...documents]))] }
}

/** Whether a rule has a subject, as far as kinds alone tell: a search for further marks would take longer than it saves. */
function mayState({ rule: { subjects } }: ActiveRule, loaded: readonly Manifest[], seen?: SeenObjects): boolean {
  if (!seen || !subjects?.every(({ marks }) => marks === undefined)) return true
  return seen.mayHold(subjects) || loaded.some((one) => isAmong(one, subjects))
}

function touchedBy(changes: readonly Change[]): Manifest[] {
  return changes.flatMap((change) => [
    ...(change.kind === 'added' ? [] : [change.before]),
    ...(change.kind === 'removed' ? [] : [change.after]),
  ])
}

/** The objects that lead to partners: those that the change touches, for each rule that may state something of it. */
function startOf(
  rules: readonly ActiveRule[],
  changed: readonly Manifest[],
  moves: readonly Move[],
  state: StateOfChange,
): Reached[] {
  const onMoves = rules.filter(({ rule }) => rule.scope === 'change' && rule.checkMove)
  const moved = moves.flatMap(({ before, after }) => [before, after])
  const touched = [
    ...changed,
    ...moved.filter((one) => onMoves.some((active) => partnersOf(active, one, state).length > 0)),
  ]
  const by = rulesAsked(rules, touched)
  return touched.map((manifest) => ({ manifest, by }))
}

/** The kinds in which partners are looked for; undefined where a rule looks for objects of any kind. */
function kindsSought(wanted: ReadonlyMap<string, readonly Asking[]>): ReadonlySet<string> | undefined {
  const all = [...wanted.values()].flat()
  if (all.some(({ kinds }) => kinds.length === 0)) return undefined
  return new Set(all.flatMap(({ kinds }) => kinds))
}

/** The rules that look for an object of this kind by one of its words. */
function lookingFor(
  { ref, object }: Manifest,
  wanted: ReadonlyMap<string, readonly Asking[]>,
  index: WordIndex,
): ActiveRule[] {
  const isWhole = object.context === undefined && !mayPutWordsTogether(object.content)
  // A source gives its namespace to objects that are written without one.
  const words = isWhole ? [...index.in(object.content), ref.namespace] : wanted.keys()
  return [...words].flatMap((word) => askingFor(ref.kind, wanted.get(word) ?? []))
}

/** The rules that look for objects of a kind; all of them where the kind is unknown. */
function askingFor(kind: string | undefined, asking: readonly Asking[]): ActiveRule[] {
  const its = asking.filter(({ kinds }) => kind === undefined || kinds.length === 0 || kinds.includes(kind))
  return its.map(({ active }) => active)
}

/** The objects of a file that a rule reads for the first time, with those rules. */
function newIn(file: LoadedFile, by: ReadonlySet<ActiveRule>, path: string, before?: ReadInPart): Reached[] {
  const known = new Set(before?.file.objects.map((object) => identityOf(object.ref)))
  const added = [...by].filter((active) => !before?.by.has(active))
  return file.objects.map((object) => ({
    manifest: new Manifest(object, 'head', { kind: 'file', path }, []),
    by: known.has(identityOf(object.ref)) ? added : by,
  }))
}

function mayMention(text: string, strings: readonly string[], index: WordIndex, search: WordSearch): boolean {
  if (strings.length <= fewStrings.each) return mentionsOneOf(text, strings)
  return strings.length <= fewStrings.ruledOut ? search.mentionsOneOf(text, strings) : index.in(text).size > 0
}
