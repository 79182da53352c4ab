import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const role = (condition: string) => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: web}
rules:
  {{- if ${condition} }}
  - {apiGroups: [extensions.example.com], resources: [records], verbs: [list]}
  {{- end }}
  - {apiGroups: [""], resources: [services], verbs: [list]}
`
const chart: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'web:\n  # useRecords: true\n',
  'web/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  records: {{ .Values.web.useRecords | default false | quote }}
`,
  'web/templates/role.yaml': role('.Values.web.useRecords'),
}

/** The values that a change of the role reads in other letters. */
async function cased(condition: string, more: Files = {}): Promise<string[]> {
  const { findings } = await judgeChange({ ...chart, ...more }, { 'web/templates/role.yaml': role(condition) })
  return findings
    .filter(({ message }) => message === 'value-cased')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

test('a value that a change reads in other letters than the rest of the chart is a warning', async () => {
  expect(await cased('.Values.web.userecords')).toEqual([
    'warning web/templates/role.yaml:5 This line reads the value web.userecords, and web/templates/config.yaml reads web.useRecords: the names of values are case-sensitive, and nothing here sets web.userecords, so it is always empty. Write web.useRecords, or set web.userecords.',
  ])
})

test('a value that is set, documented or read beside the other one is passed over', async () => {
  const condition = '.Values.web.userecords'
  expect(await cased(condition, { 'web/values.yaml': 'web: {userecords: true}\n' })).toEqual([])
  expect(await cased(condition, { 'prod.yaml': 'web: {userecords: true}\n' })).toEqual([])
  expect(await cased(condition, { 'web/README.md': 'Set `userecords` to list records.\n' })).toEqual([])
  expect(await cased('or .Values.web.useRecords .Values.web.userecords')).toEqual([])
  expect(await cased('.Values.web.useRecords')).toEqual([])
})
