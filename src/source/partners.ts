import type { Change } from '../manifest/change'
import { type LoadedFile, loadFile } from '../manifest/load'
import { type GroupKind, groupKindOf, identityOf, Manifest } from '../manifest/manifest'
import { skimKind } from '../manifest/skim'
import type { ActiveRule } from '../policy/policy'
import type { Files } from './files'

/** Whether a rule judges any object that this change may have touched together with other objects. */
export function needsOtherFiles(rules: readonly ActiveRule[], before: Files, after: Files): boolean {
  const manifests = [
    ...[...before.loaded].map(([path, file]) => ['base', path, file] as const),
    ...[...after.loaded].map(([path, file]) => ['head', path, file] as const),
  ].flatMap(([side, path, file]) =>
    file.objects.map((object) => new Manifest(object, side, { kind: 'file', path }, [])),
  )
  return manifests.some((manifest) =>
    rules.some(({ rule, params }) =>
      rule.kinds === '*' ? partnersOf(rule, manifest, params).length > 0 : concerns(rule, groupKindOf(manifest.ref)),
    ),
  )
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
 */
export function loadPartners(
  rules: readonly ActiveRule[],
  changes: readonly Change[],
  rest: ReadonlyMap<string, string>,
): Map<string, LoadedFile> {
  const loaded = new Map<string, LoadedFile>()
  const asked = new Map<ActiveRule, Set<string>>()
  let frontier = changes.flatMap((change) => [
    ...(change.kind === 'added' ? [] : [change.before]),
    ...(change.kind === 'removed' ? [] : [change.after]),
  ])
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
