import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const ingress = (annotations: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  annotations: {{ toYaml ${annotations} | nindent 4 }}
spec:
  rules: []
{{ include "common.labels" . }}
`
const file = 'web/templates/ingress.yaml'
const chart: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'ingress: {annotations: {}}\nservice: {annotations: {}}\n',
  [file]: ingress('.Values.ingress.annotations'),
}

async function abandoned(head: Record<string, string | null>, base: Files = chart): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ message }) => message === 'abandoned')
    .map(({ level, status, location: { path, side, region }, text }) => {
      return `${status} ${level} ${side} ${path}:${region.startLine}:${region.startColumn} ${text}`
    })
}

test('a value that the last line stops to read, and that the values keep, is a warning', async () => {
  expect(await abandoned({ [file]: ingress('.Values.service.annotations') })).toEqual([
    `introduced warning base ${file}:5:26 This change removes the last line that uses the value ingress.annotations, and web/values.yaml still has it, so what is set there has no effect any more. Use it again, or remove it from the values.`,
  ])
})

test('so is one that is only tested any more', async () => {
  const edited = ingress('.Values.service.annotations')
  expect(await abandoned({ [file]: `${edited}# {{ if .Values.ingress.annotations }}x{{ end }}\n` })).toEqual([
    expect.stringMatching(
      /^introduced warning base .*:5:26 This change removes the last line that uses the value ingress\.annotations/,
    ),
  ])
})

test('is none where another line reads it, or the block that it is in', async () => {
  const edited = ingress('.Values.service.annotations')
  expect(await abandoned({ [file]: `${edited}# {{ .Values.ingress.annotations }}\n` })).toEqual([])
  expect(await abandoned({ [file]: `${edited}{{ with .Values.ingress }}# {{ .annotations }}{{ end }}\n` })).toEqual([])
  expect(await abandoned({ [file]: `${edited}{{ toYaml .Values }}\n` })).toEqual([])
})

test('is none where the values lose it, or the template goes as a whole', async () => {
  const edited = { [file]: ingress('.Values.service.annotations') }
  expect(await abandoned({ ...edited, 'web/values.yaml': 'service: {annotations: {}}\n' })).toEqual([])
  expect(await abandoned({ [file]: null })).toEqual([])
})
