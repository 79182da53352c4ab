import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { covers, isPlaceholder, tlsEntries } from '../ingress/ingress'
import { isSecretComplete } from '../object/secret'
import { certificateRefs, tlsListeners } from './gateway-tls'
import { producersOf } from './tls-producer'

/** The value of `tls.crt` or `tls.key` of a Secret. */
export type PemReading<T> =
  /** The first of several PEM blocks counts. */
  | { readonly kind: 'read'; readonly at: Cursor; readonly first: T; readonly further: readonly T[] }
  /** Not a certificate yet: it is empty, or contains words that a person or a tool replaces. */
  | { readonly kind: 'standIn'; readonly at: Cursor }
  /** A fault that makes it unusable for every controller; it completes `tls.crt of Secret web`. */
  | { readonly kind: 'broken'; readonly at: Cursor; readonly fault: string }

/** The certificates under a Secret's `tls.crt`. */
export function readCertificates(secret: Manifest): PemReading<X509Certificate> {
  return read(secret, 'tls.crt', /^CERTIFICATE$/, (pem) => new X509Certificate(pem))
}

/** The private key under a Secret's `tls.key`. */
export function readKey(secret: Manifest): PemReading<KeyObject> {
  return read(secret, 'tls.key', /(?:^| )PRIVATE KEY$/, (pem) => createPrivateKey(pem))
}

/** Where a Secret has nothing under `tls.crt`; undefined where it has a text, or a tool puts one there inside the cluster. */
export function emptyCertificateOf(secret: Manifest): Cursor | undefined {
  if (secret.ref.kind !== 'Secret' || secret.ref.group !== '' || !isSecretComplete(secret)) return undefined
  const reading = readCertificates(secret)
  return reading.kind === 'standIn' && reading.at.exists && reading.at.string?.trim() === '' ? reading.at : undefined
}

/** As strict as Go's encoding/pem, which the controllers use: BEGIN and END are on separate lines. */
const pemBlock = /^-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\r?\n((?:(?!-----)[\s\S])*)\n-----END \1-----/gm

/** The first byte of every certificate in DER. OpenSSL takes long to refuse other bytes. */
const derSequence = 0x30

