import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { initFiles, workflowPath } from '../src/cli/init-files'
import { repositoryIn } from '../src/host/package'
import { guard } from './cli/guard'
import { root } from './harness'
import { ingress } from './source/objects'
import { TestRepository } from './source/repository'

const readme = readFileSync(path.join(root, 'README.md'), 'utf8')

test('its workflow is the one that init writes', () => {
  const platform = { charts: [], kustomizations: [], idleCharts: [], deployers: [], clusters: [] }
  const written = initFiles({ files: [], releases: [], platform }, repositoryIn(root)).get(workflowPath) ?? ''
  const [first = '', ...rest] = written.split('\n')
  expect(first).toMatch(/^# https:/)
  expect(readme).toContain(`\n\`\`\`yaml\n${rest.join('\n')}\`\`\`\n`)
})

test('its commands for a repository run as written', async () => {
  const commands = [...readme.matchAll(/^node ~\/ingress-guard\/dist\/cli\.cjs (.*)$/gm)].map(([, words = '']) => words)
  expect(commands).toEqual(['init', 'check --base origin/main'])
  const origin = new TestRepository()
  origin.commit({ 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) })
  const clone = origin.clone()
  for (const command of [...commands, 'check --all', 'coverage', 'rules', 'explain host-covered']) {
    const [name = '', ...words] = command.split(' ')
    const where = ['init', 'check', 'coverage'].includes(name) ? ['--repo', clone] : []
    expect([command, (await guard([name, ...where, ...words])).status]).toEqual([command, 0])
  }
})

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

test.each(pages)('%s links to files and headings that exist', (page) => {
  const links = [...readFileSync(path.join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^()\s]*)\)/g)]
  const broken = links.flatMap(([, link = '']) => {
    const [file = '', heading] = link.split('#')
    const target = file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file)
    if (!existsSync(target)) return [link]
    if (heading === undefined || !target.endsWith('.md')) return []
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, words = '']) => slugOf(words))
    return headings.includes(heading) ? [] : [link]
  })
  expect(broken).toEqual([])
})

/** The anchor that GitHub gives to a heading. */
function slugOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
