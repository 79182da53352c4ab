import type { ClusterOwnership, ControllerOwnership } from '../kubernetes/controllers/controller-ownership'
import { visible } from './words/visible'
import { count } from './words/wording'

/** Larger diagrams are unreadable. */
const maxNodes = 40
const longestLabel = 60

/**
 * Draws which controller serves which Ingresses before and after a change, as a Mermaid flowchart: controllers at the
 * left, dotted lines to the namespaces they watch, and lines to their Ingresses, so that an Ingress of two controllers
 * has two lines. If that is too large, Ingresses are counted by controller; if that is still too large, there is no
 * picture.
 */
export function pictureOf(claims: ClusterOwnership): string | undefined {
  return [named, counted].map((details) => drawn(claims, details)).find((picture) => picture !== undefined)
}

/** The same in numbers, where there are too many for a picture. */
export function numbersOf({ before, after }: ClusterOwnership): string {
  const sum = (controllers: readonly ControllerOwnership[]) => {
    const ingresses = new Set(controllers.flatMap((controller) => controller.ingresses))
    return `${count(controllers.length, 'controller')} with ${count(ingresses.size, 'Ingress', 'Ingresses')}`
  }
  return `Before ${sum(before)}, after ${sum(after)}`
}

/** A node at the right of the controllers: a text, and the controllers with a line to it. */
interface PictureNode {
  readonly text: string
  readonly controllers: readonly ControllerOwnership[]
}

interface Targets {
  readonly watched: readonly PictureNode[]
  readonly taken: readonly PictureNode[]
}

function named(controllers: readonly ControllerOwnership[]): Targets {
  return {
    watched: byController(controllers, ({ namespaces, shared }) => [...namespaces, ...shared]),
    taken: byController(controllers, ({ ingresses }) => ingresses),
  }
}

function counted(controllers: readonly ControllerOwnership[]): Targets {
  const sets = new Map<string, { controllers: readonly ControllerOwnership[]; number: number }>()
  for (const { controllers: takers } of byController(controllers, ({ ingresses }) => ingresses)) {
    const key = JSON.stringify(takers.map((taker) => controllers.indexOf(taker)))
    sets.set(key, { controllers: takers, number: (sets.get(key)?.number ?? 0) + 1 })
  }
  return {
    watched: byController(controllers, ({ namespaces }) =>
      namespaces.length > 3 ? [count(namespaces.length, 'namespace')] : namespaces,
    ),
    taken: [...sets.values()].map(({ controllers: takers, number }) => ({
      text: count(number, 'Ingress', 'Ingresses'),
      controllers: takers,
    })),
  }
}

function byController(
  controllers: readonly ControllerOwnership[],
  textsOf: (controller: ControllerOwnership) => readonly string[],
): PictureNode[] {
  const targets = new Map<string, ControllerOwnership[]>()
  for (const controller of controllers) {
    for (const text of textsOf(controller)) targets.set(text, [...(targets.get(text) ?? []), controller])
  }
  return [...targets].map(([text, those]) => ({ text, controllers: those }))
}

function drawn(
  { before, after }: ClusterOwnership,
  targetsOf: (controllers: readonly ControllerOwnership[]) => Targets,
): string | undefined {
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  const sides = [
    ...(isSame ? [] : [{ title: 'before', controllers: before }]),
    { title: isSame ? 'before and after' : 'after', controllers: after },
  ].map((side) => ({ ...side, ...targetsOf(side.controllers) }))
  const nodes = sides.reduce((sum, side) => sum + side.controllers.length + side.watched.length + side.taken.length, 0)
  if (nodes > maxNodes) return undefined
  const order = isSame ? [] : ['  side0 ~~~ side1']
  return ['flowchart TB', ...sides.flatMap(subgraph), ...order].join('\n')
}

function subgraph(
  { title, controllers, watched, taken }: Targets & { title: string; controllers: readonly ControllerOwnership[] },
  side: number,
): string[] {
  const ids = new Map(controllers.map((controller, index) => [controller, `c${side}_${index}`]))
  const targets = [
    ...watched.map((target, index) => ({ ...target, id: `n${side}_${index}`, line: '-.->' })),
    ...taken.map((target, index) => ({ ...target, id: `i${side}_${index}`, line: '-->' })),
  ]
  return [
    `  subgraph side${side} ["${title}"]`,
    '    direction LR',
    ...(controllers.length === 0 ? [`    none${side}["no controller"]`] : []),
    ...controllers.map((controller) => `    ${ids.get(controller)}["${describe(controller)}"]`),
    ...targets.map(({ id, text }) => `    ${id}(["${label(text)}"])`),
    ...targets.flatMap(({ id, line, controllers: those }) => those.map((one) => `    ${ids.get(one)} ${line} ${id}`)),
    '  end',
  ]
}

/** A line each for the workload, the product and the class. */
function describe({ name, product, classes }: ControllerOwnership): string {
  const lines = [name, product, ...(classes.length > 0 ? [`class ${classes.join(', ')}`] : [])]
  return lines.map(label).join('<br/>')
}

/** A line of a node: characters that Mermaid may interpret are written as their numbers. */
function label(text: string): string {
  const shown = [...visible(text)]
  const short = shown.length > longestLabel ? [...shown.slice(0, longestLabel - 3), '...'] : shown
  return short.map((char) => (/^[\w ./,-]+$/.test(char) ? char : `#${char.codePointAt(0)};`)).join('')
}
