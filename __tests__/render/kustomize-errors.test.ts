import { expect, test } from '@jest/globals'
import { errorOf } from '../../src/render/tools/rendering'

const warning = "# Warning: 'commonLabels' is deprecated.\n"

test.each([
  ['of kustomize', `${warning}2026/11/27 02:48:21 well-defined vars\nError: no such file\n`, 'no such file'],
  ['of kubectl', 'I1127 02:48:21.594343   12 log.go:1] reading\nerror: no such file\n', 'no such file'],
  [
    'of the kubectl of Google Cloud',
    `${warning}E1129 10:10:58.013211   28383 run.go:72] "command failed" err="accumulating resources from 'a.yaml': \\"b\\" is no\\nfile"\n`,
    'accumulating resources from \'a.yaml\': "b" is no\nfile',
  ],
  ['that has no words', 'E1129 10:10:58.013211   28383 run.go:72] restarted\n', ''],
])('an error %s is read without the log', (_, stderr, error) => {
  expect(errorOf(stderr)).toBe(error)
})
