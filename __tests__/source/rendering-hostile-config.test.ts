import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { config, judged, web } from './hostile'
import { role } from './objects'
import { temporaryFolder } from './repository'

describe('a source that a config declares', () => {
  test('reaches helm as names and files, never as options, URLs or places outside', async () => {
    const long = 'x'.repeat(300_000)
    const { status, said } = await judged(
      { 'v.yaml': { link: '/etc/passwd' }, 'up.yaml': { link: '../up.yaml' } },
      {
        base: {},
        releases: [
          { ...web, release: '--post-renderer' },
          { ...web, release: 'a\nb' },
          { ...web, release: 'a\0b' },
          { ...web, release: '../web' },
          { ...web, release: 'oci', chart: 'oci://charts.example/app' },
          { ...web, release: 'https', chart: 'https://charts.example/app.tgz' },
          { ...web, release: 'absolute', chart: '/etc' },
          { ...web, release: 'above', chart: '../app' },
          { ...web, release: 'around', chart: 'x/../app' },
          { ...web, release: 'dash', chart: '--help' },
          { ...web, release: 'v1', values: ['https://values.example/v.yaml'] },
          { ...web, release: 'v2', values: ['/etc/passwd'] },
          { ...web, release: 'v3', values: ['app/../../v.yaml'] },
          { ...web, release: 'v4', values: ['v.yaml'] },
          { ...web, release: 'v5', values: ['--help'] },
          { ...web, release: 's1', set: { 'a,b': 1 } },
          { ...web, release: 's2', set: { 'a[100000000]': 1 } },
          { ...web, release: 's3', set: { a: long } },
          { ...web, release: 'k1', kubeVersion: '--help' },
          { ...web, release: 'k2', apiVersions: ['a"b'] },
        ],
      },
    )
    const place = (line: number) => `introduced head/.github/ingress-guard.yaml:${line} `
    const regex =
      'invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53. Fix this error.'
    const refused = 'Helm cannot render it: release name check failed: release name'
    expect(said).toEqual([
      `${place(2)}${refused} "--post-renderer": ${regex}`,
      `${place(3)}${refused} "a\\nb": ${regex}`,
      `${place(4)}Helm cannot render it: its arguments contain a NUL character. Fix this error.`,
      `${place(5)}${refused} "../web": ${regex}`,
      `${place(6)}There is no chart oci://charts.example/app in this repository.`,
      `${place(7)}There is no chart https://charts.example/app.tgz in this repository.`,
      `${place(8)}There is no chart /etc in this repository.`,
      `${place(9)}There is no chart ../app in this repository.`,
      `${place(10)}There is no chart x/../app in this repository.`,
      `${place(11)}There is no chart --help in this repository.`,
      `${place(12)}There is no values file https://values.example/v.yaml in this repository.`,
      `${place(13)}There is no values file /etc/passwd in this repository.`,
      `${place(14)}There is no values file app/../../v.yaml in this repository.`,
      `${place(15)}There is no values file v.yaml in this repository.`,
      `${place(16)}There is no values file --help in this repository.`,
      `${place(17)}Helm cannot render it: failed parsing --set-json data a,b=1. Fix this error.`,
      `${place(18)}Helm cannot render it: failed parsing --set-json data a[100000000]=1. Fix this error.`,
      `${place(19)}Helm cannot render it: its arguments are too long for a command line. Fix this error.`,
      `${place(20)}Helm cannot render it: invalid kube version '--help': could not parse "--help" as version. Fix this error.`,
      `${place(21)}Helm cannot render it: invalid argument "a\\"b" for "-a, --api-versions" flag: parse error on line 1, column 2: bare " in non-quoted-field. Fix this error.`,
    ])
    expect(status).toBe(1)
  })

  test('a comma in the name of a values file does not make two of it', async () => {
    const outside = path.join(temporaryFolder(), 'v.yaml')
    writeFileSync(outside, 'name: outside\n')
    const template = role('{{ .Values.name }}')
    const { said, report } = await judged(
      { a: 'x: 1\n', [`a,${outside}`]: 'name: web\n', 'app/templates/web.yaml': template },
      { base: config({ ...web, values: ['app/values.yaml'] }), releases: [{ ...web, values: [`a,${outside}`] }] },
    )
    expect(said).toEqual([])
    expect(report.inspected.changes).toMatchObject({ added: 0 })
  })

  test('strange but honest namespaces and keys are taken as they are', async () => {
    const releases = [
      { ...web, namespace: '--kubeconfig' },
      { ...web, release: 'two', set: { '--help': 1, 'a b': '{x,y}' } },
    ]
    const { said, status } = await judged({}, { base: {}, releases })
    expect([...said, status]).toEqual([0])
  })
})
