import { manifestIn } from '../../../__tests__/manifest/manifests'
import type { Random } from '../../../__tests__/mutation/random'
import hostValid from '../../../src/rules/ingress-tls/host-valid'
import type { Oracle } from './oracle'

const label = 'a'.repeat(63)
const long = [label, label, label, label].join('.')
const texts = [
  '',
  'a.example.com',
  '*.example.com',
  '*',
  '*.',
  '*.*.com',
  'a.*.com',
  '*.example.com.',
  'a.example.com.',
  'A.example.com',
  'ä.example.com',
  'a_b.example.com',
  '-a.example.com',
  'a-.example.com',
  'a..example.com',
  '.example.com',
  'localhost',
  `${label}a.example.com`,
  `${long.slice(0, 253)}`,
  `${long.slice(0, 254)}`,
  `*.${long.slice(0, 251)}`,
  `*.${long.slice(0, 252)}`,
  '10.0.0.7',
  '1.2.3.004',
  '1.2.3.256',
  '1.2.3',
  '0001.2.3.4',
  '1.2.3.4.',
  '::1',
  '::ffff:1.2.3.004',
  'fe80::1%eth0',
  '[::1]',
  'example.com:8443',
  'https://example.com',
  'example.com/path',
  'other/web-tls',
  ' a.example.com',
  'a.example.com\n',
  '1',
  '0x1',
]
const letters = ['a', 'Z', '0', '-', '.', '*', '_', ':', '/', ' ', 'é']
const classes = ['nginx', 'Nginx', '', 'nginx.internal', 'a/b', '*.nginx', long.slice(0, 254), 'nginx-']

function textOf(random: Random): string {
  if (random.chance(0.6)) return random.of(texts) ?? ''
  // The gate takes `__X__` for what a tool fills in.
  return Array.from({ length: random.below(7) }, () => random.of(letters))
    .join('')
    .replace(/_+/g, '_')
}

const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }

function ingressOf(random: Random): object {
  const list = <T>(most: number, one: () => T) => Array.from({ length: random.below(most + 1) }, one)
  const named = random.chance(0.5) && { 'kubernetes.io/ingress.class': random.of(classes) }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'shop', ...(named && { annotations: named }) },
    spec: {
      ...(random.chance(0.5) && { ingressClassName: random.chance(0.1) ? null : random.of(classes) }),
      tls: list(2, () => ({
        hosts: list(2, () => (random.chance(0.05) ? null : textOf(random))),
        ...(random.chance(0.7) && { secretName: textOf(random) }),
      })),
      rules: [{ http: { paths: [path] } }, ...list(2, () => ({ host: textOf(random), http: { paths: [path] } }))],
    },
  }
}

/** The fields for which the API server refuses an Ingress. */
export const ingress: Oracle = {
  name: 'ingress',
  ask(random) {
    const line = JSON.stringify(ingressOf(random))
    return { line, gate: answer(fieldsOf(line)) }
  },
  upstream: (line) => answer(JSON.parse(line)),
}

function answer(fields: readonly string[]): string {
  return JSON.stringify([...new Set(fields)].sort())
}

function fieldsOf(text: string): string[] {
  if (hostValid.scope !== 'manifest') throw new Error('The rule is asked about one object.')
  const fields: string[] = []
  hostValid.check({
    manifest: manifestIn(text),
    params: {},
    report: (ends: unknown) => fields.push(fieldOf([ends].flat()[0] as { path: readonly (string | number)[] })),
    skip: () => {},
    isWritten: () => true,
    isAdded: () => true,
    today: '2026-11-22',
  })
  return fields
}

/** A place as the API server names it: `spec.rules[0].host`. */
function fieldOf({ path: keys }: { path: readonly (string | number)[] }): string {
  const text = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
  return text.replace(/^\.(?:metadata\.)?/, '')
}
