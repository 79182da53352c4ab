import { entryOf } from '../../entry'
import { isStagingServer } from './staging-server'

/**
 * The ACME servers of certificate authorities that clients trust. Sources:
 * https://letsencrypt.org/docs/acme-protocol-updates/ (`acme-v01` is the former one),
 * https://cloud.google.com/certificate-manager/docs/public-ca-tutorial, https://zerossl.com/documentation/acme/,
 * https://www.buypass.com/products/tls-ssl-certificates/go-ssl and https://www.ssl.com/guide/ssl-tls-certificate-issuance-and-revocation-with-acme/
 */
const servers = [
  'acme-v01.api.letsencrypt.org',
  'acme-v02.api.letsencrypt.org',
  'dv.acme-v02.api.pki.goog',
  'acme.zerossl.com',
  'api.buypass.com',
  'acme.ssl.com',
]

/** Whether an ACME server issues certificates that clients trust. */
export function isPublicServer(url: string): boolean {
  return servers.some((host) => url.startsWith(`https://${host}/`))
}

/**
 * The paths of the directories, where all that a host has are known. Sources: those above,
 * https://letsencrypt.org/docs/staging-environment/ and https://developer.buypass.com/acme
 */
const directories: Readonly<Record<string, readonly string[]>> = {
  'acme-v02.api.letsencrypt.org': ['/directory'],
  'acme-staging-v02.api.letsencrypt.org': ['/directory'],
  'dv.acme-v02.api.pki.goog': ['/directory'],
  'dv.acme-v02.test-api.pki.goog': ['/directory'],
  'acme.zerossl.com': ['/v2/DV90'],
  'api.buypass.com': ['/acme/directory'],
  'api.test4.buypass.no': ['/acme/directory'],
}

/** The directories of the host of an ACME server which is none of them; undefined where it is one, or may be. */
export function directoriesInsteadOf(url: string): readonly string[] | undefined {
  if (!url.startsWith('https://') || !URL.canParse(url)) return undefined
  const { host, pathname } = new URL(url)
  const paths = entryOf(directories, host)
  // Some hosts take more below a directory, such as a slash at its end.
  if (!paths || paths.some((path) => pathname === path || pathname.startsWith(`${path}/`))) return undefined
  return paths.map((path) => `https://${host}${path}`)
}

/** Whether an ACME server follows the rules of public authorities, also for tests. */
export function hasPublicTrust(url: string): boolean {
  return isPublicServer(url) || isStagingServer(url)
}

export function isLetsEncrypt(url: string): boolean {
  return hasPublicTrust(url) && new URL(url).hostname.endsWith('.letsencrypt.org')
}

/**
 * Last labels of names for which no public authority issues: those of special use, and those that are kept for private
 * use. Sources: https://www.iana.org/assignments/special-use-domain-names/ and RFC 6762, appendix G
 */
const privateEnds = [
  'corp',
  'example',
  'home',
  'home.arpa',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'onion',
  'private',
  'svc',
  'test',
]

/** Whether a public authority may issue a certificate for a host; not for addresses and names of a cluster. */
export function isPublicHost(host: string): boolean {
  const name = host.toLowerCase()
  if (!name.includes('.') || /^[\d.]+$/.test(name)) return false
  return !privateEnds.some((end) => name.endsWith(`.${end}`))
}
