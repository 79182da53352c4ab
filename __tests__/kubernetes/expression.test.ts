import { describe, expect, test } from '@jest/globals'
import { evaluated } from '../../src/kubernetes/protection/expression'

const groups = ['system:nodes', 'system:authenticated']
const context = {
  request: { userInfo: { username: 'system:node:a', groups }, namespace: 'kube-system' },
  object: { metadata: { namespace: 'kube-system' } },
}

describe('an expression of an admission policy', () => {
  test.each<[string, unknown]>([
    ['false', false],
    ["'system:nodes' in request.userInfo.groups", true],
    ["request.userInfo.groups.exists(g, g.startsWith('system:'))", true],
    ["object.metadata.namespace != 'kube-system'", false],
    ['request.?dryRun.orValue(false)', false],
  ])('%s has a value', (expression, value) => {
    expect(evaluated(expression, context)).toBe(value)
  })

  test.each([
    ['asks for more of the object', 'object.spec.replicas < 5'],
    ['asks whether the object has more', 'has(object.spec)'],
    ['asks for parameters', 'params.allowed'],
    ['asks for a regular expression', "request.namespace.matches('^(a+)+$')"],
    ['asks for what the request lacks', 'request.name == "a"'],
    ['does not parse', 'request.'],
    ['nests loops', '[1,2].all(a, [1,2].all(b, [1,2].all(c, [1,2].all(d, true))))'],
    ['hides loops behind comments', '[1,2]. // a\n all(a, [1].all(b, [1].all(c, [1]. //\n all(d, true))))'],
    ['has a long list', `size([${'1,'.repeat(40)}1]) == 41`],
    ['is deep', `${'('.repeat(60)}true${')'.repeat(60)}`.replaceAll('(', '!(')],
    ['is long', Array.from({ length: 200 }, () => 'true').join(' && ')],
  ])('%s, so its value is unknown', (_, expression) => {
    expect(evaluated(expression, context)).toBeUndefined()
  })
})
