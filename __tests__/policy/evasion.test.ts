import { describe, expect, test } from '@jest/globals'
import { judge, type Texts } from '../harness'

const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:kube-controller-manager
`
const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n'
const covered = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
spec:
  tls:
    - hosts: [a.example.com]
      secretName: web-tls
  rules:
    - host: a.example.com
`
const hole = `${covered}    - host: evil.example.com\n`

/** Rule and level of the findings that a change introduces. */
async function introduced(base: Texts, head: Texts): Promise<string[]> {
  const { findings } = await judge({ base, head })
  return findings
    .filter(({ status, level }) => status === 'introduced' && level === 'error')
    .map(({ level, rule }) => `${level} ${rule}`)
}

describe('a protected object goes by a trick', () => {
  const removed = ['error protected-rbac/object-kept']
  const both = `${other}---\n${role}`

  test.each<[string, Texts, Texts]>([
    ['`items` makes a list of it', { 'r.yaml': role }, { 'r.yaml': `${role}items: []\n` }],
    ['a carriage return before the separator', { 'r.yaml': both }, { 'r.yaml': `${other}# x\r---\n${role}` }],
    ['a line separator before the separator', { 'r.yaml': both }, { 'r.yaml': `${other}# x\u2028---\n${role}` }],
    ['an end mark in place of the separator', { 'r.yaml': both }, { 'r.yaml': `${other}...\n${role}` }],
    ['a suffix that no tool reads', { 'r.yaml': role }, { 'r.YAML': role }],
    ['a document behind a glued separator is cut', { 'r.yaml': `${other}---#x\n${role}` }, { 'r.yaml': other }],
    ['the only file of its cluster moves out', { 'clusters/prod/r.yaml': role }, { 'old/r.yaml': role }],
  ])('%s', async (_, base, head) => {
    expect(await introduced(base, head)).toEqual(removed)
  })

  test.each(['clusters/prod', 'prod'])('the head’s config gives another folder the name %s', async (name) => {
    const declared = 'format: 1\nclusters: {prod: {paths: ["prod/**"]}}\n'
    const place = name === 'prod' ? 'prod/r.yaml' : 'clusters/prod/r.yaml'
    const { findings } = await judge({
      base: { [place]: role, 'x.yaml': other },
      head: { 'archive/r.yaml': role, 'x.yaml': other },
      guard: name === 'prod' ? declared : 'format: 1\n',
      headClusters: { [name]: { paths: ['archive/**'] } },
    })
    expect(findings.map(({ level, rule }) => `${level} ${rule}`)).toEqual(removed)
  })
})

describe('an uncovered host comes by a trick', () => {
  const found = ['error ingress-tls/host-covered']

  test.each<[string, string]>([
    ['behind a line separator in a comment', `${covered}# note\u2028    - host: evil.example.com\n`],
    ['behind a next-line character in a comment', `${covered}# note\u0085    - host: evil.example.com\n`],
    ['of a kind in base64', hole.replace('kind: Ingress', `kind: !!binary ${btoa('Ingress')}`)],
    ['under a key in base64', `${covered}  !!binary ${btoa('rules')}:\n    - host: evil.example.com\n`],
    [
      'merged by a tag',
      `${covered.replace('spec:', 'x: &e {rules: [{host: evil.example.com}]}\nspec:')}  !!merge "<<": *e\n`,
    ],
    [
      'in a list of another kind',
      `apiVersion: v1\nkind: Bundle\nitems:\n${hole.replace(/^/gm, '    ').replace('    api', '  - api')}`,
    ],
    [
      'beside a template in one list',
      `apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: ConfigMap, metadata: {name: "{{a}}"}}\n${hole.replace(/^/gm, '    ').replace('    api', '  - api')}`,
    ],
    [
      'behind flow style that looks like JSON',
      `{"apiVersion": v1, "kind": ConfigMap, "metadata": {"name": a, "annotations": {"note": 'a"'}}}\n---\n${hole}`,
    ],
  ])('%s', async (_, text) => {
    expect(await introduced({ 'i.yaml': covered }, { 'i.yaml': text })).toEqual(found)
  })

  test('in a document as unreadable as one beside it was', async () => {
    const broken = 'apiVersion: v1\nkind: ConfigMap\nmetadata: [\n'
    const head = `${broken}---\n${hole.replace('spec:', 'spec: [')}`
    expect(await introduced({ 'i.yaml': broken }, { 'i.yaml': head })).toEqual(['error source/unreadable'])
  })
})

test('a Secret that only says it is encrypted is judged', async () => {
  const secret =
    'apiVersion: v1\nkind: Secret\nmetadata: {name: web-tls}\ntype: kubernetes.io/dockerconfigjson\ndata: {x: eA==}\n'
  expect(await introduced({}, { 'i.yaml': `${covered}---\n${secret}sops: {}\n` })).toEqual([
    'error ingress-tls/secret-type',
    'error ingress-tls/objects-accepted',
  ])
})

test('a manifest that becomes a Git LFS pointer is unreadable', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n'
  expect(await introduced({ 'i.yaml': covered }, { 'i.yaml': pointer })).toEqual(['error source/unreadable'])
})

test('a manifest that git-crypt encrypts is unreadable, and a change of what it has encrypted is none', async () => {
  const encrypted = (text: string) => `\0GITCRYPT\0\ufffd${text}`
  expect(await introduced({ 'i.yaml': covered }, { 'i.yaml': encrypted('a') })).toEqual(['error source/unreadable'])
  // Its bytes are those of chance: here they read as keys of a manifest.
  const [before, after] = [encrypted('? kind\nb'), encrypted('? kind\nc')]
  expect(await introduced({ 'secrets.yaml': before }, { 'secrets.yaml': after })).toEqual([])
})
