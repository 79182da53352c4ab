import { describe, expect, test } from '@jest/globals'
import { mint, type Order } from '../../scripts/fixture-certificates'
import { Snapshot } from '../../src/cluster/snapshot'
import {
  certificatesBehind,
  isKeyOf,
  lastDayOf,
  namedHosts,
  namesIn,
  readCertificates,
  readKey,
  weaknessesOf,
} from '../../src/kubernetes/tls/certificate'
import { loadFile } from '../../src/manifest/load'
import { Manifest } from '../../src/manifest/manifest'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const exported = ({ key }: { key: import('node:crypto').KeyObject }, type: 'pkcs1' | 'pkcs8' | 'sec1' = 'pkcs8') =>
  key.export({ type, format: 'pem' }).toString()

/** Manifests as a file gives them; JSON is YAML enough. */
function manifestsOf(...objects: object[]): Manifest[] {
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n')
  return loadFile({ text }).objects.map(
    (object) => new Manifest(object, 'head', { kind: 'file', path: 'all.yaml' }, ['one']),
  )
}

const metadata = (name: string) => ({ name, namespace: 'shop' })

function secretOf(parts: { data?: Record<string, string>; stringData?: Record<string, string> }): Manifest {
  const [secret] = manifestsOf({ apiVersion: 'v1', kind: 'Secret', metadata: metadata('web-tls'), ...parts })
  if (!secret) throw new Error('no Secret was read')
  return secret
}

function certificateOf(order: Order) {
  const reading = readCertificates(secretOf({ stringData: { 'tls.crt': mint(order).certificate } }))
  if (reading.kind !== 'read') throw new Error(`the minted certificate is ${reading.kind}`)
  return reading.first
}

/** The result of a reading: `read`, `standIn` or the fault. */
function outcome(secret: Manifest, read: (secret: Manifest) => ReturnType<typeof readCertificates | typeof readKey>) {
  const reading = read(secret)
  return reading.kind === 'broken' ? reading.fault : reading.kind
}

