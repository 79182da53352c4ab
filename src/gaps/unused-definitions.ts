import type { Checkout } from '../revision/checkout'
import { type Definition, definitionsIn, includesByVariable } from '../template/definitions'

const endings = ['.yaml', '.yml', '.tpl', '.txt', '.json', '.gotmpl']

/**
 * Finds places in named templates of a chart that nothing can include: no release reaches them. A name that any other text
 * of the repository has may be included there, also by a chart around this one or in a value that `tpl` fills in, and one
 * that is composed may be any. https://helm.sh/docs/chart_template_guide/named_templates/
 *
 * @param templates the texts of the chart's templates
 * @param isAsked whether a place is asked about
 */
export async function unusedDefinitions(
  templates: ReadonlyMap<string, string>,
  isAsked: (template: string, definition: Definition) => boolean,
  checkout: Checkout,
): Promise<(template: string, from: number) => boolean> {
  const asked = [...templates].flatMap(([template, text]) =>
    definitionsIn(text).flatMap((one) => (isAsked(template, one) ? [{ template, ...one }] : [])),
  )
  if (asked.length === 0) return () => false
  const files = [...checkout.tree.entries.keys()].filter((file) => endings.some((one) => file.endsWith(one)))
  const texts = await checkout.mentioning(files, ['include', 'template', ...asked.map(({ name }) => name)])
  if ([...texts.values(), ...templates.values()].some(includesByVariable)) return () => false
  const countOf = (name: string) => [...texts.values()].reduce((sum, text) => sum + text.split(name).length - 1, 0)
  const unused = asked.filter(({ name }) => countOf(name) === 1)
  return (template, from) => unused.some((one) => one.template === template && one.from < from && from < one.to)
}
