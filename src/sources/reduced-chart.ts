import { isMap, isSeq, parseDocument } from 'yaml'
import type { Checkout } from '../revision/checkout'
import type { Lack } from './lack'

/**
 * The texts of the `Chart.yaml` (or `requirements.yaml`) files without the dependencies that are not in the repository.
 */
export async function reducedCharts(lacks: readonly Lack[], checkout: Checkout): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const { what, about, path = '' } of lacks) {
    const text = texts.get(path) ?? (await checkout.text(path))
    if (what !== 'dependency' || text === undefined) continue
    const document = parseDocument(text, { version: '1.1', logLevel: 'silent', uniqueKeys: false })
    const list = isMap(document.contents) ? document.get('dependencies') : undefined
    if (!isSeq(list) || document.errors.length > 0) continue
    list.items = list.items.filter((item) => !isMap(item) || String(item.get('name') ?? '') !== about)
    texts.set(path, document.toString({ lineWidth: 0 }))
  }
  return texts
}
