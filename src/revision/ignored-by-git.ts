import type { Checkout } from './checkout'
import { ignorePatternsIn, takes } from './ignore-patterns'

const known = new WeakMap<Checkout, Promise<(file: string) => boolean>>()

/** The files that the `.gitignore` files of a revision keep out of Git: they are only where somebody makes them. */
export function ignoredByGit(checkout: Checkout): Promise<(file: string) => boolean> {
  const found = known.get(checkout) ?? read(checkout)
  known.set(checkout, found)
  return found
}

async function read(checkout: Checkout): Promise<(file: string) => boolean> {
  const files = [...checkout.tree.entries.keys()].filter((file) => /(?:^|\/)\.gitignore$/.test(file))
  const depthOf = (file: string) => file.split('/').length
  const texts = [...(await checkout.texts(files))].sort(([a], [b]) => depthOf(a) - depthOf(b))
  const patterns = texts.flatMap(([file, text]) => ignorePatternsIn(text, file))
  return (file) => patterns.findLast((one) => takes(one, file.split('/')))?.includes === false
}
