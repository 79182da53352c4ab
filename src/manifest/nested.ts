import type { Region } from '../region'
import { readYaml } from './document-reader'
import { LineIndex } from './lines'
import type { LoadedObject } from './load'
import type { Node } from './nodes'

/** A document that a string of an object holds. */
export interface Nested extends Pick<LoadedObject, 'regionOf' | 'resolve'> {
  readonly node: Node
}

/**
 * Parses the YAML in a string. In a block (`
 * `) its lines are lines of the file; in any other form everything is placed at the string.
 *
 * @param region where the string is written
 */
export function nestedIn(text: string, region: Region, { lines }: Pick<LoadedObject, 'lines'>): Nested | undefined {
  const yaml = readYaml(text)
  if (!('contents' in yaml) || !yaml.contents) return undefined
  const header = (lines.at(region.startLine) ?? '').slice(region.startColumn - 1)
  let first = region.startLine + 1
  while (first < lines.count && lines.at(first)?.trim() === '') first++
  const indent = (lines.at(first) ?? '').search(/\S/)
  const index = new LineIndex(text, region.startLine + 1)
  const regionOf = ({ from, to }: Node): Region => {
    if (!header.startsWith('|') || indent === -1) return region
    const { startColumn, endColumn, ...rest } = index.region(from, to)
    return { ...rest, startColumn: startColumn + indent, endColumn: endColumn + indent }
  }
  return { node: yaml.contents, regionOf, resolve: yaml.resolve }
}
