import { supposing } from '../manifest/assumption'
import type { RenderedSide } from '../sides/rendered-side'

/** Whether a chart has switches on that no known release turns on; the values of its tests are files. */
export function isSwitchedOn({ source }: RenderedSide): boolean {
  return source.kind === 'helm' && source.supposed !== undefined && source.values.length === 0
}

/** The sentence that names these values. */
export function supposingOf({ source }: RenderedSide): string {
  return source.kind === 'helm' ? supposing(source.chart, source.supposed ?? '') : ''
}