/** Placeholders that people and tools write for a later value. */
const standInWords =
  /\$\{|\{\{|\$\(|<[^<>]+>|ENC\[|\.\.|…|\*{3}|x{4}|change.?me|replace|redacted|placeholder|dummy|insert|your|todo/i

function read<T>(secret: Manifest, key: string, label: RegExp, parse: (pem: string) => T): PemReading<T> {
  // The API server lets stringData win over data.
  const plain = secret.root.at('stringData', key)
  const at = plain.exists ? plain : secret.root.at('data', key)
  const written = at.string ?? ''
  const bytes = plain.exists ? Buffer.from(written) : Buffer.from(written, 'base64')
  const text = bytes.toString()
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
    written.replace(/[\r\n]/g, ''),
  )
  const isReadable = plain.exists || isBase64
  const blocks = [...text.matchAll(pemBlock)].map(([, type = '', body = '']) => ({ type, body }))
  const wanted = blocks.filter(({ type }) => label.test(type))
  const [first, ...further] = isReadable ? wanted.map((block) => attempt(() => parse(pemOf(block)))) : []
  if (first !== undefined) return { kind: 'read', at, first, further: further.filter((one) => one !== undefined) }

  const broken = (fault: string) => ({ kind: 'broken', at, fault }) as const
  // Before its bytes are read as words, which they may happen to spell.
  if (isReadable && bytes[0] === derSequence && attempt(() => new X509Certificate(bytes)))
    return broken('is DER, but controllers read PEM')
  if (isStandIn(written) || (isReadable && isStandIn(text))) return { kind: 'standIn', at }
  if (!isReadable) {
    if (written.includes('-----BEGIN ')) return broken('is plain PEM under data, which needs base64')
    return written.startsWith('LS0t') ? broken('is not valid base64 for the API server') : { kind: 'standIn', at }
  }
  if (text.trimStart().startsWith('LS0t')) return broken('is encoded in base64 twice')
  const [block] = wanted
  if (block && isEncrypted(block)) return broken('is encrypted with a passphrase that controllers do not have')
  if (block) return broken(`holds a block ${block.type} that cannot be parsed`)
  if (blocks[0]) return broken(`holds a block ${blocks[0].type}, which does not belong there`)
  if (text.includes('-----BEGIN '))
    return broken('begins like PEM, but its BEGIN and END marks are not on separate lines')
  return { kind: 'standIn', at }
}

/** Checked only for unreadable values: nothing, BEGIN and END with nothing between, or words of a placeholder. */
function isStandIn(text: string): boolean {
  return text.replace(/-----(?:BEGIN|END) [A-Z0-9 ]+-----/g, '').trim() === '' || standInWords.test(withoutBase64(text))
}

/** Base64 of keys and certificates may spell any word by chance. It has more characters than a row of x or of words. */
function withoutBase64(text: string): string {
  return text.replace(/[A-Za-z0-9+/]{60}[A-Za-z0-9+/=\s]*/g, (run) => (new Set(run).size > 26 ? '' : run))
}

interface Block {
  readonly type: string
  readonly body: string
}

/** The block in the form of OpenSSL, which limits the length of lines more than Go does. */
function pemOf({ type, body }: Block): string {
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n')
}

function isEncrypted({ type, body }: Block): boolean {
  return type.startsWith('ENCRYPTED') || body.includes('ENCRYPTED')
}

/** The result of a function of node:crypto; undefined when it cannot read its input. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

/** Whether a private key belongs to a certificate; a kind of key that OpenSSL does not know counts as matching. */
export function isKeyOf(key: KeyObject, certificate: X509Certificate): boolean {
  return attempt(() => certificate.checkPrivateKey(key)) ?? true
}

/** The last day of a certificate, YYYY-MM-DD. */
export function lastDayOf(certificate: X509Certificate): string | undefined {
  return attempt(() => new Date(certificate.validTo).toISOString().slice(0, 10))
}

/** Signatures by digests that browsers and OpenSSL refuse, by the object identifier's bytes. Source: RFC 3279, 2.2 */
const weakSignatures: Readonly<Record<string, string>> = {
  '2a864886f70d010102': 'MD2',
  '2a864886f70d010104': 'MD5',
  '2a864886f70d010105': 'SHA-1',
  '2a8648ce380403': 'SHA-1',
  '2a8648ce3d0401': 'SHA-1',
  '2b0e03021d': 'SHA-1',
}

/**
 * The parts of a certificate that are too weak for today's clients: fewer than 112 bits of strength. Source: NIST SP
 * 800-131A, 3
 */
export function weaknessesOf(certificate: X509Certificate): string[] {
  const key = attempt(() => certificate.publicKey)
  const { modulusLength, namedCurve } = key?.asymmetricKeyDetails ?? {}
  const curveBits = Number(namedCurve?.match(/\d{3}/)?.[0])
  const digest = entryOf(weakSignatures, signatureOf(certificate))
  return [
    ...(modulusLength !== undefined && modulusLength < 2048 ? [`an RSA key of ${modulusLength} bits`] : []),
    ...(curveBits < 224 ? [`an EC key of ${curveBits} bits`] : []),
    ...(digest ? [`a signature by ${digest}`] : []),
  ]
}

/** The object identifier of the signature: node:crypto provides it only from version 24 on. */
function signatureOf({ raw }: X509Certificate): string {
  const certificate = elementAt(raw, 0)
  const content = elementAt(raw, certificate.start)
  const algorithm = elementAt(raw, content.end)
  const identifier = elementAt(raw, algorithm.start)
  return raw.subarray(identifier.start, identifier.end).toString('hex')
}

/** The start and the end of the content of the DER element at an offset. */
function elementAt(der: Buffer, offset: number): { start: number; end: number } {
  const size = der.readUInt8(offset + 1)
  const more = size < 0x80 ? 0 : size & 0x7f
  const start = offset + 2 + more
  return { start, end: start + (more === 0 ? size : der.readUIntBE(offset + 2, more)) }
}

/**
 * The DNS names and IP addresses of a certificate. Its common name counts only where it has no DNS name: browsers and
 * Go no longer look at it, but ingress-nginx still does (internal/ingress/controller/certificate.go, verifyHostname).
 */
export function namesIn(certificate: X509Certificate): string[] {
  const alternatives = [
    ...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g),
  ]
  const commonName = certificate.subject?.match(/^CN=(.*)$/m)?.[1]
  const names = alternatives.map(([, , name = '']) => name)
  return alternatives.some(([, type]) => type === 'DNS') || !commonName ? names : [commonName, ...names]
}

/** The certificate in a Secret, as far as the repository shows it. */
export interface KnownCertificate {
  /** The object that decides its names: a Secret, a Certificate, or an Ingress for which cert-manager requests it. */
  readonly manifest: Manifest
  /** The place of the certificate. */
  readonly at: Cursor
  readonly names: readonly string[]
  covers(host: string): boolean
}

/**
 * The possible certificates in a Secret that an object names, of its own namespace unless it names another; more than
 * one when several objects provide it, or copies of one. Undefined unless all of them are known.
 */
export function certificatesBehind(
  snapshot: Snapshot,
  user: Manifest,
  secretName: string,
  namespace = user.ref.namespace,
): KnownCertificate[] | undefined {
  const producers = producersOf(snapshot, namespace, secretName)
  // ingress-shim does not change a Certificate of the Secret's name that it did not create: cert-manager 1.21,
  // pkg/controller/certificate-shim/sync.go, buildCertificates
  const byHand = producers.some(
    ({ manifest: { ref, root } }) =>
      ref.kind === 'Certificate' && ref.name === secretName && !root.at('metadata', 'ownerReferences').exists,
  )
  const known = producers
    .filter(({ manifest: { ref } }) => !byHand || (ref.kind !== 'Ingress' && ref.kind !== 'Gateway'))
    .map(({ manifest, at }) => {
      // Another copy of an Ingress requests the same certificate.
      const isCopy = manifest.ref.kind === 'Ingress' && identityOf(manifest.ref) === identityOf(user.ref)
      return isCopy ? requestedFor(user, secretName, at) : knownFrom(manifest, secretName, at)
    })
  const all = known.filter((certificate) => certificate !== undefined)
  return all.length > 0 && all.length === known.length ? all : undefined
}

function knownFrom(manifest: Manifest, secretName: string, at: Cursor): KnownCertificate | undefined {
  if (manifest.ref.kind === 'Secret') return heldBy(manifest)
  if (manifest.ref.kind === 'Certificate') return requestedBy(manifest)
  if (manifest.ref.kind === 'Gateway') return requestedForGateway(manifest, secretName, at)
  return manifest.ref.kind === 'Ingress' ? requestedFor(manifest, secretName, at) : undefined
}

function heldBy(secret: Manifest): KnownCertificate | undefined {
  const reading = readCertificates(secret)
  if (!isSecretComplete(secret) || reading.kind !== 'read') return undefined
  const names = namesIn(reading.first)
  return {
    manifest: secret,
    at: reading.at,
    names,
    // OpenSSL refuses `*.lan`; for Go, and so for the controllers, it matches any host of one label and `.lan`.
    covers: (host) =>
      reading.first.checkHost(host, { partialWildcards: false }) !== undefined ||
      names.some((name) => covers(name, host)),
  }
}

/** The hosts that a cert-manager Certificate requests; its issuer adds no others. */
function requestedBy(certificate: Manifest): KnownCertificate | undefined {
  const spec = certificate.root.at('spec')
  const hosts = [...spec.at('dnsNames').items(), spec.at('commonName')].flatMap((name) => name.string || [])
  const addresses = [...spec.at('ipAddresses').items()].flatMap((address) => address.string || [])
  const at = [spec.at('dnsNames'), spec.at('commonName')].find((cursor) => cursor.exists)
  if (!at || hosts.length === 0 || spec.at('literalSubject').exists) return undefined
  return requested(certificate, at, [...hosts, ...addresses])
}

/** The request of cert-manager's ingress-shim: the hosts of the Secret's entry, and two annotations. */
function requestedFor(ingress: Manifest, secretName: string, at: Cursor): KnownCertificate | undefined {
  const hosts = tlsEntries(ingress)
    .filter((entry) => entry.secretName.string === secretName)
    .flatMap((entry) => entry.hosts.flatMap((host) => host.string ?? []))
  const annotations = ingress.root.at('metadata', 'annotations')
  const more = ['cert-manager.io/common-name', 'cert-manager.io/alt-names', 'cert-manager.io/ip-sans'].flatMap(
    (key) => annotations.at(key).string?.split(',') ?? [],
  )
  return requested(ingress, at, [...hosts, ...more.map((name) => name.trim())])
}

/** The request of cert-manager for a Gateway: the hostnames of the listeners that name the Secret. */
function requestedForGateway(gateway: Manifest, secretName: string, at: Cursor): KnownCertificate | undefined {
  const listeners = tlsListeners(gateway).filter((listener) =>
    certificateRefs(listener).some(
      ({ name, namespace }) => name.string === secretName && namespace === gateway.ref.namespace,
    ),
  )
  return requested(
    gateway,
    at,
    listeners.flatMap((listener) => listener.at('hostname').string ?? []),
  )
}

function requested(manifest: Manifest, at: Cursor, written: readonly string[]): KnownCertificate | undefined {
  const names = [...new Set(written)]
  if (names.some(isPlaceholder)) return undefined
  return { manifest, at, names, covers: (host) => names.some((name) => covers(name, host)) }
}

/** The hosts that a certificate names, as messages list them. */
export function namedHosts(names: readonly string[]): string {
  return names.length > 0 ? enumerated(names, 4) : 'no host'
}
