import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const values = 'web/values.yaml'
const before = 'dns:\n  args: []\n'
const chart: Files = {
  'web/Chart.yaml':
    'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: names, alias: dns, version: 1.0.0}]\n',
  [values]: before,
  'web/charts/names/Chart.yaml': 'apiVersion: v2\nname: names\nversion: 1.0.0\n',
  'web/charts/names/values.yaml': 'args: []\nzone: example.com\n',
  'web/charts/names/templates/settings.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: names}\ndata: {args: {{ .Values.args | toJson | quote }}}\n',
  'web/templates/settings.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {host: "web.{{ .Values.domain }}.{{ .Values.zone }}"}\n',
}

/** The chart without its dependency, and with a value that most charts have. */
const elsewhere: Files = {
  ...Object.fromEntries(Object.entries(chart).filter(([file]) => !file.startsWith('web/charts/'))),
  'web/templates/other.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {user: "{{ .Values.securityContext.runAsUser }}"}\n',
  [values]: `${before}securityContext: {runAsUser: 1}\n`,
}

async function outOfScope(text: string, base: Files = chart): Promise<string[]> {
  const { findings } = await judgeChange(base, { [values]: text })
  return findings
    .filter(({ message }) => message === 'out-of-scope')
    .map(({ level, status, location, text: said }) => {
      const { startLine, startColumn } = location.region
      return `${status} ${level} ${location.path}:${startLine}:${startColumn} ${said}`
    })
}

describe('a value of a dependency that reads one of the chart around it', () => {
  const wrong = 'dns:\n  args:\n    - --filter=home.{{ .Values.domain }}\n'

  test('is a warning where it is written', async () => {
    expect(await outOfScope(wrong)).toEqual([
      `introduced warning ${values}:3:7 This value of dns reads .Values.domain of the chart web. Helm takes it as text, and where a template of names fills it in, it sees the values below dns and global alone, where nothing here sets domain. Write the value itself, or have names read it below global.`,
    ])
    const { 'web/charts/names/values.yaml': _, ...without } = chart
    expect(await outOfScope(wrong, without)).toHaveLength(1)
  })

  test('is a warning with a doubt where the dependency is not here', async () => {
    expect(await outOfScope(wrong, elsewhere)).toEqual([
      expect.stringContaining(
        'where nothing here sets domain, unless names, which was not seen, has it by default. Write',
      ),
    ])
  })

  test.each<[what: string, text: string, base: Files]>([
    ['may be a default of a dependency that is not here', wrong.replace('domain', 'securityContext'), elsewhere],
    ['was there before', `# As before.\n${wrong}`, { ...chart, [values]: wrong }],
    ['is one of the dependency', wrong.replace('domain', 'zone'), chart],
    ['is set for the dependency', `${wrong}  domain: example.com\n`, chart],
    ['is one of all charts', `${wrong.replace('domain', 'global.domain')}global: {domain: example.com}\n`, chart],
    ['is unknown to the chart', wrong.replace('domain', 'region'), chart],
    ['is no value of a dependency', wrong.replace('dns:', 'other:'), chart],
  ])('is none where it %s', async (_, text, base) => {
    expect(await outOfScope(text, base)).toEqual([])
  })
})
