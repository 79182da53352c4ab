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
