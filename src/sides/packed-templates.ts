import { filesInChart } from '../render/answers/packed-chart'
import type { Checkout } from '../revision/checkout'
import { isTemplate } from '../sources/reduced-chart'

/** The templates of packed charts and of the charts in them; undefined where one of them cannot be read. */
export async function packedTemplates(
  archives: readonly string[],
  checkout: Checkout,
): Promise<readonly string[] | undefined> {
  const contents = await checkout.read(archives)
  const found: string[] = []
  for (const archive of archives) {
    const content = contents.get(archive)
    const files = content && !('missing' in content) ? filesInChart(content) : []
    if (files.length === 0 || files.some((file) => file.path.endsWith('.tgz'))) return undefined
    found.push(...files.filter((file) => isTemplate(file.path)).map((file) => file.content.toString('utf8')))
  }
  return found
}
