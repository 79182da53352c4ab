import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const ingress = (tls: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: web}
spec:
${tls}  rules:
    - host: web.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
`
const withTls = ingress('  tls: [{hosts: [web.example.com], secretName: web-tls}]\n')
const generating = (...lines: string[]) => kustomization('resources: [ingress.yaml]', ...lines)
const settings = generating('secretGenerator:', '  - {name: settings, namespace: web, envs: [secrets/.secrets.env]}')
const plain: Files = {
  '.gitignore': '*.env\n*.key\ntls.crt\nsecret.yaml\npatch.yaml\n!kept.env\n',
  'web/kustomization.yaml': generating(),
  'web/ingress.yaml': withTls,
  'web/secrets/.secrets.env.sample': 'KEY=\n',
}

async function judged(base: Files, head: Files, flux?: Files) {
  const { findings, inspected } = await judgeChange({ ...base, ...flux }, head, 'helm', ['ingress-tls@^1.20.0'])
  return {
    findings: findings.map(({ status, level, rule, location: { path, region }, text }) =>
      [status, level, rule, `${path}:${region.startLine}`, ...(rule.startsWith('source/') ? [text] : [])].join(' '),
    ),
    skipped: inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`),
  }
}

describe('files that Git ignores', () => {
  test.each<[what: string, files: Files]>([
    ['variables', { 'web/kustomization.yaml': settings }],
    [
      'a certificate',
      {
        'web/kustomization.yaml': generating(
          'secretGenerator:',
          '  - {name: web-tls, namespace: web, type: kubernetes.io/tls, files: [tls.crt, tls.key=tls/own.key]}',
          'generatorOptions: {disableNameSuffixHash: true}',
        ),
      },
    ],
    ['a Secret', { 'web/kustomization.yaml': kustomization('resources: [ingress.yaml, secret.yaml]') }],
    [
      'a patch',
      { 'web/kustomization.yaml': generating('patches:', '  - {path: patch.yaml, target: {kind: Service}}') },
    ],
  ])('are no error of a new Kustomization that names one: %s', async (_, files) => {
    const { 'web/kustomization.yaml': _without, ...others } = plain
    const { findings, skipped } = await judged(others, files)
    expect(findings).toEqual([])
    expect(skipped).toContainEqual(expect.stringContaining('which Git ignores, because kustomize cannot build it'))
  })

  test('are left out, so that the rest is judged', async () => {
    const { findings, skipped } = await judged(plain, {
      'web/kustomization.yaml': settings,
      'web/ingress.yaml': ingress(''),
    })
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
    expect(skipped).toContain(
      'web/kustomization.yaml: the Kustomization web: it was read without web/secrets/.secrets.env, which Git ignores, because kustomize cannot build it: Git ignores web/secrets/.secrets.env, so that only those who deploy it have the file',
    )
  })

  test('are left out of both sides', async () => {
    const base = { ...plain, 'web/kustomization.yaml': settings }
    const { findings } = await judged(base, { 'web/ingress.yaml': ingress('') })
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
  })

  test('hide no other fault', async () => {
    const { findings } = await judged(plain, {
      'web/kustomization.yaml': `${settings}patches:\n  - path: other.yaml\n`,
    })
    expect(findings).toEqual([expect.stringMatching(/^introduced error source\/unrendered .*no file web\/other\.yaml/)])
  })

  const flux = {
    'flux.yaml': `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 5m
  path: ./web
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
`,
  }

  test('are left out where Flux reads files from anywhere', async () => {
    const base = { ...plain, 'web/kustomization.yaml': settings }
    const { findings } = await judged(base, { 'web/ingress.yaml': ingress('') }, flux)
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
  })

  test('are an error where Flux clones the repository and had no such files', async () => {
    const { findings } = await judged(plain, { 'web/kustomization.yaml': settings }, flux)
    expect(findings).toEqual([
      expect.stringMatching(/^introduced error source\/unrendered web\/kustomization\.yaml:1 .*\.secrets\.env/),
    ])
  })
})

