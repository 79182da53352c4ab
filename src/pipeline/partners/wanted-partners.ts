import type { Change, Move } from '../../manifest/change'
import { type LoadedFile, loadFile } from '../../manifest/load'
import { type GroupKind, groupKindOf, identityOf, Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { mayPutWordsTogether } from '../../manifest/set-templates'
import { skimKind } from '../../manifest/skim'
import type { ActiveRule } from '../../policy/policy'
import type { Subjects } from '../../rule/rule'
import { WordIndex } from './word-index'
import { WordSearch } from './word-search'

/** Up to so many strings, it is faster to look for each, and then to rule out most of them in a text. */
const fewStrings = { each: 30, ruledOut: 300 }

/** Whether a rule judges any object that this change may have touched together with other objects. */
export function needsOtherFiles(rules: readonly ActiveRule[], touched: readonly Manifest[]): boolean {
  const gone = mayBeGone(touched)
  const asked = rules.filter((rule) => isAsked(rule, touched))
  return touched.some((manifest) => asked.some((active) => compares(active, manifest, gone)))
}

/** A rule that can name partners, and names none for this object, compares it with nothing. */
function compares(active: ActiveRule, manifest: Manifest, gone: ReadonlySet<Manifest>): boolean {
  const { rule } = active
  if (!concerns(rule, groupKindOf(manifest.ref))) return false
  const asks = rule.partners || rule.kinds === '*' || rule.scope === 'removal'
  return asks ? partnersOf(active, manifest, gone).length > 0 : true
}

/** The touched objects that the change may remove: those no longer in the same place. */
function mayBeGone(touched: readonly Manifest[]): Set<Manifest> {
  const placeOf = ({ ref, origin }: Manifest) =>
    JSON.stringify([identityOf(ref), origin.kind === 'file' ? origin.path : origin.id])
  const there = new Set(touched.filter(({ side }) => side === 'head').map(placeOf))
  return new Set(touched.filter((manifest) => manifest.side === 'base' && !there.has(placeOf(manifest))))
}

/** The conditions for a partner's text: it contains one of the kinds, one of the strings, and one of the marks. */
export interface Wanted {
  /** Empty for a rule of every kind. */
  readonly kinds: readonly string[]
  readonly strings: readonly string[]
  /** None where the strings are enough. */
  readonly marks?: readonly string[]
}

/** The partners that each rule looks for, given some objects. */
export function partnersWanted(rules: readonly ActiveRule[], manifests: readonly Manifest[]): Wanted[] {
  const gone = mayBeGone(manifests)
  return rules.flatMap((active) => {
    const byKinds = new Map<string, { kinds: string[]; strings: Set<string> }>()
    for (const manifest of manifests.filter((one) => compares(active, one, gone))) {
      const kinds = partnerKinds(active.rule, manifest).map((kind) => kind.split('.')[0] ?? '')
      const wanted = byKinds.get(kinds.join()) ?? { kinds, strings: new Set() }
      byKinds.set(kinds.join(), wanted)
      for (const text of partnersOf(active, manifest, gone)) wanted.strings.add(text)
    }
    return [...byKinds.values()].map(({ kinds, strings }) => ({ kinds, strings: [...strings] }))
  })
}

/** Of wanted partners, only those that are subjects of the rule. */
export function subjectsAmong(wanted: readonly Wanted[], subjects: readonly Subjects[]): Wanted[] {
  return subjects
    .flatMap((one) => {
      const own = one.kinds.map((kind) => kind.split('.')[0] ?? '')
      return wanted.map(({ kinds, ...rest }) => ({
        ...rest,
        kinds: own.filter((kind) => kinds.includes(kind)),
        ...(one.marks && { marks: one.marks }),
      }))
    })
    .filter(({ kinds }) => kinds.length > 0)
}

/** Whether an object is a subject of a rule. */
export function isAmong({ ref, object }: Manifest, subjects: readonly Subjects[]): boolean {
  const kind = groupKindOf(ref)
  return subjects.some(
    ({ kinds, marks }) => kinds.includes(kind) && (marks === undefined || mentionsOneOf(object.content, marks)),
  )
}

/** Whether a rule may state something of a change that touches these objects; one on changes needs an object of its kinds. */
export function isAsked({ rule }: ActiveRule, touched: readonly Manifest[]): boolean {
  const { scope, kinds } = rule
  if (kinds === '*' || (scope !== 'change' && scope !== 'removal')) return true
  return touched.some(({ ref }) => kinds.includes(groupKindOf(ref)))
}

function partnerKinds(rule: ActiveRule['rule'], manifest: Manifest): readonly GroupKind[] {
  const known = rule.partnerKinds?.(manifest)
  if (known) return known
  return rule.kinds === '*' ? [] : [...rule.kinds, ...(rule.reads ?? [])]
}

function concerns(rule: ActiveRule['rule'], kind: GroupKind): boolean {
  return rule.kinds === '*' || rule.kinds.includes(kind) || rule.reads?.includes(kind) === true
}

/** @param gone the objects that this change may remove; others have no partners for rules on removals alone */
function partnersOf({ rule, params }: ActiveRule, manifest: Manifest, gone: ReadonlySet<Manifest>): string[] {
  if (rule.scope === 'removal' && !rule.checkChange && !gone.has(manifest)) return []
  return [...(rule.partners?.(manifest, params, gone.has(manifest)) ?? [])]
}

/** The untouched files with partners in them, and the texts of the documents that were read. */
export interface LoadedPartners {
  readonly loaded: ReadonlyMap<string, LoadedFile>
  readonly documents: readonly string[]
}

/**
 * Loads, from the files this change does not touch, the documents that a rule compares with a touched object: those of
 * a kind it reads that contain one of the strings it named. Loaded documents may have partners too, so this repeats
 * until nothing new is found.
 *
 * @param moves objects that moved to another place, which matter to rules on moves alone
 * @param loadedAlready objects that are compared with any strings, and have partners too
 */
export function loadPartners(
  rules: readonly ActiveRule[],
  changes: readonly Change[],
  moves: readonly Move[],
  rest: ReadonlyMap<string, string>,
  loadedAlready: readonly Manifest[] = [],
  search = new WordSearch(),
): LoadedPartners {
  const loaded = new Map<string, LoadedFile>()
  const documents = new Set<string>()
  const asked = new Map<ActiveRule, Set<string>>()
  /** The rules that look for a word of a document. */
  const askers = new Map<string, Set<ActiveRule>>()
  const gone = new Set(changes.flatMap((change) => (change.kind === 'removed' ? [change.before] : [])))
  let frontier = changes.flatMap((change) => [
    ...(change.kind === 'added' ? [] : [change.before]),
    ...(change.kind === 'removed' ? [] : [change.after]),
  ])
  const onMoves = rules.filter(({ rule }) => rule.scope === 'change' && rule.checkMove)
  const moved = moves.flatMap(({ before, after }) => [before, after])
  frontier.push(...moved.filter((one) => onMoves.some((active) => partnersOf(active, one, gone).length > 0)))
  const asking = rules.filter((rule) => isAsked(rule, frontier))
  if (frontier.length > 0) frontier.push(...loadedAlready)
  while (frontier.length > 0) {
    const wanted = new Map<string, ActiveRule[]>()
    for (const active of asking) {
      const known = asked.get(active) ?? new Set<string>()
      asked.set(active, known)
      for (const manifest of frontier.filter(({ ref }) => concerns(active.rule, groupKindOf(ref)))) {
        for (const text of partnersOf(active, manifest, gone)) {
          if (known.has(text)) continue
          known.add(text)
          const its = wanted.get(text) ?? []
          its.push(active)
          wanted.set(text, its)
        }
      }
    }
    if (wanted.size === 0) break
    frontier = []
    const strings = [...wanted.keys()]
    const index = new WordIndex(strings)
    for (const [path, text] of rest) {
      if (!mayPutWordsTogether(text) && !mayMention(text, strings, index, search)) continue
      const before = new Set(loaded.get(path)?.objects.map((object) => identityOf(object.ref)))
      const file = loadFile({ text }, (document) => {
        const its = askers.get(document) ?? new Set<ActiveRule>()
        askers.set(document, its)
        const words = mayPutWordsTogether(document) ? strings : index.in(document)
        for (const word of words) for (const active of wanted.get(word) ?? []) its.add(active)
        const kind = its.size > 0 ? skimKind(document) : undefined
        const isRead = [...its].some(({ rule }) => readsKind(rule, kind))
        if (isRead) documents.add(document)
        return isRead
      })
      loaded.set(path, file)
      frontier.push(
        ...file.objects
          .filter((object) => !before.has(identityOf(object.ref)))
          .map((object) => new Manifest(object, 'head', { kind: 'file', path }, [])),
      )
    }
  }
  return { loaded, documents: [...documents] }
}

function mayMention(text: string, strings: readonly string[], index: WordIndex, search: WordSearch): boolean {
  if (strings.length <= fewStrings.each) return mentionsOneOf(text, strings)
  return strings.length <= fewStrings.ruledOut ? search.mentionsOneOf(text, strings) : index.in(text).size > 0
}

function readsKind(rule: ActiveRule['rule'], kind: string | undefined): boolean {
  if (rule.kinds === '*' || !kind) return true
  return [...rule.kinds, ...(rule.reads ?? [])].some((groupKind) => groupKind.split('.')[0] === kind)
}
