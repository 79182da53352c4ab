import { releaseKinds } from '../kubernetes/chart-release'
import type { Change } from '../manifest/change'
import { type LoadedFile, loadFile } from '../manifest/load'
import { type GroupKind, groupKindOf, identityOf, Manifest } from '../manifest/manifest'
import { skimKind } from '../manifest/skim'
import type { ActiveRule } from '../policy/policy'

/** Whether a rule judges any object that this change may have touched together with other objects. */
export function needsOtherFiles(rules: readonly ActiveRule[], touched: readonly Manifest[]): boolean {
  return touched.some((manifest) => rules.some((active) => compares(active, manifest)))
}

function compares({ rule, params }: ActiveRule, manifest: Manifest): boolean {
  const kind = groupKindOf(manifest.ref)
  // What a rule only reads has no partner unless it names a string of one, and most releases install what no rule knows.
  if (rule.kinds !== '*' && rule.kinds.includes(kind) && !releaseKinds.includes(kind)) return true
  return concerns(rule, kind) && partnersOf(rule, manifest, params).length > 0
}

/** What a text must hold to be a partner's: one of the kinds, and one of the strings. */
export interface Wanted {
  /** Empty for a rule of every kind. */
  readonly kinds: readonly string[]
  readonly strings: readonly string[]
}

/** What each rule looks for beside some objects. */
export function partnersWanted(rules: readonly ActiveRule[], manifests: readonly Manifest[]): Wanted[] {
  return rules.flatMap((active) => {
    const { rule, params } = active
    const compared = manifests.filter((manifest) => compares(active, manifest))
    if (compared.length === 0) return []
    const strings = compared.flatMap((manifest) => partnersOf(rule, manifest, params))
    const kinds = rule.kinds === '*' ? [] : [...rule.kinds, ...(rule.reads ?? [])]
    return { kinds: kinds.map((kind) => kind.split('.')[0] ?? ''), strings: [...new Set(strings)] }
  })
}

function concerns(rule: ActiveRule['rule'], kind: GroupKind): boolean {
  return rule.kinds === '*' || rule.kinds.includes(kind) || rule.reads?.includes(kind) === true
}

function partnersOf(rule: ActiveRule['rule'], manifest: Manifest, params: unknown): string[] {
  return [...(rule.partners?.(manifest, params) ?? [])]
}

/**
 * Loads, of the files this change does not touch, the documents that a rule compares with a touched object: those of a
 * kind it reads that contain one of the strings it named. What was loaded may have partners of its own, so this goes on
 * until nothing new is found.
 *
 * @param loadedAlready objects that are compared whatever their strings, and have partners too
 */
export function loadPartners(
  rules: readonly ActiveRule[],
  changes: readonly Change[],
  rest: ReadonlyMap<string, string>,
  loadedAlready: readonly Manifest[] = [],
): Map<string, LoadedFile> {
  const loaded = new Map<string, LoadedFile>()
  const asked = new Map<ActiveRule, Set<string>>()
  let frontier = changes.flatMap((change) => [
    ...(change.kind === 'added' ? [] : [change.before]),
    ...(change.kind === 'removed' ? [] : [change.after]),
  ])
  if (frontier.length > 0) frontier.push(...loadedAlready)
  while (frontier.length > 0) {
    const wanted = new Map<ActiveRule, string[]>()
    for (const active of rules) {
      const known = asked.get(active) ?? new Set<string>()
      asked.set(active, known)
      for (const manifest of frontier.filter(({ ref }) => concerns(active.rule, groupKindOf(ref)))) {
        for (const text of partnersOf(active.rule, manifest, active.params)) {
          if (known.has(text)) continue
          known.add(text)
          wanted.set(active, [...(wanted.get(active) ?? []), text])
        }
      }
    }
    if (wanted.size === 0) break
    frontier = []
    const strings = [...new Set([...wanted.values()].flat())]
    for (const [path, text] of rest) {
      if (!strings.some((string) => text.includes(string))) continue
      const before = new Set(loaded.get(path)?.objects.map((object) => identityOf(object.ref)))
      const file = loadFile({ text }, (document) =>
        [...asked].some(
          ([{ rule }, strings]) => mayHold(rule, document) && [...strings].some((string) => document.includes(string)),
        ),
      )
      loaded.set(path, file)
      frontier.push(
        ...file.objects
          .filter((object) => !before.has(identityOf(object.ref)))
          .map((object) => new Manifest(object, 'head', { kind: 'file', path }, [])),
      )
    }
  }
  return loaded
}

function mayHold(rule: ActiveRule['rule'], document: string): boolean {
  const kind = skimKind(document)
  return (
    rule.kinds === '*' ||
    !kind ||
    [...rule.kinds, ...(rule.reads ?? [])].some((groupKind) => groupKind.split('.')[0] === kind)
  )
}
