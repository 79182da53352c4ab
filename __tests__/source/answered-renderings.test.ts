import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { tool } from '../tools'
import { opened } from './in-memory'
import { released, role, url } from './probe'
import { type Files, temporaryFolder, writeFiles } from './repository'

const base: Files = { ...released, 'c/templates/role.yaml': role.replace('system:', 'team:') }

/** How often `helm template` runs for a change. */
async function renderingsOf(before: Files, after: Files): Promise<number> {
  const folder = temporaryFolder()
  const [helm, kept] = [path.join(folder, 'helm'), path.join(folder, 'calls')]
  writeFiles(folder, { helm: `#!/bin/sh\necho "$1" >> '${kept}'\nexec '${tool('helm')}' "$@"\n`, calls: '' })
  chmodSync(helm, 0o755)
  const { findings } = await checkOpened(opened({ ...base, ...before }, after, url), '--helm', helm)
  expect(findings).toEqual([])
  return readFileSync(kept, 'utf8')
    .split('\n')
    .filter((line) => line === 'template').length
}

const other = (text: string): Files => ({ 'c/templates/other.yaml': `${text}\n` })
const map = (text: string) => other(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {text: ${text}}`)

describe('a change renders its release', () => {
  const cases: [what: string, before: string, after: string, expected: number][] = [
    ['once for each side, where its chart asks nothing', 'a', '{{ .Release.Name }}', 2],
    ['once for each side, where a comment or a text speaks of lookup', 'a', '{{/* lookup */}}{{ "now" }} lookup', 2],
    ['with two more answers at the side that asks', 'a', '{{ randAlphaNum 5 }}', 4],
    ['with two more answers at both sides that ask', '{{ now | quote }}', '{{ now | toString | quote }}', 6],
    ['with a new and an old version, where it asks for that', 'a', '{{ .Capabilities.KubeVersion.Version }}', 4],
    [
      'with one more answer, where it asks for an extension',
      'a',
      '{{ .Capabilities.APIVersions.Has "a.example.com/v1" }}',
      3,
    ],
    ['with no more, where it asks for what every cluster has', 'a', '{{ .Capabilities.APIVersions.Has "apps/v1" }}', 2],
  ]
  test.each(cases)('%s', async (_, before, after, expected) => {
    expect(await renderingsOf(map(before), map(after))).toBe(expected)
  })

  test('not at all, where it does not touch it', async () => {
    expect(await renderingsOf(map('{{ randAlphaNum 5 }}'), { 'README.md': 'x\n' })).toBe(0)
  })
})
