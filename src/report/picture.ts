import type { ClaimsOfCluster, ControllerOwnership } from '../kubernetes/controllers/claimant'
import { visible } from './visible'
import { count } from './wording'

/** More than these nobody takes in. */
const mostNodes = 40
const longestLabel = 60

/**
 * Draws who claims what before and after a change, as a flowchart of Mermaid: controllers at the left, dotted lines to the
 * namespaces they watch, and lines to the Ingresses they take, so that what two of them claim has two lines. Where that is
 * too much, Ingresses are counted by who takes them; where even that is, there is no picture.
 */
export function pictureOf(claims: ClaimsOfCluster): string | undefined {
  return [named, counted].map((details) => drawn(claims, details)).find((picture) => picture !== undefined)
}

/** The same in numbers, where there are too many for a picture. */
export function numbersOf({ before, after }: ClaimsOfCluster): string {
  const sum = (claimants: readonly ControllerOwnership[]) => {
    const ingresses = new Set(claimants.flatMap((claimant) => claimant.ingresses))
    return `${count(claimants.length, 'controller')} with ${count(ingresses.size, 'Ingress', 'Ingresses')}`
  }
  return `Before ${sum(before)}, after ${sum(after)}`
}

/** What stands at the right of the controllers: a text, and who has a line to it. */
interface Target {
  readonly text: string
  readonly claimants: readonly ControllerOwnership[]
}

interface Targets {
  readonly watched: readonly Target[]
  readonly taken: readonly Target[]
}

function named(claimants: readonly ControllerOwnership[]): Targets {
  return {
    watched: byClaimant(claimants, ({ namespaces, shared }) => [...namespaces, ...shared]),
    taken: byClaimant(claimants, ({ ingresses }) => ingresses),
  }
}

function counted(claimants: readonly ControllerOwnership[]): Targets {
  const sets = new Map<string, { claimants: readonly ControllerOwnership[]; number: number }>()
  for (const { claimants: takers } of byClaimant(claimants, ({ ingresses }) => ingresses)) {
    const key = JSON.stringify(takers.map((taker) => claimants.indexOf(taker)))
    sets.set(key, { claimants: takers, number: (sets.get(key)?.number ?? 0) + 1 })
  }
  return {
    watched: byClaimant(claimants, ({ namespaces }) =>
      namespaces.length > 3 ? [count(namespaces.length, 'namespace')] : namespaces,
    ),
    taken: [...sets.values()].map(({ claimants: takers, number }) => ({
      text: count(number, 'Ingress', 'Ingresses'),
      claimants: takers,
    })),
  }
}

function byClaimant(
  claimants: readonly ControllerOwnership[],
  textsOf: (claimant: ControllerOwnership) => readonly string[],
): Target[] {
  const targets = new Map<string, ControllerOwnership[]>()
  for (const claimant of claimants) {
    for (const text of textsOf(claimant)) targets.set(text, [...(targets.get(text) ?? []), claimant])
  }
  return [...targets].map(([text, those]) => ({ text, claimants: those }))
}

function drawn(
  { before, after }: ClaimsOfCluster,
  targetsOf: (claimants: readonly ControllerOwnership[]) => Targets,
): string | undefined {
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  const sides = [
    ...(isSame ? [] : [{ title: 'before', claimants: before }]),
    { title: isSame ? 'before and after' : 'after', claimants: after },
  ].map((side) => ({ ...side, ...targetsOf(side.claimants) }))
  const nodes = sides.reduce((sum, side) => sum + side.claimants.length + side.watched.length + side.taken.length, 0)
  if (nodes > mostNodes) return undefined
  const order = isSame ? [] : ['  side0 ~~~ side1']
  return ['flowchart TB', ...sides.flatMap(subgraph), ...order].join('\n')
}

function subgraph(
  { title, claimants, watched, taken }: Targets & { title: string; claimants: readonly ControllerOwnership[] },
  side: number,
): string[] {
  const ids = new Map(claimants.map((claimant, index) => [claimant, `c${side}_${index}`]))
  const targets = [
    ...watched.map((target, index) => ({ ...target, id: `n${side}_${index}`, line: '-.->' })),
    ...taken.map((target, index) => ({ ...target, id: `i${side}_${index}`, line: '-->' })),
  ]
  return [
    `  subgraph side${side} ["${title}"]`,
    '    direction LR',
    ...(claimants.length === 0 ? [`    none${side}["no controller"]`] : []),
    ...claimants.map((claimant) => `    ${ids.get(claimant)}["${describe(claimant)}"]`),
    ...targets.map(({ id, text }) => `    ${id}(["${label(text)}"])`),
    ...targets.flatMap(({ id, line, claimants: those }) => those.map((one) => `    ${ids.get(one)} ${line} ${id}`)),
    '  end',
  ]
}

/** A line each for the workload, the product and the class. */
function describe({ name, product, classes }: ControllerOwnership): string {
  const lines = [name, product, ...(classes.length > 0 ? [`class ${classes.join(', ')}`] : [])]
  return lines.map(label).join('<br/>')
}

/** A line of a node: whatever Mermaid might take for more than text is written as the number of its character. */
function label(text: string): string {
  const shown = [...visible(text)]
  const short = shown.length > longestLabel ? [...shown.slice(0, longestLabel - 3), '...'] : shown
  return short.map((char) => (/^[\w ./,-]+$/.test(char) ? char : `#${char.codePointAt(0)};`)).join('')
}
