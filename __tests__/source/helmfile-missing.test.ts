import { expect, test } from '@jest/globals'
import { change, whole } from './probe'
import type { Files } from './repository'

const release = (values: string, more = '') =>
  `releases:\n  - name: web\n    chart: acme/web\n${more}    values:\n      - ${values}\n`

/** What is said of the files that are not there. */
async function missing(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change({ 'config/other.yaml': 'a: 1\n', ...base }, head)
  return findings
    .filter(({ message }) => message === 'file-missing')
    .map(
      ({ status, level, location, text }) => `${status} ${level} ${location.path}:${location.region.startLine} ${text}`,
    )
}

const failing = (place: string, words: string) => [expect.stringMatching(`^introduced error ${place} .*${words}`)]
const helmfile = 'infra/helmfile.yaml'
const template = (values: string, more = '') => release(values, `    installed: {{ .Values.web }}\n${more}`)

test.each<[what: string, base: Files, head: Files, place: string, words: string]>([
  ['of a new release', {}, { [helmfile]: release('../config/web.yaml') }, `${helmfile}:5`, 'config/web.yaml'],
  ['from the root', {}, { [helmfile]: release('config/other.yaml') }, `${helmfile}:5`, 'infra/config/other.yaml'],
  [
    'that this change removes',
    { [helmfile]: release('web.yaml'), 'infra/web.yaml': 'a: 1\n' },
    { 'infra/web.yaml': null },
    `${helmfile}:5`,
    'this change removes the file',
  ],
  ['of a glob', {}, { [helmfile]: release('../config/web-*.yaml') }, `${helmfile}:5`, 'config/web-'],
  ['of a template', {}, { [helmfile]: template('../config/web.yaml') }, `${helmfile}:6`, 'config/web.yaml'],
  ['that is one itself', {}, { [helmfile]: release('web.yaml.gotmpl') }, `${helmfile}:5`, 'web.yaml.gotmpl'],
  [
    'of `set`',
    {},
    { [helmfile]: release('../config/other.yaml', '    set: [{name: a, file: a.txt}]\n') },
    `${helmfile}:4`,
    'infra/a.txt',
  ],
  [
    'where the release states the default',
    {},
    { [helmfile]: `missingFileHandler: Warn\n${release('a.yaml', '    missingFileHandler: Error\n')}` },
    `${helmfile}:7`,
    'infra/a.yaml',
  ],
  [
    'of an environment that has one',
    {},
    {
      [helmfile]: `environments:\n  prod:\n    values: [{tier: a}]\n---\n${template('../config/web.yaml')}`,
    },
    `${helmfile}:10`,
    'config/web.yaml',
  ],
])('a values file %s makes helmfile fail', async (_, base, head, place, words) => {
  expect(await missing(base, head)).toEqual(failing(place, words))
})

test.each<[what: string, base: Files, head: Files]>([
  ['that is there', {}, { [helmfile]: release('../config/other.yaml') }],
  ['that a glob matches', {}, { [helmfile]: release('../config/*.yaml') }],
  ['that it passes over', {}, { [helmfile]: `missingFileHandler: Warn\n${release('web.yaml')}` }],
  ['that the release passes over', {}, { [helmfile]: release('a.yaml', '    missingFileHandler: Debug\n') }],
  ['with a variable', {}, { [helmfile]: release("'{{ .Environment.Name }}.yaml'") }],
  [
    'in a block of a template',
    {},
    { [helmfile]: template('a.yaml\n      {{- if .Values.b }}\n      - b.yaml\n      {{- end }}'), 'infra/a.yaml': '' },
  ],
  ['from elsewhere', {}, { [helmfile]: release('https://example.com/values.yaml') }],
  ['out of the repository', {}, { [helmfile]: release('../../values.yaml') }],
  ['that Git ignores', {}, { [helmfile]: release('local.yaml'), '.gitignore': 'local.yaml\n' }],
  ['of secrets', {}, { [helmfile]: `${release('../config/other.yaml')}    secrets: [secrets.yaml]\n` }],
  ['of a release that is not installed', {}, { [helmfile]: release('web.yaml', '    installed: false\n') }],
  [
    'of a template that a release inherits',
    {},
    {
      [helmfile]: `templates:\n  all: &all\n    missingFileHandler: Warn\n${release('web.yaml', '    <<: *all\n')}`,
    },
  ],
])('a values file %s is no finding', async (_, base, head) => {
  expect(await missing(base, head)).toEqual([])
})

test('a file that was not there before is known', async () => {
  const head = { [helmfile]: `# edited\n${release('web.yaml')}` }
  expect(await missing({ [helmfile]: release('web.yaml') }, head)).toEqual([
    expect.stringMatching(`^existing error ${helmfile}:6 `),
  ])
  const { findings } = await whole(head)
  expect(findings.map(({ message, status }) => [message, status])).toContainEqual(['file-missing', 'existing'])
})
