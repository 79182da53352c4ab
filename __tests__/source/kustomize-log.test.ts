import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'

const map = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: ${data}\n`

/** A variable that is put into a field which cannot hold it: kubectl logs that it was never replaced, and fails. */
const variable = `resources: [map.yaml]
configurations: [fields.yaml]
vars: [{name: COLOR, objref: {apiVersion: v1, kind: ConfigMap, name: web}, fieldref: {fieldpath: metadata.name}}]
`

test('the reason of a failed build is the error of kustomize, without the time of its log', async () => {
  const report = await judgeChange(
    { 'web/kustomization.yaml': 'resources: [map.yaml]\n', 'web/map.yaml': map('{a: plain}') },
    {
      'web/kustomization.yaml': variable,
      'web/fields.yaml': 'varReference: [{path: data/a/b, kind: ConfigMap}]\n',
    },
  )
  const [finding] = report.findings
  expect(finding?.rule).toBe('source/unrendered')
  expect(finding?.text).toMatch(/^Kustomize cannot build it: considering field 'data\/a\/b' of object ConfigMap/)
})
