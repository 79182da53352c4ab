import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { selectsBy } from '../object/label-selector'
import { type AddressRange, isAmong, rangeIn } from './address-range'
import { askedBy, type BalancedService } from './balanced-service'

/** Undefined where the texts do not show it. */
export type Answer = boolean | undefined

/** Whether a pool gives a Service its address, and the field that decides it. */
export interface PoolAnswer {
  readonly given: Answer
  readonly at: Cursor
}

const metalKind = 'IPAddressPool.metallb.io'
const ciliumKind = 'CiliumLoadBalancerIPPool.cilium.io'
export const poolKinds: readonly GroupKind[] = [metalKind, ciliumKind]

export function isOfCilium({ ref }: Manifest): boolean {
  return ref.group === 'cilium.io'
}

export function poolsIn(snapshot: Snapshot): Manifest[] {
  return poolKinds.flatMap((kind) => snapshot.ofKind(kind))
}

/** The addresses that a Service asks a program for; none if it takes any. */
export function addressesFor(service: BalancedService, pool: Manifest): { address: string; at: Cursor }[] {
  const asked = askedBy(service, isOfCilium(pool) ? ciliumAddresses : metalAddresses)
  return asked.flatMap(({ text, at }) => text.split(',').map((one) => ({ address: one.trim(), at })))
}

const metalAddresses = ['metallb.io/loadBalancerIPs', 'metallb.universe.tf/loadBalancerIPs']
const ciliumAddresses = ['lbipam.cilium.io/ips', 'io.cilium/lb-ipam-ips']
const metalPools = ['metallb.io/address-pool', 'metallb.universe.tf/address-pool']

/** The pool that a Service asks MetalLB for by its name. */
export function poolAskedBy({ annotations }: BalancedService): string | undefined {
  const [name] = metalPools.map((key) => annotations.get(key).scalar).filter((one) => typeof one === 'string')
  return name
}

/** Whether a pool gives a Service an address. */
export function answerOf(pool: Manifest, service: BalancedService): PoolAnswer {
  if (!mayServe(pool, service)) return { given: undefined, at: pool.root }
  const answers = groupKindOf(pool.ref) === metalKind ? answersOfMetal(pool, service) : answersOfCilium(pool, service)
  const refusal = answers.find(({ given }) => given === false) ?? answers.find(({ given }) => given === undefined)
  return refusal ?? { given: true, at: pool.root }
}

/**
 * Whether the program of a pool serves a Service. Without a class both do; Cilium has classes of its own, and others are for programs
 * that are not known. kube-vip has its addresses elsewhere.
 */
function mayServe(pool: Manifest, { spec, annotations }: BalancedService): boolean {
  const { scalar: name } = spec.get('loadBalancerClass')
  if (annotations.keys.some((key) => key.startsWith('kube-vip.io/'))) return false
  return name === undefined || name === null || (isOfCilium(pool) && `${name}`.startsWith('io.cilium/'))
}

/**
 * Source: https://github.com/metallb/metallb/blob/v0.16.1/internal/allocator/allocator.go, poolFor, isPoolCompatibleWithService,
 * Allocate; controller/service.go, allocateIPs
 */
function answersOfMetal(from: Manifest, service: BalancedService): PoolAnswer[] {
  const { ref, root } = from
  const spec = root.at('spec')
  const asked = addressesFor(service, from)
  const pool = poolAskedBy(service)
  const allocation = spec.at('serviceAllocation')
  const ranges = textsIn(spec.at('addresses'))?.map(rangeIn)
  return [
    { given: pool === undefined ? true : isEqual(pool, ref.name), at: root.at('metadata', 'name') },
    ...answersOfRanges(ranges, asked, spec.at('addresses')),
    {
      given: asked.length > 0 || pool !== undefined || isTrue(spec.at('autoAssign'), true),
      at: spec.at('autoAssign'),
    },
    { given: isIn(allocation, service.namespace), at: allocation.at('namespaces') },
    { given: selectsOne(allocation.at('serviceSelectors'), service), at: allocation.at('serviceSelectors') },
  ]
}

/**
 * Source: https://github.com/cilium/cilium/blob/079d9740ae48e351419f9adfa71e853f1765f5a4/operator/pkg/lbipam/lbipam.go, findRangeOfIP,
 * allocateIPAddress, handlePoolModified, which takes addresses away that a pool no longer has
 */
function answersOfCilium(pool: Manifest, service: BalancedService): PoolAnswer[] {
  const spec = pool.root.at('spec')
  // Before 1.15 the field was called `cidrs`.
  const blocks = spec.at(spec.at('blocks').exists ? 'blocks' : 'cidrs')
  const ranges = blocks.isList ? [...blocks.items()].map(blockAt) : undefined
  const disabled = isTrue(spec.at('disabled'), false)
  return [
    { given: disabled === undefined ? undefined : !disabled, at: spec.at('disabled') },
    ...answersOfRanges(ranges, addressesFor(service, pool), blocks),
    { given: selects(spec.at('serviceSelector'), service), at: spec.at('serviceSelector') },
  ]
}

function blockAt(block: Cursor): AddressRange {
  const first = block.at('start').string
  if (first === undefined) return { network: block.at('cidr').string ?? '' }
  return { first, last: block.at('stop').string ?? first }
}

/** An empty pool gives nothing; one without ranges is a part of a patch. */
function answersOfRanges(
  ranges: readonly AddressRange[] | undefined,
  asked: readonly { address: string }[],
  at: Cursor,
): PoolAnswer[] {
  if (ranges === undefined) return [{ given: undefined, at }]
  if (ranges.length === 0) return [{ given: false, at }]
  return asked.map(({ address }) => ({ given: isAmong(ranges, address), at }))
}

/** Selectors of namespaces depend on Namespaces, which may be from elsewhere. */
function isIn(allocation: Cursor, namespace: string): Answer {
  const names = allocation.at('namespaces')
  const selectors = allocation.at('namespaceSelectors')
  if (isEmpty(names)) return isEmpty(selectors) ? true : undefined
  const written = textsIn(names) ?? []
  if (written.includes(namespace) && namespace !== '') return true
  return [namespace, ...written].some((one) => one === '' || isPlaceholder(one)) || !isEmpty(selectors)
    ? undefined
    : false
}

function selectsOne(selectors: Cursor, service: BalancedService): Answer {
  if (isEmpty(selectors)) return true
  const answers = [...selectors.items()].map((selector) => selects(selector, service))
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false
}

/** Whether a selector, if there is one, selects a Service. */
export function selects(selector: Cursor, { labelOf }: BalancedService): Answer {
  if (!selector.isSet) return true
  if (!labelOf || isPlaceholder(JSON.stringify(selector.value))) return undefined
  return selectsBy(selector, labelOf)
}

/** Whether a field is true; undefined where a tool fills it in. */
export function isTrue(at: Cursor, byDefault: boolean): Answer {
  if (!at.isSet) return byDefault
  return typeof at.value === 'boolean' ? at.value : undefined
}

/** Whether two names are equal; undefined where a tool completes one of them. */
export function isEqual(one: string, other: string): Answer {
  return one === other || ([one, other].some(isPlaceholder) ? undefined : false)
}

export function isEmpty(list: Cursor): boolean {
  return !list.isList || [...list.items()].length === 0
}

/** The texts of a list; undefined where there is no list. */
export function textsIn(list: Cursor): string[] | undefined {
  return list.isList ? [...list.items()].map(({ string }) => string ?? '') : undefined
}
