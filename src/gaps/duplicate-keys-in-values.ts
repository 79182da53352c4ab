import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { readYaml } from '../manifest/document-reader'
import { LineIndex } from '../manifest/lines'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { valuesFilesOfCharts } from './values-files-of-charts'

/**
 * Keys that a change writes twice in a values file: helm takes the last one without an error, and what the first one sets is
 * lost. Tried with `helm template` of 3.17 and 4.1.
 *
 * @param taken the values files of releases of charts that are not in this repository
 */
export async function duplicateKeysInValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): Promise<Finding[]> {
  const all = new Set([...taken, ...[...valuesFilesOfCharts(head).values()].flatMap((files) => [...files])])
  const found: Finding[] = []
  for (const path of all) {
    if (!changed.has(path)) continue
    const left = (await duplicatesIn(path, base.checkout)).map(({ text }) => text)
    const added = (await duplicatesIn(path, head.checkout)).filter(({ text }) => {
      const at = left.indexOf(text)
      if (at !== -1) left.splice(at, 1)
      return at === -1
    })
    const [first] = added
    if (!first) continue
    const keys = [...new Set(added.map(({ text }) => text))]
    found.push(
      gateFinding('source/duplicate-key', 'inValues', 'warning', {
        side: 'head',
        path,
        region: first.region,
        fileText: (await head.checkout.text(path)) ?? '',
        keys,
        status: 'introduced',
        text: `These values have ${keys.length > 1 ? 'the keys' : 'the key'} ${keys.join(', ')} more than once in one map. Helm takes only the last one, and all that the others set below it is lost. Merge them into one.`,
      }),
    )
  }
  return found
}

async function duplicatesIn(path: string, checkout: Checkout) {
  const yaml = readYaml((await checkout.text(path)) ?? '')
  if (!('duplicates' in yaml)) return []
  const places = new LineIndex(yaml.text)
  return yaml.duplicates.map(({ text, node }) => ({ text, region: places.region(node.from, node.to) }))
}
