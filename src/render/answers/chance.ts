import type { Checkout } from '../../revision/checkout'
import type { Source } from '../../sources/source'
import { filesInChart } from './packed-chart'
import { questionsIn } from './uncertain-actions'

/** Whether the templates of a source use chance or time, including those in packed charts and in values. */
export async function asksChance(source: Source, files: readonly string[], checkout: Checkout): Promise<boolean> {
  const texts: string[] = []
  for (const [file, content] of await checkout.read(files)) {
    if (!('missing' in content)) texts.push(...textsIn(file, content))
  }
  if (source.kind === 'helm') for (const one of source.values) if ('text' in one) texts.push(one.text)
  return [...questionsIn(texts, false).functions].some((asked) => asked !== 'HelmVersion')
}

function textsIn(file: string, content: Uint8Array): string[] {
  if (file.endsWith('.tgz')) return filesInChart(content).flatMap((one) => textsIn(one.path, one.content))
  return Buffer.from(content).includes('{{') ? [Buffer.from(content).toString('utf8')] : []
}
