import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Limits } from '../../src/render/tools/tool'
import { checkWithin } from '../cli/guard'
import { tool } from '../tools'
import { role } from './objects'
import { type Files, temporaryFolder, writeFiles } from './repository'

export const helms = ['helm', 'helm3'].map(tool)
export const [helm = 'helm'] = helms
export const kubectl = tool('kubectl')

/** Small enough for tests, and more than any honest rendering here takes. */
export const small: Limits = { seconds: 600, outputMiB: 4, memoryMiB: 2048, objects: 500 }

export function chart(name: string, more = ''): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`
}

/** A hostile file of the repository, next to a valid release. */
export const honest: Files = {
  'app/Chart.yaml': chart('app'),
  'app/values.yaml': 'a: 1\n',
  'app/templates/web.yaml': role('web'),
}

export const web = { chart: 'app', release: 'web', namespace: 'shop' }

/** A config with a release on each line from the second on. */
export function config(...releases: readonly object[]): Files {
  const lines = releases.map((release) => JSON.stringify(release)).join(',\n')
  return { '.github/ingress-guard.yaml': `{"format": 1, "helm": [\n${lines}\n]}\n` }
}

export interface Case {
  readonly base?: Files
  readonly releases?: readonly object[]
  readonly limits?: Limits
  readonly helm?: string
}

/** The findings of the gate for a change, a line each; by default of a release that the base declares. */
export async function judged(
  head: Files,
  { base = config(web), releases, limits = small, helm: program = helm }: Case = {},
) {
  const [before, after] = [temporaryFolder(), temporaryFolder()]
  writeFiles(before, { ...honest, ...base })
  writeFiles(after, { ...honest, ...base, ...head, ...(releases ? config(...releases) : {}) })
  return judgedFolders(before, after, program, limits)
}

export async function judgedFolders(
  base: string,
  head: string,
  program = helm,
  limits = small,
  ...more: readonly string[]
) {
  const report = await checkWithin(
    limits,
    ...['--base', base, '--head', head, '--helm', program, '--kustomize', kubectl, ...more],
  )
  const said = report.findings
    .filter(({ rule }) => rule.startsWith('source/'))
    .map(
      ({ status, location, text }) =>
        `${status} ${location.side}/${location.path}:${location.region.startLine} ${text}`,
    )
  return { status: report.status, said, report }
}

/** A program that replaces helm. */
export function fake(script: string): string {
  const file = path.join(temporaryFolder(), 'helm')
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/** A tar archive; names are written as they are. */
export function tar(entries: Readonly<Record<string, string | Buffer | { readonly link: string }>>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, content]) => {
    const link = typeof content === 'object' && 'link' in content ? content.link : ''
    const body = Buffer.from(link ? '' : (content as string))
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(link ? '2' : '0', 156)
    header.write(link, 157)
    header.write('ustar\x0000', 257, 'latin1')
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
