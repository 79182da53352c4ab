import { describe, expect, test } from '@jest/globals'
import { released as base, change } from './probe'
import { refusing } from './refusing-charts'
import { places } from './rendered'

describe('a template that fails with an answer hides no other question', () => {
  test.each(refusing.slice(0, 1))('%s', async (_, files) => {
    const found = places(await change(base, files))
    expect(found).toContainEqual(expect.stringMatching(/role\.yaml:\d+ \w+ protected-rbac\/object-kept$/))
  })

  test('and it is an error, where the answer to it alone is refused', async () => {
    const fails = '{{ if lookup "v1" "Secret" "x" "y" }}{{ fail "no" }}{{ end }}\n'
    const report = await change(base, { 'c/templates/a.yaml': fails })
    expect(places(report)).toEqual(['head/c/templates/a.yaml:1 exact source/unrendered'])
    expect(report.findings[0]?.text).toMatch(
      /^After this change, helm cannot render release shop\/web of c where lookup finds objects: .* Helm reports: execution error at \(c\/templates\/a\.yaml:1:\d+\): no\. Fix that, or write the templates /,
    )
  })
})

test('an object that no API server takes is an error, with what helm says of it', async () => {
  const asks = '{{ if lookup "v1" "Secret" "x" "y" }}{{ end }}'
  const label = (value: string) =>
    `${asks}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: {backup: ${value}}}\n`
  const at = 'c/templates/config.yaml'
  const report = await change({ ...base, [at]: label('"yes"') }, { [at]: label('yes') })
  expect(places(report)).toEqual([`head/${at}:4 exact source/unrendered`])
  expect(report.findings[0]?.text).toMatch(
    /^After this change, helm prints release shop\/web of c, but can neither install nor upgrade it in any cluster that was tried: its deployment fails\. Helm reports: .*labels.*\. Make it render for a cluster/,
  )
})

test('objects that helm looks for before it installs them are no questions of a chart that refuses an upgrade', async () => {
  const password = '(lookup "v1" "Secret" .Release.Namespace "password")'
  const many =
    '{{ range until 30 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: "c{{ . }}", namespace: shop}\n{{ end }}\n'
  const report = await change(
    { ...base, 'c/templates/many.yaml': many },
    {
      'c/templates/check.yaml': `{{ if and .Release.IsUpgrade (not ${password}) }}{{ fail "no password" }}{{ end }}\n`,
    },
  )
  expect(places(report)).toEqual([])
  expect(report.inspected.skipped).toEqual([])
})

test('an object of the release that a chart looks for once is a question', async () => {
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n'
  const hidden = 'printf "{{ if loo%s \\"v1\\" \\"ConfigMap\\" \\"shop\\" \\"settings\\" }}yes{{ end }}" "kup"'
  const report = await change(
    { ...base, 'c/templates/config.yaml': config },
    { 'c/templates/role.yaml': `{{ if eq (tpl (${hidden}) .) "" }}\n${base['c/templates/role.yaml']}{{ end }}\n` },
  )
  expect(places(report)).toEqual(['head/c/templates/role.yaml:1 template protected-rbac/object-kept'])
})
