import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { hasPublicTrust, isLetsEncrypt } from './public-authority'

/** A reason for which a Certificate is not issued, as a clause, and what to do. */
export interface CertificateFault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
}

/** The fields with what a certificate is for, also by their names before v1. */
const nameFields = [
  'commonName',
  'dnsNames',
  'emailAddresses',
  'emailSANs',
  'ipAddresses',
  'literalSubject',
  'otherNames',
  'uris',
  'uriSANs',
]

/**
 * The reasons for which the webhook of cert-manager rejects a Certificate. Source: cert-manager 1.21,
 * internal/apis/certmanager/validation/certificate.go, ValidateCertificateSpec
 */
export function* faultsOfCertificate({ ref, root }: Manifest): Generator<CertificateFault> {
  if (ref.group !== 'cert-manager.io') return
  const spec = root.at('spec')
  const commonName = spec.at('commonName')
  const length = bytesIn(commonName.string ?? '')
  if (length > longest && !isPlaceholder(commonName.string ?? ''))
    yield {
      at: commonName,
      fault: `its commonName is ${length} bytes long, and ${longest} is the most`,
      remedy: 'Remove commonName: clients read dnsNames alone.',
    }
  if (spec.isMap && !nameFields.some((field) => spec.at(field).exists))
    yield { at: spec, fault: 'it is for no name', remedy: 'Set dnsNames.' }
  const size = spec.at('privateKey', 'size')
  const sizes = sizesOf(algorithmOf(spec))
  if (typeof size.value === 'number' && size.value > 0 && sizes && !sizes.isIn(size.value))
    yield {
      at: size,
      fault: `its private key has the size ${size.value}, and ${sizes.said}`,
      remedy: 'Set privateKey.size to one of these, or remove it.',
    }
}

/** The bytes of a commonName at most. */
const longest = 64

function bytesIn(text: string): number {
  return new TextEncoder().encode(text).length
}

function sizesOf(algorithm: string): { isIn: (size: number) => boolean; said: string } | undefined {
  if (algorithm === 'RSA') return { isIn: (size) => size >= 2048 && size <= 8192, said: 'RSA has 2048 to 8192' }
  if (algorithm === 'ECDSA')
    return { isIn: (size) => [256, 384, 521].includes(size), said: 'ECDSA has 256, 384 and 521' }
  return undefined
}

/** `RSA` where none is written. */
function algorithmOf(spec: Cursor): string {
  const at = spec.at('privateKey', 'algorithm')
  return at.isSet ? (at.string ?? '') : 'RSA'
}

/**
 * The reasons for which no certificate is issued by an ACME server. cert-manager itself fails a request whose commonName is
 * no other name of it: pkg/controller/certificaterequests/acme/acme.go, Sign. It is no reason that it requests a CA or
 * other usages: Let's Encrypt reads neither in a request (https://github.com/letsencrypt/boulder/blob/main/csr/csr.go, VerifyCSR;
 * tried with a CA in https://github.com/cert-manager/cert-manager/pull/5552).
 */
export function* faultsByAcme({ root }: Manifest, server: string): Generator<CertificateFault> {
  // Before v1, cert-manager added the commonName to the names.
  if (root.at('apiVersion').string !== 'cert-manager.io/v1') return
  const spec = root.at('spec')
  const commonName = spec.at('commonName')
  const lists = [spec.at('dnsNames'), spec.at('ipAddresses')]
  const names = lists.flatMap((list) => [...list.items()]).map(({ string = '$(' }) => string)
  const name = commonName.string
  const isKnown = lists.every((list) => !list.exists || list.isList) && ![name ?? '', ...names].some(isPlaceholder)
  // What cert-manager rejects is reported once.
  if (name && isKnown && bytesIn(name) <= longest && !names.includes(name))
    yield {
      at: commonName,
      fault: `its commonName ${name} is neither in dnsNames nor in ipAddresses`,
      remedy: 'Add it to dnsNames, or remove commonName.',
    }
  yield* faultsOfKey(spec, server)
}

/**
 * The keys that public authorities refuse. Sources: section 6.1.5 of the Baseline Requirements of the CA/Browser Forum, and
 * https://letsencrypt.org/docs/integration-guide/#supported-key-algorithms
 */
function* faultsOfKey(spec: Cursor, server: string): Generator<CertificateFault> {
  const [algorithm, at] = [algorithmOf(spec), spec.at('privateKey', 'algorithm')]
  if (algorithm === 'Ed25519' && hasPublicTrust(server))
    yield {
      at,
      fault: 'its private key is of Ed25519, which public authorities refuse',
      remedy: 'Set privateKey.algorithm to ECDSA or RSA.',
    }
  const size = spec.at('privateKey', 'size')
  const allowed = algorithm === 'RSA' ? [2048, 3072, 4096] : algorithm === 'ECDSA' ? [256, 384] : []
  if (allowed.length === 0 || typeof size.value !== 'number' || size.value <= 0 || !isLetsEncrypt(server)) return
  if (allowed.includes(size.value) || !sizesOf(algorithm)?.isIn(size.value)) return
  yield {
    at: size,
    fault: `its private key of ${algorithm} has the size ${size.value}, which Let's Encrypt refuses`,
    remedy: `Set privateKey.size to one of ${allowed.join(', ')}.`,
  }
}

/** Usages by which clients are allowed to take a certificate for another purpose. */
const purposes = [
  'client auth',
  'code signing',
  'email protection',
  's/mime',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'timestamping',
  'ocsp signing',
]

/** The purposes that a Certificate lists, where serving hosts is none of them; a certificate without any is for all. */
export function usagesWithoutServer({ root }: Manifest): { at: Cursor; names: string[] } | undefined {
  const at = root.at('spec', 'usages')
  const usages = [...at.items()].map(({ string = '$(' }) => string)
  const names = usages.filter((usage) => purposes.includes(usage))
  const isKnown = usages.every((usage) => purposes.includes(usage) || keyUsages.includes(usage))
  return names.length > 0 && isKnown ? { at, names } : undefined
}

/** Usages of the key, which say nothing about the purpose. Source: pkg/apis/certmanager/v1/types.go, KeyUsage */
const keyUsages = [
  'signing',
  'digital signature',
  'content commitment',
  'key encipherment',
  'key agreement',
  'data encipherment',
  'cert sign',
  'crl sign',
  'encipher only',
  'decipher only',
]
