import type { Cursor } from '../../manifest/cursor'
import { quantityAt, quantityOf } from './container-resources'

/** A quantity of a container that a LimitRange does not allow. */
export interface OutOfRange {
  readonly resource: string
  /** The bound of the LimitRange. */
  readonly bound: Cursor
  readonly words: string
  readonly container: string
  readonly asked: Cursor
}

/**
 * The limits and requests of the containers of a Pod that are above the most, or below the least, that a LimitRange
 * allows. All containers of a Pod together are bounded, too, which one above the bound breaks alone. Source:
 * https://github.com/kubernetes/kubernetes/blob/v1.34.0/plugin/pkg/admission/limitranger/admission.go, PodValidateLimitFunc
 */
export function outOfRange(range: Cursor, pod: Cursor): OutOfRange[] {
  const containers = ['containers', 'initContainers'].flatMap((list) => [...pod.at('spec', list).items()])
  return [...range.at('spec', 'limits').items()].flatMap((limit) => {
    const type = limit.at('type').string
    if (type !== 'Container' && type !== 'Pod') return []
    const least = type === 'Container' ? (['min'] as const) : []
    return (['max', ...least] as const).flatMap((which) =>
      [...limit.at(which).entries()].flatMap(([resource, bound]) => {
        const edge = quantityOf(quantityAt(bound))
        if (edge === undefined) return []
        return containers.flatMap((container) => {
          const asked = askedBy(container, resource).find((at) => {
            const value = quantityOf(quantityAt(at))
            return value !== undefined && (which === 'max' ? value > edge : value < edge)
          })
          const words = `${which === 'max' ? 'at most' : 'at least'} ${quantityAt(bound)} of ${resource}`
          return asked ? [{ resource, bound, words, container: container.at('name').string ?? '', asked }] : []
        })
      }),
    )
  })
}

/** What a container asks for of a resource, and what it is limited to. */
function askedBy(container: Cursor, resource: string): Cursor[] {
  return ['limits', 'requests'].map((field) => container.at('resources', field, resource)).filter((at) => at.exists)
}
