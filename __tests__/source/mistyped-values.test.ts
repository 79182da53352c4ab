import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const pods = (condition: string) => `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:1.0.0
          ports:
            - containerPort: 8080
              {{- if ${condition} }}
              hostPort: 80
              {{- end }}
`
const right = '.Values.daemonset.useHostPort'
const wrong = '.Values.daemonset.useHostPorts'
const chart: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'daemonset:\n  useHostPort: true\n',
  'web/templates/pods.yaml': pods(right),
}

/** The values that a change of the workload reads by another name than its chart has. */
async function mistyped(condition: string, more: Files = {}): Promise<string[]> {
  const { findings } = await judgeChange({ ...chart, ...more }, { 'web/templates/pods.yaml': pods(condition) })
  return findings
    .filter(({ message }) => message === 'value-mistyped')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

test('a value that a change reads by nearly the name of one that nothing reads is a warning', async () => {
  expect(await mistyped(wrong)).toEqual([
    'warning web/templates/pods.yaml:14 This line reads the value daemonset.useHostPorts, which nothing here sets, so it is always empty, while no template reads daemonset.useHostPort of web/values.yaml, so that has no effect. Write daemonset.useHostPort here, or rename it in web/values.yaml.',
  ])
})

test('one that is set or documented elsewhere is passed over', async () => {
  expect(await mistyped(wrong, { 'prod.yaml': 'daemonset: {useHostPorts: true}\n' })).toEqual([])
  expect(await mistyped(wrong, { 'web/README.md': 'Set `useHostPorts` for ports of the nodes.\n' })).toEqual([])
  expect(await mistyped(wrong, { 'web/values.yaml': 'daemonset: {useHostPort: 1, useHostPorts: 2}\n' })).toEqual([])
})

test('and one beside which the other value is read, too', async () => {
  expect(await mistyped(`or ${wrong} ${right}`)).toEqual([])
  const config = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {all: {{ toYaml .Values.daemonset | quote }}}\n`
  expect(await mistyped(wrong, { 'web/templates/config.yaml': config })).toEqual([])
})

test('a value of another name, or at the root, is passed over', async () => {
  expect(await mistyped('.Values.daemonset.ports')).toEqual([])
  expect(await mistyped('.Values.daemonsets')).toEqual([])
})
