import { expect, test } from '@jest/globals'
import { errorLinesIn, shortened } from '../../src/render/tools/helm'

/** What helm 4 prints of a template that fails inside of others. */
const chain = (depth: number) =>
  [
    ...Array.from({ length: depth }, (_, i) => [
      `${i === 0 ? 'Error: ' : ''}web/charts/common/templates/part-${i}.tpl:9:6`,
      `  executing "part-${i}" at <include "part-${i + 1}" .>:`,
      '    error calling include:',
    ]).flat(),
    'web/charts/common/templates/service.tpl:19:31',
    '  executing "service" at <$values.ports>:',
    '    wrong type for value; expected map[string]interface {}; got interface {}',
    '',
    'Use --debug flag to render out invalid YAML',
  ].join('\n')

test.each([0, 1, 2, 3, 4, 12])('a message names the template and the cause, %d templates deep', (depth) => {
  const lines = errorLinesIn({ stderr: depth === 0 ? `Error: ${chain(0)}` : chain(depth) })
  const words = shortened(lines.join(' '), '/tmp/run/checkout')
  expect(words).toMatch(
    depth === 0 ? /^web\/charts\/common\/templates\/service\.tpl/ : /^web\/charts\/common\/templates\/part-0\.tpl:9:6 /,
  )
  expect(words).toMatch(
    /<\$values\.ports>: wrong type for value; expected map\[string\]interface {}; got interface {}$/,
  )
  expect(words.length).toBeLessThan(400)
})
