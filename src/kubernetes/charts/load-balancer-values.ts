import type { LayeredValue } from './layered-value'
import { type LoadBalancer, loadBalancerOf } from './load-balancer'
import { readBlocks } from './value-blocks'

/** A Service in the values of a chart that asks for an address. */
export interface LoadBalancerValues {
  /** The path of its values: `service`, `controller.service`, `service.main`. */
  readonly path: readonly string[]
  readonly balancer: LoadBalancer
}

const keys: ReadonlySet<string> = new Set(['annotations', 'loadBalancerIP'])

/**
 * The Services in values that ask for an address, wherever they are: charts write the annotations and the address of a Service beside
 * each other, or its fields below `spec`. A Service without a type has that of its chart, which is a LoadBalancer where somebody asks for
 * an address.
 */
export function loadBalancersIn(values: LayeredValue): LoadBalancerValues[] {
  const paths = readBlocks(values, keys, (_, path) => [path.slice(0, path.at(-2) === 'spec' ? -2 : -1)])
  const blocks = new Map(paths.map((path) => [path.join('.'), path]))
  return [...blocks.values()].flatMap((path) => {
    const block = path.reduce((outer, key) => outer.get(key), values)
    const spec = block.get('spec').get('loadBalancerIP').isSet ? block.get('spec') : block
    const balancer = isOff(block) ? undefined : loadBalancerOf(spec, block.get('annotations'))
    return balancer ? [{ path, balancer }] : []
  })
}

/** Whether it is no LoadBalancer: the type is beside `spec`, too. */
function isOff(block: LayeredValue): boolean {
  const type = block.get('type')
  return type.isSet && type.scalar !== 'LoadBalancer'
}
