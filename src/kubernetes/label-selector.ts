import type { Cursor } from '../manifest/cursor'

/**
 * Whether a label selector takes labels; an empty one takes all, one that is not written none.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements
 */
export function selectsLabels(selector: Cursor, labels: Cursor): boolean {
  if (!selector.isMap) return false
  const matchLabels = [...selector.at('matchLabels').entries()]
  return (
    matchLabels.every(([key, { string }]) => string !== undefined && labels.at(key).string === string) &&
    [...selector.at('matchExpressions').items()].every((expression) => meets(expression, labels))
  )
}

function meets(expression: Cursor, labels: Cursor): boolean {
  const value = labels.at(expression.at('key').string ?? '').string
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
