import { described } from '../../sides/described'
import type { RenderedSide } from '../../sides/rendered-side'

/** The part of a finding that says where and for which sources of the head something fails. */
export function statement(sides: readonly Pick<RenderedSide, 'source'>[], path: string, existing: boolean) {
  return {
    side: 'head' as const,
    path,
    status: existing ? ('existing' as const) : ('introduced' as const),
    sources: sides.map(({ source }) => ({
      ...described(source),
      cluster: 'cluster' in source.target ? source.target.cluster : '',
    })),
  }
}
