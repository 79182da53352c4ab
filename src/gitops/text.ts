import type { Cursor } from '../manifest/cursor'

/** A scalar as text, also a number or a boolean that should have been quoted; empty for anything else. */
export function textAt({ value }: Cursor): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
