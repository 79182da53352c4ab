import { readYaml } from '../manifest/document-reader'
import { LineIndex, Lines } from '../manifest/lines'
import { decodeFile, type ValuesFile } from '../manifest/load'
import { pairsOf } from '../manifest/map-pairs'
import { isAlias, isMap, isScalar, type Node, Scalar } from '../manifest/nodes'
import { type Region, startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import type { Content } from '../revision/revision'

/** The reason and place where a file of values cannot be read. */
export interface UnreadableValues {
  readonly reason: string
  readonly region: Region
  readonly text: string
  /** Another tool fills it in. */
  readonly isTemplate?: true
}

/** The content of a values file, from any place. */
export type ValuesContent = Omit<ValuesFile, 'path' | 'touched'>

/** No person writes values of this size, and reading them would use up the run's time. */
const sizeLimit = 5 * 1024 * 1024

/** Contents that were read: both sides of a change share nearly all of theirs, and so do all trials of it. */
const known = new WeakMap<Uint8Array, ValuesContent | UnreadableValues>()

/** Reads a file of values as helm does: its first document, which is a map or empty. */
export function readValues(content: Content): ValuesContent | UnreadableValues {
  if ('missing' in content) return { reason: content.missing, region: startOf(1), text: '' }
  const values = known.get(content) ?? parse(content)
  known.set(content, values)
  return values
}

/** The values in a file of a side; undefined if it is not there, or cannot be read. */
export async function valuesAt(file: string, checkout: Checkout): Promise<ValuesContent | undefined> {
  const content = (await checkout.read([file])).get(file)
  const values = content && readValues(content)
  return values && !('reason' in values) ? values : undefined
}

/** The value at a path of keys. */
export function valueAt(keys: readonly string[], { node, resolve }: ValuesContent): Node | undefined {
  return keys.reduce<Node | undefined>((above, key) => {
    const map = isAlias(above) ? resolve(above) : above
    return isMap(map) ? pairsOf(map, resolve).get(key)?.value : undefined
  }, node)
}

function parse(content: Uint8Array): ValuesContent | UnreadableValues {
  const unreadable = (reason: string, region = startOf(1), text = '') => ({ reason, region, text })
  if (content.length > sizeLimit)
    return unreadable(`it has ${Math.round(content.length / 1024 / 1024)} MiB, too much for a values file`)
  const { text, damaged } = decodeFile(content)
  if (damaged) {
    const at = text.indexOf('\ufffd')
    return unreadable('a byte here is not UTF-8', new LineIndex(text).region(at, at + 1), text)
  }
  const yaml = readYaml(text)
  if ('template' in yaml)
    return { ...unreadable('it is a template, which another tool fills in', startOf(1), text), isTemplate: true }
  const places = new LineIndex(yaml.text)
  if ('reason' in yaml) return unreadable(yaml.reason, places.region(yaml.from, yaml.to), text)
  const { contents, resolve } = yaml
  const isNothing = contents === null || (isScalar(contents) && contents.value === null)
  if (!isMap(contents) && !isNothing) return unreadable('it is not a map', startOf(1), text)
  const regionOf = ({ from, to }: Node): Region => places.region(from, to)
  const lines = new Lines(text)
  return { node: contents ?? new Scalar(null, 0, 0), fileText: text, lines, region: startOf(1), regionOf, resolve }
}
