import { parseImage } from '../../cluster/image'
import type { Snapshot } from '../../cluster/snapshot'
import { isInstalled } from '../charts/coming-release'
import { isPlaceholder } from '../ingress/ingress'
import { type Controller, controllersIn, isOfKnownImage } from './controller'
import { hindranceOf } from './hindrance'

/**
 * The controllers that serve after a change. Without: a release that Flux is not to install, a workload whose image is
 * another program than the one that its arguments start, and one whose Pods never come to serve.
 */
export function servingControllers(base: Snapshot, head: Snapshot): Controller[] {
  return controllersIn(head).filter(
    (one) => isInstalled(one.manifest, base) && likenessOf(one, base) === 'known' && !hindranceOf(one, base),
  )
}

/**
 * Whether the image of a controller is one of its product (`known`): by its name, or as the base has it, in any registry. An image that
 * shares a word with these (`like`) may be a copy of one, and any `other` runs something else.
 */
export function likenessOf(one: Controller, base: Snapshot): 'known' | 'like' | 'other' {
  const image = one.image.string ?? ''
  if (one.installed || isPlaceholder(image) || isOfKnownImage(one)) return 'known'
  const before = controllersIn(base).filter(({ facts, installed }) => facts === one.facts && !installed)
  const paths = before.map((was) => pathIn(was.image.string ?? ''))
  const path = pathIn(image)
  if (paths.includes(path)) return 'known'
  const words = new Set([...one.facts.marks, ...paths.map(lastPartOf)].flatMap(wordsOf))
  return wordsOf(lastPartOf(path)).some((word) => words.has(word)) ? 'like' : 'other'
}

/** The name of an image in its registry, whichever that is: `ingress-nginx/controller`. */
function pathIn(image: string): string {
  const [first = '', ...rest] = parseImage(image).repository.split('/')
  return rest.length > 0 && /[.:]/.test(first) ? rest.join('/') : [first, ...rest].join('/')
}

function lastPartOf(path: string): string {
  return path.split('/').at(-1) ?? ''
}

function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
}
