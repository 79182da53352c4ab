import type { Failure } from '../render/tools/rendering'
import type { RenderedSide } from '../sides/rendered-side'

/** The reason why a source is not rendered whole. */
export function failureOf({ failure, partial }: RenderedSide): Failure | undefined {
  return failure ?? partial?.failure
}
