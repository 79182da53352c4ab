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
