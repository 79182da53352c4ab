import { Environment } from '@marcbachmann/cel-js'

/** Made when the first expression is met, which few runs have. */
let known: Environment | undefined

export function environment(): Environment {
  known ??= new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: { maxAstNodes: 300, maxDepth: 30, maxListElements: 32, maxMapEntries: 16, maxCallArguments: 8 },
  })
  return known
}

/** More than any policy has: each of these iterates over a list. */
const maxLoops = 3

/**
 * The value of an expression of Kubernetes' admission (CEL) for a request; undefined if it depends on unknown fields of
 * the request, or uses a regular expression. Source: https://kubernetes.io/docs/reference/using-api/cel/
 */
export function evaluated(expression: string, context: Readonly<Record<string, unknown>>): unknown {
  const known = expression.replace(/\bobject\.metadata\.\??(?:namespace|name)\b/g, '')
  if (/\b(?:object|oldObject|params|authorizer|matches|find|findAll)\b/.test(known)) return undefined
  const loops = expression.match(/\b(?:all|exists|exists_one|map|filter)\b/g) ?? []
  if (loops.length > maxLoops) return undefined
  try {
    return environment().evaluate(expression, { ...context })
  } catch {
    // It does not parse, or reads a field that the request does not have.
    return undefined
  }
}
