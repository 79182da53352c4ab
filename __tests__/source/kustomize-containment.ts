import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { guard } from '../cli/guard'
import { configMap } from './objects'
import { tool } from './rendered'
import { type Files, temporaryFolder, writeFiles } from './repository'

const secret = 'words-that-only-the-runner-has'
/** A folder of the runner that no build may read. */
export const outer = temporaryFolder()
writeFiles(outer, { 'secret.txt': secret, 'secret.yaml': configMap('stolen', secret), 'bin/ran': '' })
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  response.end(configMap('fetched'))
})
/** The address of a server that must get no request. */
export let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

/** With this in the tree, Kustomizations may include files from outside their folders, as in Flux. */
export const flux = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./honest
  sourceRef: {kind: GitRepository, name: apps}
`

export const honest: Files = {
  'flux.yaml': flux,
  'honest/kustomization.yaml': 'resources: [cm.yaml]\n',
  'honest/cm.yaml': configMap('honest'),
  'shared/cm.yaml': configMap('shared'),
}

/**
 * `k/kustomization.yaml:3 It takes in …`, a line for each finding of reading and rendering; nothing may have been read
 * or fetched.
 */
export async function said(head: Files, base: Files = honest, ...more: readonly string[]): Promise<string[]> {
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  writeFiles(before, base)
  writeFiles(after, { ...base, ...head })
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const words = [
    'check',
    '--format',
    'json',
    '--today',
    '2026-11-21',
    '--base',
    before,
    '--head',
    after,
    ...tools,
    ...more,
  ]
  const { stdout, stderr } = await guard(words)
  expect(`${stdout}${stderr}`).not.toContain(secret)
  expect(requests).toEqual([])
  const { findings } = JSON.parse(stdout)
  return findings
    .filter(({ rule }: { rule: string }) => rule.startsWith('source/'))
    .map(
      ({ location, text }: { location: { path: string; region: { startLine: number } }; text: string }) =>
        `${location.path}:${location.region.startLine} ${text}`,
    )
}

export const twice = (key: string, documented: string) =>
  `Kustomize takes \`${key}\` for the field \`${documented}\`, which is here already; write the field once.`
export const unknown = (key: string) =>
  `Kustomize has no field \`${key}\` here and rejects the file; correct the key or remove it.`
export const elsewhere = (text: string) =>
  `It uses ${text}, which is not in this repository; copy it into this repository and name the copy.`

export type Case = readonly [text: string, line: number, says: string, more?: Files, file?: string]

/** Judges each case in a folder of its own. */
export async function each(cases: readonly Case[]): Promise<void> {
  const files: Record<string, Files[string]> = {}
  const expected: string[] = []
  for (const [index, [text, line, says, more = {}, file = 'kustomization.yaml']] of cases.entries()) {
    const folder = `k${String(index).padStart(2, '0')}`
    files[`${folder}/kustomization.yaml`] = text
    files[`${folder}/cm.yaml`] = configMap('own')
    for (const [name, content] of Object.entries(more)) files[`${folder}/${name}`] = content
    expected.push(`${folder}/${file}:${line} ${says}`)
  }
  expect(await said(files)).toEqual(expected)
}

export const plugin = (kind: string, more: string) => `apiVersion: builtin\nkind: ${kind}\nmetadata: {name: x}\n${more}`
export const asItem = (text: string) =>
  `  - |\n${text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n`
