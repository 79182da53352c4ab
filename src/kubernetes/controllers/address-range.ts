import { BlockList, isIP } from 'node:net'

/** A range of addresses as it is written: a network, one address, or the first and the last one. */
export type AddressRange = { readonly network: string } | { readonly first: string; readonly last: string }

/** A range in the notation of MetalLB: `192.0.2.0/24`, `192.0.2.10-192.0.2.20`. */
export function rangeIn(text: string): AddressRange {
  const [first = '', last] = text.split('-', 2).map((part) => part.trim())
  return last === undefined ? { network: first } : { first, last }
}

/** Whether an address is in one of the ranges; undefined if the text of one, or of the address, shows no address. */
export function isAmong(ranges: readonly AddressRange[], address: string): boolean | undefined {
  const list = new BlockList()
  const isRead = ranges.every((range) => isAdded(list, range))
  const family = familyOf(address)
  if (family !== undefined && list.check(address, family)) return true
  return isRead && family !== undefined ? false : undefined
}

function isAdded(list: BlockList, range: AddressRange): boolean {
  const [first = '', length] = 'network' in range ? range.network.split('/', 2) : [range.first]
  const family = familyOf(first)
  if (family === undefined) return false
  try {
    if ('last' in range) list.addRange(first, range.last, family)
    else if (length === undefined) list.addAddress(first, family)
    else list.addSubnet(first, Number(length), family)
  } catch {
    // The last address is none, or before the first one; or there is no network of that length.
    return false
  }
  return true
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address)
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6'
}
