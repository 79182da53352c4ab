import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { tool } from '../tools'
import { opened } from './in-memory'
import { released, role, url } from './probe'
import { type Files, temporaryFolder, writeFiles } from './repository'

const base: Files = { ...released, 'c/templates/role.yaml': role.replace('system:', 'team:') }

/** The number of times that helm renders for a change: without a cluster, and for a cluster that is served to it. */
async function renderingsOf(before: Files, after: Files): Promise<[alone: number, served: number]> {
  const folder = temporaryFolder()
  const [helm, kept] = [path.join(folder, 'helm'), path.join(folder, 'calls')]
  writeFiles(folder, { helm: `#!/bin/sh\necho "$1" >> '${kept}'\nexec '${tool('helm')}' "$@"\n`, calls: '' })
  chmodSync(helm, 0o755)
  const { findings } = await checkOpened(opened({ ...base, ...before }, after, url), '--helm', helm)
  expect(findings).toEqual([])
  const lines = readFileSync(kept, 'utf8').split('\n')
  const count = (word: string) => lines.filter((line) => line === word).length
  return [count('template'), count('upgrade') + count('install')]
}

const other = (text: string): Files => ({ 'c/templates/other.yaml': `${text}\n` })
const map = (text: string) => other(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {text: '${text}'}`)

describe('a change renders its release', () => {
  const cases: [what: string, before: string, after: string, expected: [alone: number, served: number]][] = [
    ['once for each side, where its chart asks nothing', 'a', '{{ .Release.Name }}', [2, 0]],
    ['for two clusters, where a comment or a text speaks of lookup', 'a', '{{/* lookup */}}{{ "now" }} lookup', [2, 2]],
    ['with two more answers at the side that asks', 'a', '{{ randAlphaNum 5 }}', [4, 0]],
    ['with two more answers at both sides that ask', '{{ now | quote }}', '{{ now | toString | quote }}', [6, 0]],
    ['for versions and their endings, where it asks for that', 'a', '{{ .Capabilities.KubeVersion.Version }}', [8, 3]],
    [
      'for clusters with and without an extension, where it asks for one',
      'a',
      '{{ .Capabilities.APIVersions.Has "a.example.com/v1" }}',
      [5, 5],
    ],
    [
      'for clusters with more and fewer APIs, where it asks for what every cluster has',
      'a',
      '{{ .Capabilities.APIVersions.Has "apps/v1" }}',
      [3, 4],
    ],
  ]
  test.each(cases)('%s', async (_, before, after, expected) => {
    expect(await renderingsOf(map(before), map(after))).toEqual(expected)
  })

  test('not at all, where it does not touch it', async () => {
    expect(await renderingsOf(map('{{ randAlphaNum 5 }}'), { 'README.md': 'x\n' })).toEqual([0, 0])
  })
})
