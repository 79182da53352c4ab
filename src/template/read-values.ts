import { actionsOf } from './template-actions'
import type { WrittenValue } from './written-values'

/** The values that a template reads in any way, by the paths of their keys. */
export function readValuesIn(template: string): WrittenValue[] {
  return actionsOf(template).flatMap(({ words }) =>
    words.flatMap(({ text, from }) =>
      /^\$?\.Values\.\w[\w.]*$/.test(text) ? [{ value: text.slice(text.indexOf('.Values.') + 8), from }] : [],
    ),
  )
}
