import { fieldsOf } from '../../sources/untyped'
import { actionsOf } from '../../template/template-actions'
import type { TemplateText } from './switches'
import { usesIn } from './template-uses'

/**
 * Names for the ServiceAccounts that a chart lets a release name (`serviceAccount.name`): a template that does not use the
 * value has the name that the chart makes by itself.
 *
 * @param values the default values, of each side; an account that they do not create has no name of the chart's
 */
export function accountNamesIn(
  values: readonly unknown[],
  templates: readonly TemplateText[],
): Readonly<Record<string, string>> {
  const paths = new Set(
    templates.flatMap(({ text, above }) =>
      usesIn(actionsOf(text)).flatMap(({ path, how }) => (how === 'text' ? [[...above, ...path].join('.')] : [])),
    ),
  )
  const found = [...paths].filter((path) => named.test(path) && values.every((side) => isOpen(side, path.split('.'))))
  return Object.fromEntries(found.sort().map((path) => [path, nameFor(path)]))
}

const named = /^(?:[\w-]+\.)*serviceAccount\.name$/

/** Whether values have a text or nothing at the path of a name, and create the account. */
function isOpen(values: unknown, keys: readonly string[]): boolean {
  const account = keys.slice(0, -1).reduce((value, key) => fieldsOf(value)[key], values)
  const { name = '', create } = fieldsOf(account)
  return (typeof name === 'string' || name === null) && create !== false
}

/** `my-worker-account` for `worker.serviceAccount.name`. */
function nameFor(path: string): string {
  const above = path.split('.').slice(0, -2)
  return ['my', ...above.map((key) => key.toLowerCase().replaceAll('_', '-')), 'account'].join('-').slice(0, 60)
}
