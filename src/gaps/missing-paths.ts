import path from 'node:path/posix'
import { closest } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import { notKnown } from '../finding/not-known'
import type { Finding } from '../finding/report'
import { isList, isMap, isScalar, type MapNode, type Node, type Pair } from '../manifest/nodes'
import type { SideOfChange } from '../sides/side'
import { inside, realPlace } from '../sources/places'
import { type ValuesContent, valuesAt } from '../values/values-file'

/** A text that reads like a path, in a file of values. */
interface Listed {
  readonly text: string
  readonly node: Node
  /** Its key and how deep it is: `4 path` of each of `apps.web.source.path` and `apps.shop.source.path`. */
  readonly role: string
  /** What is beside it and may say that it is in another repository. */
  readonly beside: string
}

/** So many paths that are there show what the others are. */
const fewest = 3

/**
 * Paths that a change adds to a file of values or of another tool and that are not in the repository, while all that the
 * file had in the same role are: a folder that is misspelled in the list of an app of apps. The tool that reads the file need
 * not be known.
 *
 * @param known the failures that are reported already
 */
export async function missingPaths(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const file of changed) {
    // kustomize says itself which entry is not there.
    const isOfTool = /(?:^|\/)(?:\.|kustomization\.ya?ml$)/.test(file)
    const isRead = /\.ya?ml$/.test(file) && !isOfTool
    const [before, after] = isRead
      ? await Promise.all(
          [base, head].map(({ checkout }) => (checkout.has(file) ? valuesAt(file, checkout) : undefined)),
        )
      : []
    if (before && after && !isObject(after)) found.push(...missingIn(file, before, after, head))
  }
  return notKnown(found, known)
}

function missingIn(file: string, before: ValuesContent, after: ValuesContent, head: SideOfChange): Finding[] {
  const known = new Set(listedIn(before.node).map(keyOf))
  const listed = listedIn(after.node)
  return [...new Set(listed.map(({ role }) => role))].flatMap((role) => {
    const all = listed.filter((one) => one.role === role)
    const [old, added] = [all.filter((one) => known.has(keyOf(one))), all.filter((one) => !known.has(keyOf(one)))]
    if (added.length === 0 || new Set(old.map(({ text }) => text)).size < fewest) return []
    // From the root of the repository, or from the folder of the file.
    const from = ['', path.dirname(file)].find((folder) => old.every(({ text }) => isThere(text, folder, head)))
    if (from === undefined) return []
    const isMissing = ({ text, beside }: Listed) =>
      !isThere(text, from, head) && !isThere(text, '', head) && old.some((one) => one.beside === beside)
    return added.filter(isMissing).map((one) => findingOf(one, old.length, from, file, after, head))
  })
}

function findingOf(
  { text, node }: Listed,
  others: number,
  from: string,
  file: string,
  { lines, regionOf }: ValuesContent,
  head: SideOfChange,
): Finding {
  const place = inside(from, text) ?? text
  const meant = closest(
    place,
    [...placesIn(head)].filter((one) => Math.abs(one.length - place.length) < 4),
  )
  const remedy = meant === undefined ? 'Correct the path, or add what it names.' : `Did you mean ${meant}?`
  return gateFinding('source/path-missing', 'missing', 'warning', {
    side: 'head',
    path: file,
    region: regionOf(node),
    fileText: lines,
    keys: [file, text],
    status: 'introduced',
    text: `There is no ${place} in this repository, while the ${others} other paths in the same field of this file are there, so a tool that follows them all fails here, or deploys nothing. ${remedy}`,
  })
}

/** The files of a side, and all folders above them. */
function placesIn({ checkout }: SideOfChange): Set<string> {
  const places = new Set<string>()
  for (const file of checkout.tree.entries.keys())
    for (let place = file; place !== '.' && !places.has(place); place = path.dirname(place)) places.add(place)
  return places
}

function isThere(text: string, from: string, { checkout }: SideOfChange): boolean {
  const place = inside(from, text.replace(/^\//, ''))
  return place !== undefined && checkout.tree.at(realPlace(checkout.tree, place)).length > 0
}

function isObject({ node }: ValuesContent): boolean {
  const keys = isMap(node) ? node.pairs.map(({ key }) => (isScalar(key) ? key.value : undefined)) : []
  return keys.includes('apiVersion') && keys.includes('kind')
}

/** A path: with a slash, or with the ending of a file of values. */
const form = /^(?:\.{0,2}\/)?[\w.-]+(?:\/[\w.-]+)*\/?$/
const isFile = /\.(?:ya?ml|json)$/

/** Fields that say where a path is. */
const whereabouts = /repo|url|git|branch|revision|ref|chart|source/i

function listedIn(node: Node | undefined, keys: readonly string[] = [], beside = ''): Listed[] {
  if (isList(node)) return node.items.flatMap((item) => listedIn(item, [...keys, ''], beside))
  if (isMap(node))
    return node.pairs.flatMap((pair) => listedIn(pair.value, [...keys, textOf(pair.key)], besideIn(node, pair)))
  const text = textOf(node)
  if (!form.test(text) || !(text.includes('/') || isFile.test(text)) || !node) return []
  return [{ text, node, role: `${keys.length} ${keys.findLast((key) => key !== '')}`, beside }]
}

function besideIn({ pairs }: MapNode, own: Pair): string {
  const fields = pairs.filter((pair) => pair !== own).map(({ key, value }) => [textOf(key), textOf(value)] as const)
  return fields.flatMap(([key, value]) => (whereabouts.test(key) ? `${key}: ${value}` : [])).join()
}

function textOf(node: Node | undefined): string {
  return isScalar(node) && typeof node.value === 'string' ? node.value : ''
}

function keyOf({ role, text }: Listed): string {
  return `${role} ${text}`
}
