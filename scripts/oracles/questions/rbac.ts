import type { Random } from '../../../__tests__/mutation/random'
import { allows, type PolicyRule, permissionsOf } from '../../../src/kubernetes/rbac/rbac'
import { type Oracle, someOf } from './oracle'

const groups = ['', 'apps', 'networking.k8s.io', '*']
const resources = ['', 'pods', 'pods/log', '*/log', 'ingresses', 'ingresses/status', '*', '*/*', 'pods/', '/log']
const names = ['', 'web', 'shop', '*']
const urls = ['', '*', '/', '/*', '/healthz', '/healthz/*', '/healthz/ping', '/health*', '**', '/healthz**', 'healthz']
const verbs = ['', 'get', 'list', 'update', '*']

function ruleOf(random: Random): PolicyRule {
  const onResources = random.chance(0.8)
  const onUrls = random.chance(onResources ? 0.1 : 0.9)
  return {
    ...(onResources && { apiGroups: someOf(random, groups, 3), resources: someOf(random, resources, 3) }),
    // With URLs the API server refuses names.
    ...(!onUrls && random.chance(0.3) && { resourceNames: someOf(random, names, 2) }),
    ...(onUrls && { nonResourceURLs: someOf(random, urls, 3) }),
    verbs: someOf(random, verbs, 3),
  }
}

/** Whether some rules allow all that others do. */
export const rbac: Oracle = {
  name: 'rbac',
  ask(random) {
    const rules = (most: number) => Array.from({ length: random.below(most) }, () => ruleOf(random))
    const question = { owner: rules(5), servant: rules(3) }
    const permissions = (given: readonly PolicyRule[]) => given.flatMap((rule) => permissionsOf(rule))
    const gate = allows(permissions(question.owner), permissions(question.servant))
    return { line: JSON.stringify(question), gate: String(gate) }
  },
  upstream: (line) => line,
}
