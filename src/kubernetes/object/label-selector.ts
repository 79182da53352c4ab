import type { Cursor } from '../../manifest/cursor'

/**
 * Whether a label selector matches labels; an empty one matches all, a missing one matches none. Source:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements
 */
export function selectsLabels(selector: Cursor, labels: Cursor): boolean {
  return selectsBy(selector, (key) => labels.at(key).string)
}

/** The same, for labels that are not all written. */
export function selectsBy(selector: Cursor, labelOf: (key: string) => string | undefined): boolean {
  if (!selector.isMap) return false
  const matchLabels = [...selector.at('matchLabels').entries()]
  return (
    matchLabels.every(([key, { string }]) => string !== undefined && labelOf(key) === string) &&
    [...selector.at('matchExpressions').items()].every((expression) => meets(expression, labelOf))
  )
}

function meets(expression: Cursor, labelOf: (key: string) => string | undefined): boolean {
  const value = labelOf(expression.at('key').string ?? '')
  const isAmong = [...expression.at('values').items()].some(({ string }) => string !== undefined && string === value)
  switch (expression.at('operator').string) {
    case 'In':
      return isAmong
    case 'NotIn':
      return !isAmong
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

const key = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?'
const value = '[A-Za-z0-9._-]*'
const requirement = `(?:!\\s*${key}|${key}(?:\\s*(?:==?|!=)\\s*${value}|\\s+(?:in|notin)\\s+\\(\\s*${value}(?:\\s*,\\s*${value})*\\s*\\))?)`

/** The form that `matchesLabels` takes, for schemas. */
export const labelSelectorPattern = `^\\s*${requirement}(?:\\s*,\\s*${requirement})*\\s*$`

const forms = { whole: new RegExp(labelSelectorPattern), part: new RegExp(requirement, 'g') }

/**
 * Whether a selector in kubectl's syntax matches labels: `key`, `!key`, `key=value`, `key!=value`, `key in (a, b)`,
 * `key notin (a, b)`, separated by commas. One that excludes a value also matches labels without the key.
 *
 * @param labelOf the value of a label; undefined without it
 */
export function matchesLabels(selector: string, labelOf: (key: string) => string | undefined): boolean {
  return partsOf(selector).every(({ not, name, operator, values }) => {
    const label = labelOf(name)
    if (!operator) return (label !== undefined) === (not === '')
    const isAmong = label !== undefined && values.split(',').some((one) => one.trim() === label)
    return isAmong === ['=', '==', 'in'].includes(operator)
  })
}

/** Whether a text is a selector in kubectl's syntax, comparisons of numbers (`key > 1`) left out. */
export function isLabelSelector(text: string): boolean {
  return forms.whole.test(text.replace(/\b(in|notin)\s*\(/g, '$1 ('))
}

/** The labels that a selector asks for; none where it is no selector. */
export function labelsOf(selector: string): string[] {
  return forms.whole.test(selector) ? partsOf(selector).map(({ name }) => name) : []
}

function partsOf(selector: string) {
  return (selector.match(forms.part) ?? []).map((text) => {
    const [, not = '', name = '', operator, values = ''] =
      text.match(/^(!?)\s*([A-Za-z0-9._/-]+)\s*(==?|!=|in\b|notin\b)?\s*\(?([^)]*)/) ?? []
    return { not, name, operator, values }
  })
}
