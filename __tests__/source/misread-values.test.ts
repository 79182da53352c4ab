import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const certificate = (names: string) => `{{- if .Values.certManager.enabled }}
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web}
spec:
  secretName: web-tls
  dnsNames: {{ ${names} }}
  issuerRef: {name: letsencrypt}
{{- end }}
`
const file = 'web/templates/certificate.yaml'
const chart: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'certManager: {enabled: false, dnsNames: []}\n',
  [file]: certificate('.Values.certManager.dnsNames | toJson'),
}

async function misread(names: string, base: Files = chart): Promise<string[]> {
  const { findings } = await judgeChange(base, { [file]: certificate(names) })
  return findings
    .filter(({ message }) => message === 'misread')
    .map(({ level, status, location, text }) => {
      const { startLine, startColumn } = location.region
      return `${status} ${level} ${location.path}:${startLine}:${startColumn} ${text}`
    })
}

describe('a value that a template reads by a name that is written otherwise', () => {
  test('is a warning where it is read', async () => {
    expect(await misread('.Values.certmanager.dnsNames | toJson')).toEqual([
      `introduced warning ${file}:7:16 This template reads .Values.certmanager.dnsNames, but no values file of the chart web has certmanager: they have certManager. So the value is empty, or helm fails. Write .Values.certManager.dnsNames.`,
    ])
    expect(await misread('$.Values.certManager.dns_names | toJson')).toEqual([
      `introduced warning ${file}:7:16 This template reads .Values.certManager.dns_names, but no values file of the chart web has certManager.dns_names: they have certManager.dnsNames. So the value is empty, or helm fails. Write .Values.certManager.dnsNames.`,
    ])
  })

  const deeper = 'certManager: {enabled: false, automation: {dnsNames: [], secret: a}}\n'
  const moved: Files = { ...chart, 'web/values.yaml': deeper, [file]: certificate('list') }

  test('is a warning where the block has the key deeper, or with its words in another order', async () => {
    expect(await misread('.Values.certManager.dnsNames | toJson', moved)).toEqual([
      `introduced warning ${file}:7:16 This template reads .Values.certManager.dnsNames, but no values file of the chart web has certManager.dnsNames: they have certManager.automation.dnsNames. So the value is empty, or helm fails. Write .Values.certManager.automation.dnsNames.`,
    ])
    const values = { 'web/values.yaml': 'certManager: {enabled: false, namesDns: []}\n' }
    expect(await misread('.Values.certManager.dnsNames | toJson', { ...moved, ...values })).toEqual([
      expect.stringMatching(/they have certManager\.namesDns\./),
    ])
  })

  test('is a warning where a block around it is written whole', async () => {
    const nested = { 'web/values.yaml': 'certManager: {enabled: false, tls: {automation: {dnsNames: []}}}\n' }
    const config = (block: string): Files => ({
      'web/templates/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {all: {{ toYaml .Values.${block} | quote }}}\n`,
    })
    const written = (block: string) => ({ ...moved, ...nested, ...config(block) })
    expect(await misread('.Values.certManager.tls.dnsNames | toJson', written('certManager'))).toHaveLength(1)
    expect(await misread('.Values.certManager.tls.dnsNames | toJson', written('certManager.tls'))).toEqual([])
  })

  const reader = (text: string): Files => ({ ...moved, 'web/templates/_other.tpl': text })
  test.each<[what: string, names: string, base: Files]>([
    ['has a default', '.Values.certManager.dnsNames | default list | toJson', moved],
    ['is asked for', 'if .Values.certManager.dnsNames }}{{ .Values.certManager.dnsNames | toJson }}{{ end', moved],
    [
      'is not the one that others read',
      '.Values.certManager.dnsNames | toJson',
      reader('{{ define "a" }}{{ .Values.certManager.automation.dnsNames }}{{ end }}'),
    ],
    [
      'may be read of a block',
      '.Values.certManager.dnsNames | toJson',
      reader('{{ define "a" }}{{ with .Values.certManager }}{{ .automation.dnsNames }}{{ end }}{{ end }}'),
    ],
    [
      'is in two places',
      '.Values.certManager.dnsNames | toJson',
      { ...moved, 'web/values.yaml': 'certManager: {a: {dnsNames: []}, b: {dnsNames: []}}\n' },
    ],
    ['is at the root', '.Values.dnsNames | toJson', moved],
  ])('is none where one deeper in the block %s', async (_, names, base) => {
    expect(await misread(names, base)).toEqual([])
  })

  const wrong = '.Values.certmanager.dnsNames | toJson'
  test.each<[what: string, names: string, base: Files]>([
    ['was read before', wrong, { ...chart, [file]: `# As before.\n${certificate(wrong)}` }],
    ['is there, too', wrong, { ...chart, 'web/values.yaml': 'certManager: {}\ncertmanager: {dnsNames: []}\n' }],
    [
      'takes the place of the other',
      '.Values.certManager.dnsNames | default .Values.certmanager.dnsNames | toJson',
      chart,
    ],
    ['is like none', '.Values.issuer.dnsNames | toJson', chart],
  ])('is none where it %s', async (_, names, base) => {
    expect(await misread(names, base)).toEqual([])
  })
})
