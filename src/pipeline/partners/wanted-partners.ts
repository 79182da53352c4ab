import { type GroupKind, groupKindOf, identityOf, type Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import type { ActiveRule } from '../../policy/policy'
import type { Subjects } from '../../rule/rule'

/** Whether a rule judges any object that this change may have touched together with other objects. */
export function needsOtherFiles(rules: readonly ActiveRule[], touched: readonly Manifest[]): boolean {
  const state = stateOf(touched)
  const asked = rulesAsked(rules, touched)
  return touched.some((manifest) => asked.some((active) => compares(active, manifest, state)))
}

/** A rule that can name partners, and names none for this object, compares it with nothing. */
function compares(active: ActiveRule, manifest: Manifest, state: StateOfChange): boolean {
  const { rule } = active
  if (!concerns(rule, groupKindOf(manifest.ref))) return false
  const asks = rule.partners || rule.kinds === '*' || rule.scope === 'removal'
  return asks ? partnersOf(active, manifest, state).length > 0 : true
}

/**
 * The state of a change, as far as it is known before its objects are compared.
 *
 * @param placeOf the clusters that an object is deployed to, as far as they are known
 */
export function stateOf(
  touched: readonly Manifest[],
  placeOf: (manifest: Manifest) => unknown = () => [],
): StateOfChange {
  return { gone: mayBeGone(touched, placeOf), touched: new Set(touched) }
}

/** The touched objects that the change may remove: those no longer in the same place. */
function mayBeGone(touched: readonly Manifest[], placeOf: (manifest: Manifest) => unknown): Set<Manifest> {
  const keyOf = (manifest: Manifest) => {
    const { ref, origin } = manifest
    return JSON.stringify([identityOf(ref), origin.kind === 'file' ? origin.path : origin.id, placeOf(manifest)])
  }
  const there = new Set(touched.filter(({ side }) => side === 'head').map(keyOf))
  return new Set(touched.filter((manifest) => manifest.side === 'base' && !there.has(keyOf(manifest))))
}

/** The conditions for a partner's text: it contains one of the kinds, one of the strings, and one of the marks. */
export interface Wanted {
  /** Empty for a rule of every kind. */
  readonly kinds: readonly string[]
  readonly strings: readonly string[]
  /** None where the strings are enough. */
  readonly marks?: readonly string[]
  /** The namespace that a partner is in or names, where that is known of these kinds. */
  readonly namespace?: string
}

/** The partners that rules look for; those of an object are asked for again and again, with other objects beside it. */
export class WantedPartners {
  private readonly known = new Map<ActiveRule, Map<Manifest, readonly Wanted[]>>()

  constructor(private readonly state: StateOfChange) {}

  /** The partners that a rule looks for, given some objects. */
  of(active: ActiveRule, manifests: readonly Manifest[]): Wanted[] {
    const known = this.known.get(active) ?? new Map<Manifest, readonly Wanted[]>()
    this.known.set(active, known)
    const wanted = new Map<string, { part: Wanted; strings: Set<string> }>()
    for (const manifest of manifests) {
      const its = known.get(manifest) ?? this.ofOne(active, manifest)
      known.set(manifest, its)
      for (const part of its) {
        const key = `${part.kinds.join()} ${part.namespace ?? ''}`
        const all = wanted.get(key) ?? { part, strings: new Set() }
        wanted.set(key, all)
        for (const text of part.strings) all.strings.add(text)
      }
    }
    return [...wanted.values()].map(({ part, strings }) => ({ ...part, strings: [...strings] }))
  }

  private ofOne(active: ActiveRule, manifest: Manifest): Wanted[] {
    if (!concerns(active.rule, groupKindOf(manifest.ref))) return []
    const strings = partnersOf(active, manifest, this.state)
    return strings.length === 0 ? [] : partsOfWanted(active.rule, manifest).map((part) => ({ ...part, strings }))
  }
}

/** The kinds of the partners of an object: those that are near it, and all others. */
function partsOfWanted(rule: ActiveRule['rule'], manifest: Manifest): Omit<Wanted, 'strings'>[] {
  const kinds = kindsOfPartners(rule, manifest)
  const { namespace } = manifest.ref
  const all = namespace === '' ? [] : (rule.nearKinds?.(manifest) ?? []).map(withoutGroup)
  const near = kinds.filter((kind) => all.includes(kind))
  if (near.length === 0) return [{ kinds }]
  const others = kinds.filter((kind) => !near.includes(kind))
  return [{ kinds: near, namespace }, ...(others.length > 0 ? [{ kinds: others }] : [])]
}

/** Of wanted partners, only those that are subjects of the rule. */
export function subjectsAmong(wanted: readonly Wanted[], subjects: readonly Subjects[]): Wanted[] {
  return subjects
    .flatMap((one) => {
      const own = one.kinds.map(withoutGroup)
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

/** The rules that may state something of a change that touches these objects; one on changes needs an object of its kinds. */
export function rulesAsked(rules: readonly ActiveRule[], touched: readonly Manifest[]): ActiveRule[] {
  const there = new Set(touched.map(({ ref }) => groupKindOf(ref)))
  return rules.filter(({ rule: { scope, kinds } }) => {
    if (kinds === '*' || (scope !== 'change' && scope !== 'removal')) return true
    return kinds.some((kind) => there.has(kind))
  })
}

/** The kinds of the partners of an object, without their groups; none of them for any kind. */
export function kindsOfPartners(rule: ActiveRule['rule'], manifest: Manifest): readonly string[] {
  const known = rule.partnerKinds?.(manifest) ?? (rule.kinds === '*' ? [] : [...rule.kinds, ...(rule.reads ?? [])])
  return [...new Set(known.map(withoutGroup))]
}

function withoutGroup(kind: GroupKind): string {
  return kind.split('.')[0] ?? ''
}

/** Whether a rule judges or reads objects of a kind. */
export function concerns(rule: ActiveRule['rule'], kind: GroupKind): boolean {
  return rule.kinds === '*' || rule.kinds.includes(kind) || rule.reads?.includes(kind) === true
}

/** What the change does with the objects that it is compared by. */
export interface StateOfChange {
  /** The objects that this change may remove; others have no partners for rules on removals alone. */
  readonly gone: ReadonlySet<Manifest>
  readonly touched: ReadonlySet<Manifest>
}

/** The strings that a partner of an object has one of. */
export function partnersOf({ rule, params }: ActiveRule, manifest: Manifest, state: StateOfChange): string[] {
  const [isGone, isTouched] = [state.gone.has(manifest), state.touched.has(manifest)]
  if (rule.scope === 'removal' && !rule.checkChange && !isGone) return []
  return [...(rule.partners?.(manifest, params, isGone, isTouched) ?? [])]
}
