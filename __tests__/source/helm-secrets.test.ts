import { expect, test } from '@jest/globals'
import { change, chart, object, url } from './probe'
import type { Files } from './repository'

const app = (...files: readonly string[]) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'web',
    'argocd',
    `spec:
  project: default
  destination: {namespace: shop}
  source:
    repoURL: ${url}
    path: charts/edge
    helm:
      valueFiles:
${files.map((file) => `        - ${file}\n`).join('')}`,
  )

const encrypted = (host: string) => `host: ENC[AES256_GCM,data:${host},iv:a,tag:b,type:str]
sops:
  mac: ENC[AES256_GCM,data:${host},iv:a,tag:b,type:str]
`
const base: Files = {
  ...chart,
  'envs/prod.yaml': 'host: covered.example.com\n',
  'envs/plain.yaml': 'bootstrap: true\n',
  'envs/secret.yaml': encrypted('a'),
}

async function said(before: Files, head: Files) {
  const { findings, inspected } = await change({ ...base, ...before }, head)
  return {
    found: findings.map(
      ({ status, level, rule, location, text }) =>
        `${status} ${level} ${rule} ${location.path}:${location.region.startLine} ${text}`,
    ),
    skipped: inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`),
  }
}

test('a values file that helm-secrets gets and that is not encrypted reaches helm as it is', async () => {
  const { found, skipped } = await said(
    { 'web.yaml': app('secrets://../../envs/prod.yaml') },
    { 'envs/prod.yaml': 'host: a.example.com\n' },
  )
  expect(found).toEqual([expect.stringMatching(/^introduced error ingress-tls\/host-covered envs\/prod\.yaml:1 /)])
  expect(skipped).toEqual([])
})

test('a release is judged without its encrypted values, and the doubt is said', async () => {
  const { found, skipped } = await said(
    { 'web.yaml': app('../../envs/prod.yaml', 'secrets://../../envs/secret.yaml') },
    { 'envs/prod.yaml': 'host: a.example.com\n' },
  )
  expect(found).toEqual([
    expect.stringMatching(
      /^introduced warning ingress-tls\/host-covered envs\/prod\.yaml:1 .* was rendered without the values of envs\/secret\.yaml, which only helm-secrets decrypts, and these values may change this\./,
    ),
  ])
  expect(skipped).toEqual([
    'web.yaml: Application argocd/web: it is rendered without the values of envs/secret.yaml, which only helm-secrets decrypts',
  ])
})

test('a change of encrypted values is listed', async () => {
  const { found } = await said(
    { 'web.yaml': app('../../envs/prod.yaml', 'secrets://../../envs/secret.yaml') },
    { 'envs/secret.yaml': encrypted('b') },
  )
  expect(found).toEqual([
    expect.stringContaining(
      'introduced warning source/not-judged envs/secret.yaml:1 This change is not judged: release',
    ),
  ])
  expect(found[0]).toContain('takes values of it, which only helm-secrets decrypts')
})

test.each<[what: string, base: Files, head: Files]>([
  ['gets', { 'web.yaml': app('../../envs/prod.yaml') }, { 'web.yaml': app('secrets://../../envs/secret.yaml') }],
  [
    'finds encrypted',
    { 'web.yaml': app('secrets://../../envs/prod.yaml') },
    { 'envs/prod.yaml': encrypted('covered.example.com') },
  ],
  [
    'gets in place of others, of another folder',
    { 'web.yaml': app('../../envs/prod.yaml') },
    { 'web.yaml': app('secrets:///mounted/prod.yaml') },
  ],
])('values that were read, and that only helm-secrets now %s, are an error', async (_, before, head) => {
  const { found } = await said(before, head)
  expect(found).toContainEqual(
    expect.stringContaining(
      'introduced error source/unrendered web.yaml:1 The objects that Application argocd/web deploys can no longer be rendered with all of their values, so this change to them cannot be checked: only helm-secrets decrypts ',
    ),
  )
})

test('one more encrypted file of a release that has some is no error', async () => {
  const { found } = await said(
    { 'web.yaml': app('../../envs/prod.yaml', 'secrets://../../envs/plain.yaml') },
    { 'web.yaml': app('../../envs/prod.yaml', 'secrets://../../envs/plain.yaml', 'secrets://../../envs/secret.yaml') },
  )
  expect(found.filter((one) => one.includes(' error '))).toEqual([])
})
