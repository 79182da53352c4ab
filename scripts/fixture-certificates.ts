// Mints throw-away certificates for fixtures and tests, with nothing but node:crypto. To print a Secret's data to
// paste: npx tsx scripts/fixture-certificates.ts '{"names": ["www.example.com"], "until": "2126-01-01"}'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { pathToFileURL } from 'node:url'

interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** The content of a certificate. */
export interface Order {
  /** DNS names of the SAN extension; without them and `ips` there is no such extension. */
  readonly names?: readonly string[]
  readonly ips?: readonly string[]
  readonly commonName?: string
  /** YYYY-MM-DD */
  readonly from?: string
  readonly until?: string
  /** A curve, `rsa:<bits>` or `ed25519`. */
  readonly key?: string
  readonly digest?: 'sha256' | 'sha1' | 'md5'
}

/** A certificate and its key, as PEM. */
export interface Minted {
  readonly certificate: string
  readonly key: KeyObject
}

const algorithms: Readonly<Record<string, string>> = {
  'rsa sha256': '2a864886f70d01010b',
  'rsa sha1': '2a864886f70d010105',
  'rsa md5': '2a864886f70d010104',
  'ec sha256': '2a8648ce3d040302',
  'ec sha1': '2a8648ce3d0401',
  ed25519: '2b6570',
}

/** Mints a self-signed certificate. The clock plays no part. */
export function mint(order: Order): Minted {
  const { names = [], ips = [], commonName = 'fixture', key = 'prime256v1', digest = 'sha256' } = order
  const { publicKey, privateKey } = keyPair(key)
  const type = privateKey.asymmetricKeyType ?? ''
  const algorithm = sequence(
    der(0x06, Buffer.from(algorithms[type === 'ed25519' ? type : `${type} ${digest}`] ?? '', 'hex')),
    ...(type === 'rsa' ? [der(0x05)] : []),
  )
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))))
  const alternatives = [
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...ips.map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ]
  const extension = sequence(oid('551d11'), der(0x04, sequence(...alternatives)))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    sequence(time(order.from ?? '2020-01-01'), time(order.until ?? '2126-01-01')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(alternatives.length > 0 ? [der(0xa3, sequence(extension))] : []),
  )
  const signature = sign(type === 'ed25519' ? null : digest, content, privateKey)
  const certificate = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature))
  return { certificate: pem('CERTIFICATE', certificate), key: privateKey }
}

function keyPair(kind: string): KeyPair {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519')
  const bits = kind.match(/^rsa:(\d+)$/)?.[1]
  return bits
    ? generateKeyPairSync('rsa', { modulusLength: Number(bits) })
    : generateKeyPairSync('ec', { namedCurve: kind })
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

/** GeneralizedTime, at midnight. */
function time(day: string): Buffer {
  return der(0x18, Buffer.from(`${day.replaceAll('-', '')}000000Z`))
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { certificate, key } = mint(JSON.parse(process.argv[2] ?? '{}') as Order)
  console.log(`  tls.crt: ${Buffer.from(certificate).toString('base64')}`)
  console.log(`  tls.key: ${Buffer.from(key.export({ type: 'pkcs8', format: 'pem' })).toString('base64')}`)
}
