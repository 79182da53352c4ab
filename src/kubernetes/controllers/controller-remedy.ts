import type { ClassFacts } from '../workload/controller-facts'
import { type Controller, nameOfController } from './controller'

/**
 * Separates the two: a controller that watches all namespaces still overlaps with a limited one, so then the class
 * comes first.
 */
export function remedyFor(fixed: Controller, other: Controller): string {
  const own = ownClassOf(fixed)
  const name = nameOfController(fixed)
  const limiting = narrowingAdvice(fixed, other)
  if (other.watched.scope !== 'all') return `Limit ${limiting}, or give it its own class with ${own}`
  const both = [...new Set([own, ownClassOf(other)])].join(' and ')
  // Without a class it also takes the Ingresses of the other one.
  const given = takesEveryClass(other)
    ? `Give each of them its own class with ${both}`
    : `Give ${name} its own class with ${own}`
  const flags = [...new Set([fixed, other].map(scopeOf))].join(' and ')
  return `${given}, or limit ${limiting || `both to separate namespaces with ${flags}`}`
}

/** Advice to keep one of the two out of the namespaces of the other; empty if only changing both can do so. */
export function narrowingAdvice(fixed: Controller, other: Controller): string {
  const limited = other.watched.scope !== 'all' ? fixed : fixed.watched.scope !== 'all' ? other : undefined
  return limited ? `${nameOfController(limited)} to other namespaces with ${scopeOf(limited)}` : ''
}

function scopeOf(controller: Controller): string {
  const { facts, installed, wordsFor } = controller
  const value = scopeValueOf(controller)
  return installed ? `${value} in its values` : inWords([wordsFor(facts.scope.namespaces)], value)
}

function scopeValueOf({ facts: { scope }, installed }: Controller): string {
  return installed?.release.facts.says?.scope ?? scope.value
}

/** The value of its chart that limits it. */
export function limitingValue(controller: Controller): string {
  return scopeValueOf(controller).replace(/:.*/, '')
}

/** The setting that gives it a class of its own. */
export function ownClassOf(controller: Controller): string {
  const { installed } = controller
  const classFacts = classFactsOf(controller)
  if (installed) return `${installed.release.facts.says?.class ?? classFacts?.value} in its values`
  const flags = [...new Set([classFacts?.name, classFacts?.controllerFlag])].flatMap((flag) =>
    flag ? controller.wordsFor(flag) : [],
  )
  return inWords(flags, classFacts?.value)
}

/** Flags, with the value of the chart that gives them; a setting of a config file needs no other words. */
function inWords(flags: readonly string[], value: string | undefined): string {
  const words = flags.join(' and ')
  return words.startsWith('-') ? `${words} (in its chart ${value})` : words
}

/** Its selection of Ingresses: the newest mode, if the release is unknown. */
export function classFactsOf({ claims, facts }: Controller): ClassFacts | undefined {
  return claims.at(-1)?.facts ?? facts.classes.at(-1)
}

/**
 * Whether it takes all classes of its product unless it is given one, and the product has one name for its controllers.
 */
function takesEveryClass({ claims, facts }: Controller): boolean {
  const isOpen = claims.some(({ by, facts: way }) => way.by === 'both' && by === 'controller')
  return isOpen || (facts.takes === 'Gateways' && claims.some(({ unclassed }) => unclassed))
}
