import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { change, chart, hostsOf, whole } from './probe'
import type { Files } from './repository'

/** A helmfile of an environment that takes values from the machine where helmfile runs. */
const files = (handler: string, base: string): Files => ({
  ...chart,
  'global.yaml': base,
  'values.yaml': 'host: a.x\n',
  'helmfile.yaml': `environments:
  prod:
    values:
      - domain: x
      - "/etc/helmfile-defaults/{{ .Environment.Name }}.yaml"
${handler}---
bases: [global.yaml]
releases:
  - name: web
    namespace: {{ .Values.domain }}
    chart: ./charts/edge
    values: [values.yaml]
`,
})
const settings = 'helmBinary: \'{{ if semverCompare "<=1.31" .Values.version }}helm3{{ else }}helm4{{ end }}\'\n'

test('values of a file outside of the repository are left out where the helmfile expects it to be missing', async () => {
  const own = files('    missingFileHandler: Warn\n', settings)
  expect(await hostsOf(own)).toEqual(['x/web a.x'])
  const report = await change(own, { 'values.yaml': 'host: b.x\n' })
  expect(lines(report)).toContain('introduced error head/values.yaml:1 ingress-tls/host-covered')
  const { inspected } = await whole(own)
  expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
    'helmfile.yaml: its environments are filled in without /etc/helmfile-defaults/prod.yaml, which is not in this repository',
  ])
})

test('an environment that needs such a file is listed, and not filled in', async () => {
  const own = files('', settings)
  expect(await hostsOf(own)).toEqual([])
  const { inspected } = await change(own, { 'values.yaml': 'host: b.x\n' })
  expect(inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['values.yaml not-judged'])
})

test('a base that cannot be filled in, and may declare releases, is listed', async () => {
  const own = files('    missingFileHandler: Warn\n', `${settings}releases: []\n`)
  const { inspected } = await whole(own)
  expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toContain(
    'helmfile.yaml: its parts global.yaml are not filled in, as they need values from elsewhere, secrets or what only helmfile knows, so what they add is not judged',
  )
})
