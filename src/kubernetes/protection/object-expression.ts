import { environment } from './expression'

/** The work that the expressions of a policy may take: each costs as many steps as its loops have. */
export interface Work {
  left: number
}

export function newWork(): Work {
  return { left: 50_000 }
}

/** Functions that neither grow a value nor take more time than its length. */
const functions: ReadonlySet<string> = new Set(
  'has all exists exists_one map filter size startsWith endsWith contains orValue hasValue in'.split(' '),
)
const loops = /\.(?:all|exists|exists_one|map|filter)\s*\(/g
const mostSteps = 4096
const mostOfVariable = 4096

/** Words of parts of a request that are unknown, or that the cluster and others fill in. */
const unknown =
  /\b(?:oldObject|params|authorizer|namespaceObject|status|resources|imagePullSecrets|priority|priorityClassName|nodeName|ownerReferences|generateName|finalizers|managedFields|pod-template-hash|controller-revision-hash)\b|argoproj|fluxcd|helm|app\.kubernetes\.io\/(?:instance|managed-by)/
const strange: readonly RegExp[] = [
  /\/\/|`/,
  /\w\s+\(/,
  /\bobject\b(?!\.\??\w)/,
  /\bmetadata\b(?!\.\??(?:labels|annotations|namespace)|\.name\b)/,
  /\brequest\b(?!\.(?:operation|namespace|subResource|resource\.|userInfo\.username|userInfo\.groups))/,
  /\bhas\(\s*(?:request|object\.metadata\.name)\b/,
]

/** The value of an expression on an object; undefined where it reads what is not known, fails, or takes too long. */
export function resultOf(expression: string, context: Readonly<Record<string, unknown>>, work: Work): unknown {
  if (expression.length > 4000 || unknown.test(expression) || isStrange(expression)) return undefined
  if ([...expression.matchAll(/\b(\w+)\(/g)].some(([, name]) => !functions.has(name as string))) return undefined
  const depth = expression.match(loops)?.length ?? 0
  if (depth > 1 && expression.includes('+')) return undefined
  const steps = Math.max(16, longestIn(context)) ** depth
  if (steps > mostSteps || work.left < steps) return undefined
  work.left -= steps
  try {
    return environment().evaluate(expression, { ...context })
  } catch {
    // It does not parse, or reads a field that is not there: the answer is then that of failurePolicy.
    return undefined
  }
}

/** Whether it may read any field of an object: by an index that is computed, or all fields at once. */
function isStrange(expression: string): boolean {
  const rest = expression.replace(/\b(?:labels|annotations)\[['"]/g, '').replace(/\bin \[/g, '')
  return strange.some((one) => one.test(expression)) || /[\w)\]]\s*\[\s*[^\d\s]/.test(rest)
}

/** The variables of a policy that are known, each by those before it. */
export function variablesOf(
  named: readonly { readonly name: string; readonly expression: string }[],
  context: Readonly<Record<string, unknown>>,
  work: Work,
): Record<string, unknown> {
  const known = new Map<string, unknown>()
  for (const { name, expression } of named.slice(0, 16)) {
    const value = resultOf(expression, { ...context, variables: Object.fromEntries(known) }, work)
    const isShort = typeof value === 'string' ? value.length <= mostOfVariable : longestIn(value) <= mostSteps
    if (value !== undefined && isShort) known.set(name, value)
  }
  return Object.fromEntries(known)
}

/** The length of the longest list or map in a value. */
function longestIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const items = Object.values(value)
  return items.reduce((most: number, one) => Math.max(most, longestIn(one)), items.length)
}