describe('values that a replacement takes from a file that Git ignores', () => {
  const info = 'configMapGenerator: [{name: info, envs: [env/open.env]}]\n'
  const replacing = (kind: string, field: string, source = 'info') =>
    [
      'resources: [object.yaml, ../info]',
      'replacements:',
      `  - source: {kind: ConfigMap, name: ${source}, fieldPath: data.suffix}`,
      `    targets: [{select: {kind: ${kind}}, options: {delimiter: ., index: 1}, fieldPaths: [${field}]}]`,
    ].join('\n')
  const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: web}
spec:
  gatewayClassName: public
  listeners: [{name: http, port: 80, protocol: HTTP, hostname: '*.of-gateway'}]
`
  const route = (...hosts: string[]) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: web}
spec:
  parentRefs: [{name: edge}]
  hostnames:
${hosts.map((host) => `    - ${host}\n`).join('')}`
  const base: Files = {
    '.gitignore': 'env/\n',
    'info/kustomization.yaml': kustomization(info),
    'gateway/kustomization.yaml': kustomization(replacing('Gateway', 'spec.listeners.0.hostname')),
    'gateway/object.yaml': gateway,
  }
  const added = (field: string, source?: string): Files => ({
    'route/kustomization.yaml': kustomization(replacing('HTTPRoute', field, source)),
    'route/object.yaml': route('web.of-route', 'static.of-route'),
  })
  const unattached = (host: number) => `introduced error ingress-tls/route-attached route/object.yaml:${host}`

  test('are unknown on both objects that are compared', async () => {
    const { findings, skipped } = await judged(base, added("'spec.hostnames.*'"))
    expect(findings).toEqual([])
    expect(skipped).toContain(
      'route/kustomization.yaml: the Kustomization route: it was read without info/env/open.env, which Git ignores, because kustomize cannot build it: Git ignores info/env/open.env, so that only those who deploy it have the file',
    )
  })

  test('hide no value that is written beside them', async () => {
    const gateways = { ...base, 'gateway/kustomization.yaml': kustomization('resources: [object.yaml]') }
    expect((await judged(gateways, added('spec.hostnames.0'))).findings).toEqual([unattached(8)])
  })

  test('hide no other source that is missing', async () => {
    expect((await judged(base, added('spec.hostnames.0', 'infos'))).findings).toEqual([
      expect.stringMatching(
        /^introduced error source\/unrendered route\/kustomization\.yaml:3 Kustomize cannot build it/,
      ),
    ])
  })

  test.each([
    ['rejects objects', 'reject: [{name: web}], select: {kind: HTTPRoute}'],
    ['selects by a pattern', 'select: {kind: "HTTP.*"}'],
  ])('are an error where a target %s, so that it may leave all as it is', async (_, target) => {
    const { 'route/kustomization.yaml': written, ...others } = added('spec.hostnames.0')
    const head = { ...others, 'route/kustomization.yaml': String(written).replace('select: {kind: HTTPRoute}', target) }
    expect((await judged(base, head)).findings).toContainEqual(
      expect.stringMatching(/^introduced error source\/unrendered route\/kustomization\.yaml/),
    )
  })

  test.each<[what: string, select: string]>([
    ['of the same object', '{kind: Ingress}'],
    ['of another object', '{kind: Service}'],
  ])('leave removed TLS an error: a field %s', async (_, select) => {
    const { findings } = await judged(
      { ...plain, 'info/kustomization.yaml': kustomization(info), '.gitignore': 'env/\n' },
      {
        'web/kustomization.yaml': kustomization(
          'resources: [ingress.yaml, ../info]',
          'replacements:',
          '  - source: {kind: ConfigMap, name: info, fieldPath: data.suffix}',
          `    targets: [{select: ${select}, fieldPaths: [spec.rules.0.http.paths.0.backend.service.name]}]`,
        ),
        'web/ingress.yaml': ingress(''),
      },
    )
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
  })
})

describe('files that Git comes to ignore with a new Kustomization', () => {
  const { 'web/kustomization.yaml': _none, ...others } = { ...plain, '.gitignore': '' } as Files
  const ignoring = { '.gitignore': '*.env\npatch.yaml\ningress.yaml\n' }
  const patching = generating('patches:', '  - {path: patch.yaml, target: {kind: Service}}')

  test('are listed, and the rest is judged', async () => {
    const head = { ...ignoring, 'web/kustomization.yaml': settings, 'web/ingress.yaml': ingress('') }
    const { findings, skipped } = await judged(others, head)
    expect(findings).toEqual(['introduced error ingress-tls/tls-kept web/ingress.yaml:5'])
    expect(skipped).toContainEqual(expect.stringContaining('web/secrets/.secrets.env, which Git ignores'))
  })

  test.each<[what: string, base: Files, head: Files, flux?: Files]>([
    ['a patch', others, { 'web/kustomization.yaml': patching }],
    ['a file that the change removes', others, { 'web/kustomization.yaml': generating(), 'web/ingress.yaml': null }],
    [
      'a file of a Kustomization that moves',
      {
        ...others,
        'old/kustomization.yaml': settings,
        'old/ingress.yaml': withTls,
        'old/secrets/.secrets.env': 'A=b\n',
      },
      {
        'old/kustomization.yaml': null,
        'old/ingress.yaml': null,
        'old/secrets/.secrets.env': null,
        'web/kustomization.yaml': settings,
      },
    ],
  ])('are an error: %s', async (_, base, head) => {
    const { findings } = await judged(base, { ...ignoring, ...head })
    expect(findings).toContainEqual(
      expect.stringMatching(/^introduced error source\/unrendered web\/kustomization\.yaml/),
    )
  })
})

describe('files that Git does not ignore', () => {
  const there = { 'web/secrets/.secrets.env': 'KEY=a\n', 'web/kustomization.yaml': settings }
  const error = expect.stringMatching(
    /^introduced error source\/unrendered web\/kustomization\.yaml:1 .*there is no file web\/secrets\//,
  )

  test.each<[what: string, base: Files, head: Files]>([
    [
      'that the change removes and comes to ignore',
      { ...plain, ...there, '.gitignore': '' },
      { '.gitignore': '*.env\n', 'web/secrets/.secrets.env': null },
    ],
    ['that the change removes', { ...plain, ...there }, { 'web/secrets/.secrets.env': null }],
    [
      'that only the head ignores',
      { ...plain, '.gitignore': '' },
      { '.gitignore': '*.env\n', 'web/kustomization.yaml': settings },
    ],
    [
      'that a later pattern includes again',
      plain,
      { 'web/kustomization.yaml': settings.replace('.secrets.env', 'kept.env') },
    ],
    ['of another folder', { ...plain, '.gitignore': '/other/*.env\n' }, { 'web/kustomization.yaml': settings }],
  ])('are an error where they are missing: %s', async (_, base, head) => {
    expect((await judged(base, head)).findings).toEqual([error])
  })
})
