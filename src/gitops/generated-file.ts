import type { Cursor } from '../manifest/cursor'
import { readYaml } from '../manifest/document-reader'
import { LineIndex, Lines } from '../manifest/lines'
import { Manifest, ownGroup } from '../manifest/manifest'

/** A file that an ApplicationSet makes elements of: a map or a list of maps; undefined where it is no YAML. */
export function readGenerated(text: string): Cursor | undefined {
  const yaml = readYaml(text)
  if (!('contents' in yaml) || !yaml.contents) return undefined
  const lines = new LineIndex(yaml.text)
  const object = {
    ref: { group: ownGroup, kind: 'Elements', namespace: '', name: '' },
    apiVersion: '',
    node: yaml.contents,
    content: text,
    fileText: text,
    lines: new Lines(text),
    region: lines.region(0, 0),
    duplicateKeys: [],
    regionOf: () => lines.region(0, 0),
    resolve: yaml.resolve,
  }
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root
}
