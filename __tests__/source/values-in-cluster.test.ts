import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { base, kustomization, release } from './flux-objects'
import { change } from './probe'

async function judged(reference: string, values: { readonly base: string; readonly head: string }) {
  const written = (value: string) => release(`valuesFrom: [${reference}]\nvalues:\n  ${value}`)
  const report = await change(
    { ...base, 'flux/apps.yaml': kustomization('apps', './flux'), 'flux/release.yaml': written(values.base) },
    { 'flux/release.yaml': written(values.head) },
  )
  return { lines: lines(report), skipped: report.inspected.skipped.map(({ reason }) => reason) }
}

const hosts = { base: 'host: covered.example.com', head: 'host: open.example.com' }

test('a release is rendered with a placeholder for a single value of a Secret in the cluster', async () => {
  expect(await judged('{kind: Secret, name: oauth, valuesKey: id, targetPath: auth.client}', hosts)).toEqual({
    lines: ['introduced error head/flux/release.yaml:13 ingress-tls/host-covered'],
    skipped: [
      'HelmRelease shop/web: it is rendered with placeholders for values that are not in this repository: auth.client from Secret oauth',
    ],
  })
})

test('a placeholder for a host is not compared with those of the certificate', async () => {
  const others = { base: 'replicas: 1', head: 'replicas: 2' }
  const { lines } = await judged('{kind: Secret, name: oauth, valuesKey: host, targetPath: host}', others)
  expect(lines).toEqual([])
})

test('values of unknown keys have no placeholders', async () => {
  const { lines, skipped } = await judged('{kind: Secret, name: oauth}', hosts)
  expect(lines).toEqual([expect.stringContaining('source/not-judged')])
  expect(skipped).toEqual([expect.stringContaining('its values from Secret oauth are not in this repository')])
})
