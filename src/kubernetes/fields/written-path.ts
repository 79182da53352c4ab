import type { Cursor } from '../../manifest/cursor'

/** The place of a value in its object, as people write it: `spec.rules[0].http`. */
export function written({ path }: Pick<Cursor, 'path'>): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1)
}
