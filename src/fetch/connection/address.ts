import { lookup as lookUp } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { FetchFailure } from './failure'

/** An address of a host. */
export interface Address {
  readonly address: string
  readonly family: number
}

/** Resolves the name of a host. */
export type ResolveHost = (host: string) => Promise<readonly Address[]>

export const resolveBySystem: ResolveHost = (host) => lookUp(host, { all: true })

/**
 * IPv4 networks that are no public hosts (https://www.iana.org/assignments/iana-ipv4-special-registry), and Azure's
 * metadata.
 */
const notPublic = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

const refused4 = new BlockList()
for (const [network, prefix] of notPublic) refused4.addSubnet(network, prefix, 'ipv4')

/**
 * IPv6 has few public networks: one block without its special ones
 * (https://www.iana.org/assignments/iana-ipv6-special-registry).
 */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const refused6 = new BlockList()
refused6.addSubnet('2001::', 23, 'ipv6')
refused6.addSubnet('2001:db8::', 32, 'ipv6')
refused6.addSubnet('2002::', 16, 'ipv6')
refused6.addSubnet('3fff::', 20, 'ipv6')

/** NAT64: the last four bytes are an IPv4 address (RFC 6052). */
const translated = new BlockList()
translated.addSubnet('64:ff9b::', 96, 'ipv6')

export function isPublic(address: string): boolean {
  const bare = address.split('%', 1)[0] ?? ''
  if (isIP(bare) === 4) return !refused4.check(bare, 'ipv4')
  if (isIP(bare) !== 6) return false
  if (translated.check(bare, 'ipv6')) return isPublic(embedded(bare))
  return global6.check(bare, 'ipv6') && !refused6.check(bare, 'ipv6')
}

/** The IPv4 address at the end of an IPv6 address. */
function embedded(address: string): string {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  const low = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return low.flatMap((group) => [group >> 8, group & 255]).join('.')
}

/** @throws FetchFailure if the host has private addresses only */
export async function publicAddresses(host: string, resolve: ResolveHost): Promise<readonly Address[]> {
  const literal = host.startsWith('[') ? host.slice(1, -1) : host
  const family = isIP(literal)
  const all = family ? [{ address: literal, family }] : await resolve(host)
  const allowed = all.filter(({ address }) => isPublic(address))
  if (allowed.length === 0 && all.length > 0) throw refusal(host, all[0]?.address ?? '')
  return allowed
}

function refusal(host: string, address: string): FetchFailure {
  const at = host === address || host === `[${address}]` ? '' : `, ${address}`
  return new FetchFailure(
    'place-refused',
    `${host} has an address that is not public${at}, and such a host is only asked if \`network\` in the config of the base names the URL`,
  )
}

/** A `lookup` for a connection: it connects to the addresses that were checked, and to no others. */
export function lookupOf(addresses: (host: string) => Promise<readonly Address[]>): LookupFunction {
  return (host, options, done) => {
    addresses(host).then(
      (found) => {
        const [first] = found
        if (!first) done(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), '')
        else if (options.all) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
}
