import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const chart = (repository: string, tag = '{{ .Values.tag }}'): Files => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  repository: ${repository}
  tag: ${tag}
  # It needs a value that only its users have, so it does not render here.
  domain: {{ required "a domain" .Values.domain }}-{{ .Values.cluster.name.short }}
`,
  'web/values.yaml': 'images:\n  kubesphere: {repository: a, tag: b}\n  minio: {repository: c}\n',
})
const right = chart('{{ .Values.images.kubesphere.repository }}')

/** The values that a change of the chart's template reads in another spelling. */
async function misspelt(repository: string, tag?: string, more: Files = {}): Promise<string[]> {
  const { findings } = await judgeChange({ ...right, ...more }, chart(repository, tag))
  return findings
    .filter(({ message, status }) => message === 'value-misspelt' && status === 'introduced')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

const wrong = '{{ .Values.images.kubeshpere.repository }}'

describe('a value that a change reads in another spelling', () => {
  test('is reported once, where the chart does not render for another reason', async () => {
    expect(await misspelt(wrong, '{{ $.Values.images.kubeshpere.tag }}')).toEqual([
      'warning web/templates/config.yaml:5 This line reads a value in images.kubeshpere, which is not in web/values.yaml and no release here sets, so helm fails with a nil pointer and installs nothing of the chart. web/values.yaml has images.kubesphere: write kubesphere if that is meant.',
    ])
  })

  test('is reported where its words are in another order', async () => {
    const [base] = [chart('{{ .Values.images.minio.repository }}')]
    const values = { 'web/values.yaml': 'images:\n  clusterCLISecret: {repository: a}\n  minio: {repository: c}\n' }
    const { findings } = await judgeChange(
      { ...base, ...values },
      {
        'web/templates/config.yaml': chart('{{ .Values.images.clusterSecretCLI.repository }}')[
          'web/templates/config.yaml'
        ] as string,
      },
    )
    expect(findings.filter(({ message }) => message === 'value-misspelt').map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /web\/values\.yaml has images\.clusterCLISecret: write clusterCLISecret if that is meant\.$/,
      ),
    ])
  })

  test('is reported where a named template gets a block as its values', async () => {
    const helper = (key: string, other: string) =>
      `{{ define "web.secret" }}{{ ${other} }}{{ .Values.images.${key}.tag }}{{ end }}`
    const nested = { 'web/values.yaml': 'global:\n  images:\n    kubesphere: {tag: b}\n    minio: {tag: c}\n' }
    const base = { ...right, ...nested, 'web/templates/_helpers.tpl': '' }
    const found = async (other: string) => {
      const { findings } = await judgeChange(base, { 'web/templates/_helpers.tpl': helper('kubeshpere', other) })
      return findings.filter(({ message }) => message === 'value-misspelt').map(({ text }) => text)
    }
    expect(await found('.Values.images.minio.tag')).toEqual([
      expect.stringMatching(/web\/values\.yaml has global\.images\.kubesphere: write kubesphere if that is meant\.$/),
    ])
    // Nothing shows that the block is meant.
    expect(await found('.Values.name')).toEqual([])
  })

  test('is passed over where it is asked for first, or set by another file', async () => {
    expect(await misspelt(`{{ if .Values.images.kubeshpere }}${wrong}{{ end }}`)).toEqual([])
    expect(await misspelt(`{{ if hasKey .Values.images "kubeshpere" }}${wrong}{{ end }}`)).toEqual([])
    const values = 'images:\n  kubeshpere: {repository: x}\n'
    expect(await misspelt(wrong, undefined, { 'values/production.yaml': values })).toEqual([])
  })

  test('is passed over where nothing fails: no map is read, or no key is alike', async () => {
    expect(await misspelt('{{ .Values.images.kubeshpere }}')).toEqual([])
    expect(await misspelt('{{ .Values.images.fluentbit.repository }}')).toEqual([])
  })

  test('is passed over below the name of a dependency, which has values of its own', async () => {
    const dependency =
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n  - {name: images, version: 1.0.0, repository: "https://charts.example.com"}\n'
    const { findings } = await judgeChange(
      { ...right, 'web/Chart.yaml': dependency },
      { 'web/templates/config.yaml': chart(wrong)['web/templates/config.yaml'] as string },
    )
    expect(findings.filter(({ message }) => message === 'value-misspelt')).toEqual([])
  })
})
