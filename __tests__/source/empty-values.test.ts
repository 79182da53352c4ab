import { describe, expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

const helmfile = (values: string) => `releases:
  - name: web
    chart: apps/web
    values: [${values}]
repositories: [{name: apps, url: "https://charts.example.com"}]
`

/** What became of the values file of a release of a chart from elsewhere. */
async function outcome(before: string | undefined, after: string, file = 'values.yaml') {
  const base: Files = { 'helmfile.yaml': helmfile(file), ...(before === undefined ? {} : { [file]: before }) }
  const { findings, inspected } = await change(base, { [file]: after })
  return {
    accounts: (inspected.files ?? []).map(({ path, state, reason }) => `${path} ${state}: ${reason}`),
    findings: findings.filter(({ status }) => status === 'introduced').map(({ rule }) => rule),
    listed: inspected.skipped.map(({ path }) => path).filter((path) => path === file),
  }
}

describe('values of a chart from elsewhere', () => {
  test.each([
    ['no byte', undefined, ''],
    ['comments', undefined, '---\n# host: a.example.com\n\n  # b\n...\n'],
    ['other comments than before', '# a\n', '# b\r\n'],
  ])('that are %s change nothing', async (_, before, after) => {
    expect(await outcome(before, after)).toEqual({
      accounts: ['values.yaml not-kubernetes: it has no values, so it changes nothing'],
      findings: [],
      listed: [],
    })
  })

  test.each([
    ['are all lost', 'host: a\n', '# host: a\n'],
    ['come', '', 'host: a\n'],
    ['are after a line break of YAML in a comment', undefined, '# a\u2028host: a\n'],
    ['are null', undefined, 'null\n'],
    ['may come from a template in a comment', undefined, '# {{ include "values" . }}\n'],
  ])('that %s are not judged', async (_, before, after) => {
    const { accounts, findings, listed } = await outcome(before, after)
    expect(accounts).toEqual([expect.stringMatching(/^values\.yaml not-judged: values of the chart web from/)])
    expect(findings).toEqual(['source/not-judged'])
    expect(listed).toEqual(['values.yaml'])
  })

  test('that only helmfile fills in may be asked for, so an empty file of them is not judged', async () => {
    const { accounts } = await outcome(undefined, '', 'values.yaml.gotmpl')
    expect(accounts).toEqual([expect.stringContaining('values.yaml.gotmpl not-judged: ')])
  })
})
