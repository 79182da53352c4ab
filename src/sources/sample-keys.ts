import type { Checkout } from '../revision/checkout'
import { type Action, actionsOf, type Term, termsOf } from '../template/template-actions'
import { chartWithLocals } from './chart'

/** Functions that make keys: each takes helm about a second, in each rendering anew. */
const pairs = [
  ...['genCA', 'genCAWithKey', 'genSelfSignedCert', 'genSelfSignedCertWithKey'],
  ...['genSignedCert', 'genSignedCertWithKey'],
]
const makers: ReadonlyMap<string, string> = new Map([
  ...pairs.map((name) => [name, 'dict "Cert" "<generated>" "Key" "<generated>"'] as const),
  ['genPrivateKey', '"<generated>"'],
])

/**
 * The files of a chart whose templates have placeholders for the keys that they make, which rules take for unknown. A release that
 * is only assumed needs no keys, and a chart is rendered with many of them.
 */
export async function withoutKeys(chart: string, checkout: Checkout, newFolder: () => string): Promise<Checkout> {
  const charts = await chartWithLocals(checkout, chart)
  const files = charts.flatMap(({ folder }) => checkout.below(folder)).filter((file) => /\.(?:tpl|ya?ml)$/.test(file))
  const found = new Map<string, string>()
  for (const [file, text] of await checkout.mentioning(files, [...makers.keys()])) {
    const edited = templateWithoutKeys(text)
    if (edited !== text) found.set(file, edited)
  }
  return found.size === 0 ? checkout : checkout.edited(found, newFolder)
}

export function templateWithoutKeys(template: string): string {
  const edits = actionsOf(template).flatMap(editsOf)
  return edits.reduceRight((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), template)
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly by: string
}

function editsOf({ words }: Action): Edit[] {
  return editsIn(termsOf(words))
}

function editsIn(terms: readonly Term[]): Edit[] {
  const edits: Edit[] = []
  for (let at = 0; at < terms.length; at++) {
    const term = terms[at]
    if (!term) break
    if ('group' in term) {
      edits.push(...editsIn(term.group))
      continue
    }
    const by = makers.get(term.text)
    // What a pipe gives to a function stays with it.
    const before = terms[at - 1]
    if (by === undefined || (before && 'text' in before && before.text === '|')) continue
    while (terms[at + 1] && !isEnd(terms[at + 1])) at++
    edits.push({ from: term.from, to: terms[at]?.to ?? term.to, by })
  }
  return edits
}

function isEnd(term: Term | undefined): boolean {
  return term !== undefined && 'text' in term && ['|', ','].includes(term.text)
}
