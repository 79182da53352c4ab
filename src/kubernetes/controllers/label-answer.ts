import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'

/** A label of a Pod or a namespace; undefined where it is not known. */
export type Label = { readonly value: string | undefined } | undefined

/** A label as it is written. */
export function writtenLabel(at: Cursor): Label {
  if (!at.exists) return { value: undefined }
  return at.string === undefined || isPlaceholder(at.string) ? undefined : { value: at.string }
}

/** Whether labels meet a selector; undefined where they may. */
export function meets(selector: Cursor, labelOf: (key: string) => Label): boolean | undefined {
  if (!selector.isMap) return undefined
  const answers = [
    ...[...selector.at('matchLabels').entries()].map(([key, { string }]) => isAmong([string], labelOf(key))),
    ...[...selector.at('matchExpressions').items()].map((one) => meetsExpression(one, labelOf)),
  ]
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}

function meetsExpression(expression: Cursor, labelOf: (key: string) => Label): boolean | undefined {
  const key = expression.at('key').string
  const label = key === undefined || isPlaceholder(key) ? undefined : labelOf(key)
  const values = [...expression.at('values').items()].map(({ string }) => string)
  switch (expression.at('operator').string) {
    case 'In':
      return isAmong(values, label)
    case 'NotIn':
      return opposite(isAmong(values, label))
    case 'Exists':
      return label && label.value !== undefined
    case 'DoesNotExist':
      return label && label.value === undefined
    default:
      return undefined
  }
}

function isAmong(values: readonly (string | undefined)[], label: Label): boolean | undefined {
  if (!label || values.some((one) => one === undefined || isPlaceholder(one))) return undefined
  return label.value !== undefined && values.includes(label.value)
}

function opposite(answer: boolean | undefined): boolean | undefined {
  return answer === undefined ? undefined : !answer
}