describe('the contents of a Secret', () => {
  const minted = mint({ names: ['www.example.com'] })
  const { certificate } = minted
  const lines = certificate.trim().split('\n')
  const body = lines.slice(1, -1).join('')

  test.each([
    ['PEM in stringData', { stringData: { 'tls.crt': certificate } }],
    ['base64 in data', { data: { 'tls.crt': base64(certificate) } }],
    ['base64 with line feeds', { data: { 'tls.crt': base64(certificate).replace(/(.{76})/g, '$1\n') } }],
    ['CRLF', { stringData: { 'tls.crt': certificate.replaceAll('\n', '\r\n') } }],
    ['one long line between BEGIN and END', { stringData: { 'tls.crt': [lines[0], body, lines.at(-1)].join('\n') } }],
    ['no line feed at the end', { stringData: { 'tls.crt': certificate.trim() } }],
    ['text before it', { stringData: { 'tls.crt': `subject=CN = www\n${certificate}` } }],
    ['a key before it', { stringData: { 'tls.crt': exported(minted) + certificate } }],
    ['stringData over data', { stringData: { 'tls.crt': certificate }, data: { 'tls.crt': 'Cg==' } }],
  ])('%s is read', (_, parts) => {
    expect(outcome(secretOf(parts), readCertificates)).toBe('read')
  })

  test.each([
    ['nothing', ''],
    ['a line feed', '\n'],
    ['a word', 'changeme'],
    ['a substitution', '$(CRT)'],
    ['a template', '{{ .Values.crt }}'],
    ['a vault path', '<path:secrets/data/web#crt>'],
    ['a frame without content', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'],
    ['a frame with dots', '-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n'],
    ['an elided encoding', 'LS0tLS1CRUdJTiBDRVJU...'],
    ['a row of one letter', 'x'.repeat(64)],
    ['some binary', '\u0000\u0001\u0002'],
  ])('%s is a placeholder', (_, text) => {
    expect(outcome(secretOf({ stringData: { 'tls.crt': text } }), readCertificates)).toBe('standIn')
    expect(outcome(secretOf({ data: { 'tls.crt': base64(text) } }), readCertificates)).toBe('standIn')
  })

  test.each([
    ['clipped', { stringData: { 'tls.crt': [...lines.slice(0, -2), lines.at(-1)].join('\n') } }, 'cannot be parsed'],
    [
      'with a word by chance',
      { stringData: { 'tls.crt': [lines[0], `${lines[1]?.slice(0, -4)}toDo`, ...lines.slice(2)].join('\n') } },
      'cannot be parsed',
    ],
    ['another kind', { stringData: { 'tls.crt': exported(minted) } }, 'holds a block PRIVATE KEY'],
    ['all on one line', { stringData: { 'tls.crt': lines.join(' ') } }, 'not on separate lines'],
    ['indented', { stringData: { 'tls.crt': lines.map((line) => `  ${line}`).join('\n') } }, 'not on separate lines'],
    ['without its END', { stringData: { 'tls.crt': lines.slice(0, -1).join('\n') } }, 'not on separate lines'],
    ['encoded twice', { data: { 'tls.crt': base64(base64(certificate)) } }, 'twice'],
    ['encoded in stringData', { stringData: { 'tls.crt': base64(certificate) } }, 'twice'],
    ['not encoded in data', { data: { 'tls.crt': certificate } }, 'under data, which needs base64'],
    [
      'with spaces in base64',
      { data: { 'tls.crt': base64(certificate).replace(/(.{76})/g, '$1 ') } },
      'is not valid base64',
    ],
    ['DER', { data: { 'tls.crt': body } }, 'is DER'],
  ])('%s is broken', (_, parts, fault) => {
    expect(outcome(secretOf(parts), readCertificates)).toContain(fault)
  })

  test('keys of every form are read and distinguished', () => {
    for (const [kind, types] of [
      ['rsa:2048', ['pkcs1', 'pkcs8']],
      ['prime256v1', ['sec1', 'pkcs8']],
      ['ed25519', ['pkcs8']],
    ] as const) {
      const pair = mint({ names: ['www.example.com'], key: kind })
      const own = readCertificates(secretOf({ stringData: { 'tls.crt': pair.certificate } }))
      for (const type of types) {
        const key = readKey(secretOf({ stringData: { 'tls.key': exported(pair, type) } }))
        if (key.kind !== 'read' || own.kind !== 'read') throw new Error(`${kind} ${type} was not read`)
        expect(isKeyOf(key.first, own.first)).toBe(true)
        expect(isKeyOf(key.first, certificateOf({ key: kind }))).toBe(false)
      }
    }
  })

  test('a key after its curve is read, one with a passphrase is broken', () => {
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
    const text = parameters + exported(minted, 'sec1')
    expect(outcome(secretOf({ stringData: { 'tls.key': text } }), readKey)).toBe('read')
    const cipher = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
    for (const type of ['pkcs8', 'sec1'] as const) {
      const locked = minted.key.export({ type, ...cipher }).toString()
      expect(outcome(secretOf({ stringData: { 'tls.key': locked } }), readKey)).toContain('passphrase')
    }
  })

  test('of a chain the first certificate counts, and the others are kept', () => {
    const chain = certificate + mint({ commonName: 'CA' }).certificate
    const reading = readCertificates(secretOf({ stringData: { 'tls.crt': chain } }))
    expect(reading.kind === 'read' && [namesIn(reading.first), reading.further.length]).toEqual([
      ['www.example.com'],
      1,
    ])
  })

  test('no fault says anything of what is held', () => {
    const secretText = `-----BEGIN ${'PRIVATE'} KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n`
    expect(outcome(secretOf({ stringData: { 'tls.key': secretText } }), readKey)).not.toContain('c2VjcmV0')
  })
})

describe('a certificate', () => {
  test('names its DNS names and addresses, its common name only without DNS names', () => {
    expect(namesIn(certificateOf({ names: ['a.example.com', '*.b.example.com'], ips: ['192.0.2.1'] }))).toEqual([
      'a.example.com',
      '*.b.example.com',
      '192.0.2.1',
    ])
    expect(namesIn(certificateOf({ commonName: 'c.example.com' }))).toEqual(['c.example.com'])
    expect(namesIn(certificateOf({ commonName: 'c.example.com', ips: ['192.0.2.1'] }))).toEqual([
      'c.example.com',
      '192.0.2.1',
    ])
  })

  test('has no name that is written inside another', () => {
    expect(namesIn(certificateOf({ names: ['a.example.com, DNS:b.example.com'] }))).not.toContain('b.example.com')
  })

  test('has a last day', () => {
    expect(lastDayOf(certificateOf({ until: '2031-02-08' }))).toBe('2031-02-08')
  })

  test.each<[Order, string[]]>([
    [{ key: 'rsa:2048' }, []],
    [{ key: 'rsa:1024' }, ['an RSA key of 1024 bits']],
    [{ key: 'rsa:2048', digest: 'sha1' }, ['a signature by SHA-1']],
    [{ key: 'rsa:1024', digest: 'md5' }, ['an RSA key of 1024 bits', 'a signature by MD5']],
    [{ key: 'prime256v1' }, []],
    [{ key: 'secp224r1' }, []],
    [{ key: 'secp521r1' }, []],
    [{ key: 'prime192v1', digest: 'sha1' }, ['an EC key of 192 bits', 'a signature by SHA-1']],
    [{ key: 'ed25519' }, []],
  ])('of %j is weak by %j', (order, weaknesses) => {
    expect(weaknessesOf(certificateOf(order))).toEqual(weaknesses)
  })
})

describe('the source of a Secret', () => {
  const ingress = (name: string, host: string, annotations = {}) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { ...metadata(name), annotations },
    spec: { tls: [{ hosts: [host], secretName: 'web-tls' }], rules: [{ host }] },
  })
  const request = (name: string, spec: object) => ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: metadata(name),
    spec: { secretName: 'web-tls', ...spec },
  })
  const shim = { 'cert-manager.io/cluster-issuer': 'letsencrypt' }

  function namesBehind(...objects: object[]): string[][] | undefined {
    const manifests = manifestsOf(...objects)
    const [own] = manifests
    if (!own) throw new Error('no Ingress was read')
    return certificatesBehind(new Snapshot('one', manifests), own, 'web-tls')?.map(({ names }) => [...names])
  }

  test('nothing is known without a producer', () => {
    expect(namesBehind(ingress('web', 'www.example.com'))).toBeUndefined()
  })

  test('a Certificate asks for its dnsNames, commonName and ipAddresses', () => {
    const spec = { dnsNames: ['a.example.com'], commonName: 'b.example.com', ipAddresses: ['192.0.2.1'] }
    const names = namesBehind(ingress('web', 'www.example.com'), request('web', spec))
    expect(names).toEqual([['a.example.com', 'b.example.com', '192.0.2.1']])
  })

  test('a Certificate without names, or with ones filled in later, is not known', () => {
    for (const spec of [{}, { uris: ['spiffe://x'] }, { dnsNames: ['$(HOST)'] }, { dnsNames: [] }])
      expect(namesBehind(ingress('web', 'www.example.com'), request('web', spec))).toBeUndefined()
  })

  test('ingress-shim asks for the hosts of the entry, unless a Certificate of that name is there', () => {
    const own = ingress('web', 'www.example.com', shim)
    expect(namesBehind(own)).toEqual([['www.example.com']])
    expect(namesBehind(own, request('web-tls', { dnsNames: ['a.example.com'] }))).toEqual([['a.example.com']])
    expect(namesBehind(own, request('other', { dnsNames: ['a.example.com'] }))).toHaveLength(2)
  })

  test('one producer that is not known leaves all unknown', () => {
    const sealed = { apiVersion: 'bitnami.com/v1alpha1', kind: 'SealedSecret', metadata: metadata('web-tls'), spec: {} }
    const known = request('web', { dnsNames: ['a.example.com'] })
    expect(namesBehind(ingress('web', 'www.example.com'), known, sealed)).toBeUndefined()
  })
})

test('many names are listed by the first ones', () => {
  expect(namedHosts([])).toBe('no host')
  expect(namedHosts(['a'])).toBe('a')
  expect(namedHosts(['a', 'b', 'c', 'd'])).toBe('a, b, c and d')
  expect(namedHosts(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more')
})
