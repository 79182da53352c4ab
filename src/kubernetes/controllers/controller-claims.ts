import { satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import type { ClassFacts, ClassPlaces, ControllerFacts } from '../workload/controller-facts'
import { isSwitchedOn, type Settings, valueOr, valuesOfFlag } from '../workload/settings'

/** The classes by which a controller selects its Ingresses, in one mode of its possible releases. */
export interface Claims {
  readonly facts: ClassFacts
  /** The class names it accepts: in the annotation, and depending on `by` in `spec.ingressClassName`. */
  readonly names: readonly string[]
  /** The required `spec.controller` of its IngressClasses; undefined if it is not compared. */
  readonly controller: string | undefined
  /**
   * Selects its IngressClasses: by name, by controller, by both, or by either; `none` if it does not read
   * IngressClasses. GatewayClasses are selected by controller and labels.
   */
  readonly by: 'name' | 'controller' | 'both' | 'either' | 'labels' | 'none'
  /** The places from which it reads the class of an Ingress: the first that has one counts. */
  readonly reads: ClassPlaces
  /** Whether it takes Ingresses without a class. */
  readonly unclassed: boolean
  /** The IngressClass that its release creates, in addition to written ones. */
  readonly made?: string | undefined
  /** The cursors that name its class, also if they are missing. */
  readonly at: readonly Cursor[]
}

/**
 * Reads the classes of a controller: one entry for each mode of its possible releases; none if its class is unknown.
 */
export function claimsOf(facts: ControllerFacts, settings: Settings, release: string | undefined): Claims[] {
  if (settings.opaque) return []
  return classFactsFor(facts, settings, release).flatMap((classFacts): Claims[] => {
    const names = namesOf(classFacts, settings)
    const controller = controllerOf(classFacts, settings)
    const how = readingOf(classFacts, settings)
    const by = how?.by ?? byWhat(classFacts, settings)
    const unclassed = takesUnclassed(classFacts, settings, names ?? [])
    if (!names || !controller.isKnown || !how || !by || unclassed === undefined) return []
    const given = flagsOf(classFacts).flatMap((flag) => settings.get(flag)?.at ?? [])
    const at = settings.get(classFacts.name) ? given : [settings.placeOf(classFacts.name), ...given]
    return [{ facts: classFacts, names, controller: controller.value, by, reads: how.reads, unclassed, at }]
  })
}

/** The modes of a release; if the release is unknown, each mode that has the given flags. */
function classFactsFor({ classes }: ControllerFacts, settings: Settings, release: string | undefined): ClassFacts[] {
  if (release !== undefined) return classes.filter(({ releases }) => satisfies(release, releases))
  const flags = new Set(classes.flatMap(flagsOf).filter((flag) => settings.get(flag)))
  return classes.filter((classFacts) => [...flags].every((flag) => flagsOf(classFacts).includes(flag)))
}

function flagsOf({ name, controllerFlag, byName, unclassed = [], otherwise = [] }: ClassFacts): string[] {
  const switches = otherwise.map(({ on }) => on)
  const more = unclassed.flatMap((one) => Object.entries(one).flatMap(([key, flag]) => (key === 'on' ? flag : [])))
  return [name, controllerFlag, byName, ...more, ...switches].filter((one) => typeof one === 'string')
}

function namesOf({ name, default: byDefault, many }: ClassFacts, settings: Settings): string[] | undefined {
  const value = valueOr(settings, name, byDefault)
  if (value === undefined) return undefined
  const given = many ? valuesOfFlag(settings, name) : undefined
  if (given && given.length > 0) return given
  return value === '' ? [] : [value]
}

function controllerOf(facts: ClassFacts, settings: Settings): { isKnown: boolean; value?: string } {
  const { controller, controllerFlag, below } = facts
  if (controller === undefined) return { isKnown: true }
  const given = controllerFlag === undefined ? '' : valueOr(settings, controllerFlag, '')
  if (given === undefined) return { isKnown: false }
  const path = `${controller}/${given.replace(/^\/+/, '')}`
  return { isKnown: true, value: given === '' ? controller : below ? path : given }
}

/** The places from which it reads classes; undefined if they are unknown. */
function readingOf(
  { reads = ['field', 'annotation'], otherwise = [] }: ClassFacts,
  settings: Settings,
): { reads: ClassPlaces; by?: 'none' } | undefined {
  const switches = otherwise.map((one) => ({ ...one, isOn: settings.isOn(one.on, false) }))
  if (switches.some(({ isOn }) => isOn === undefined)) return undefined
  const changed = switches.find(({ isOn }) => isOn)
  return { reads: changed?.reads ?? reads, ...(changed?.by && { by: changed.by }) }
}

function byWhat({ by, byName, name }: ClassFacts, settings: Settings): Claims['by'] | undefined {
  if (by === 'both' && valueOr(settings, name, '') === '') return 'controller'
  const named = byName === undefined ? false : settings.isOn(byName, false)
  return named === undefined ? undefined : named ? 'either' : by
}

function takesUnclassed(
  { unclassed = [] }: ClassFacts,
  settings: Settings,
  names: readonly string[],
): boolean | undefined {
  const answers = unclassed.map((one) => ('class' in one ? names.includes(one.class) : isSwitchedOn(settings, one)))
  if (answers.includes(true)) return true
  return answers.includes(undefined) ? undefined : false
}
