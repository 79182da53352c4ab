import { satisfies } from 'semver'
import type { ClassFacts, ControllerFacts } from './controller-facts'
import { type Settings, valueOr } from './settings'

/** Which Ingresses a controller takes, as one of the releases it may be decides. */
export interface Claims {
  readonly facts: ClassFacts
  /** The class it is asked for by name: by the annotation, and by `spec.ingressClassName` before 1.0.0 of ingress-nginx. */
  readonly name: string
  /** What `spec.controller` of its IngressClasses says; undefined where classes are compared by name alone. */
  readonly controller: string | undefined
  /** Whether the IngressClass of that name is its own, whatever its controller. */
  readonly byName: boolean
  /** Whether it takes Ingresses that name no class. */
  readonly unclassed: boolean
}

/** Reads what a controller claims: one for each way its release may decide; none when its class is not told. */
export function claimsOf(facts: ControllerFacts, settings: Settings, release: string | undefined): Claims[] {
  return waysOf(facts, settings, release).flatMap((way): Claims[] => {
    const name = valueOr(settings, way.name, way.default)
    const controller = way.controller && valueOr(settings, way.controller, way.controllerDefault ?? '')
    const byName = way.byName ? settings.isOn(way.byName, false) : false
    const unclassed = takesUnclassed(way, settings, name)
    const told = name !== undefined && byName !== undefined && unclassed !== undefined
    if (!told || (way.controller && controller === undefined)) return []
    return [{ facts: way, name, controller, byName, unclassed }]
  })
}

/** How a release decides; where none is told, each way that has the flags which are given. */
function waysOf({ classes }: ControllerFacts, settings: Settings, release: string | undefined): ClassFacts[] {
  if (release !== undefined) return classes.filter(({ releases }) => satisfies(release, releases))
  const flags = new Set(classes.flatMap(flagsOf).filter((flag) => settings.get(flag)))
  return classes.filter((way) => [...flags].every((flag) => flagsOf(way).includes(flag)))
}

function flagsOf({ name, controller, byName, unclassed }: ClassFacts): string[] {
  const flag = unclassed && 'flag' in unclassed ? unclassed.flag : undefined
  return [name, controller, byName, flag].filter((one) => one !== undefined)
}

function takesUnclassed({ unclassed }: ClassFacts, settings: Settings, name: string | undefined): boolean | undefined {
  if (!unclassed) return false
  return 'flag' in unclassed ? settings.isOn(unclassed.flag, false) : name === unclassed.class
}
