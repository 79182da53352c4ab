import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { root } from '../harness'

/** A request as GitHub sees it: the path without what leads to the API, and the query. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** A request that GitHub's description of its API knows. */
export interface KnownRequest {
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

/** The output of scripts/github-api.ts. */
interface Api {
  readonly operations: readonly {
    readonly id: string
    readonly method: string
    readonly path: string
    readonly parameters: readonly Parameter[]
    readonly body: Schema | null
    readonly answer: Schema
    readonly status: number
  }[]
  readonly schemas: Readonly<Record<string, Schema>>
  /** The mutation of the GraphQL API, with the schema of its input. */
  readonly mutations: { readonly name: string; readonly input: Schema }
}

const api: Api = JSON.parse(readFileSync(path.join(root, '__tests__', 'github', 'api.json'), 'utf8'))

export const { mutations } = api

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: RegExp
  readonly names: readonly string[]
  readonly parameters: readonly Parameter[]
  readonly body: ValidateFunction | undefined
  readonly answer: ValidateFunction
  readonly status: number
}

const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: false, allErrors: true })
/** Query and path are text; GitHub reads numbers and truths out of it. */
const textAjv = new Ajv({ strict: false, validateFormats: false, coerceTypes: true })
for (const one of [ajv, textAjv]) one.addSchema({ $id: 'api', schemas: api.schemas })

/** References of the file are to the file's own schemas. */
function compiled(schema: Schema): ValidateFunction {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"api#/schemas/')))
}

const operations: Operation[] = api.operations.map(({ path: route, body, answer, ...operation }) => ({
  ...operation,
  path: new RegExp(`^${route.replace(/\{\w+\}/g, '([^/]+)')}$`),
  names: [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  body: body ? compiled(closed(body)) : undefined,
  answer: compiled(answer),
}))

/** The same schema, which takes no more than it describes. */
function closed({ properties, items, ...rest }: Schema): Schema {
  const entries = Object.entries(properties ?? {}).map(([name, value]) => [name, closed(value)])
  return {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(entries), additionalProperties: false } : {}),
    ...(items ? { items: closed(items) } : {}),
  }
}

/** Every operation of the description. */
export const operationIds = operations.map(({ id }) => id)

/**
 * Holds a request against the description.
 *
 * @returns the request, or its fault
 */
export function known(request: ApiRequest): KnownRequest | string {
  const operation = operations.find(({ method, path }) => method === request.method && path.test(request.path))
  if (!operation) return `no operation is ${request.method} ${request.path}`
  const { id, names, parameters, body } = operation
  const values = request.path.match(operation.path)?.slice(1).map(decodeURIComponent) ?? []
  const params = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
  const query = Object.fromEntries(request.query)
  const faults = Object.keys(query)
    .filter((name) => !parameters.some((parameter) => parameter.in === 'query' && parameter.name === name))
    .map((name) => `the query has ${name}, which is not described`)
  for (const { name, in: place, required, schema } of parameters) {
    const value = place === 'path' ? params[name] : query[name]
    if (value === undefined) {
      if (required) faults.push(`${name} is missing`)
    } else if (!textAjv.validate({ type: 'object', properties: { value: schema } }, { value })) {
      faults.push(`${name} ${textAjv.errorsText()}`)
    }
  }
  if (body && !body(request.body)) faults.push(`the body: ${ajv.errorsText(body.errors)}`)
  return faults.length > 0 ? `${id}: ${faults.join('; ')}` : { operation: id, params }
}

/** The status of an operation's answer; throws when the answer is none that GitHub would give. */
export function statusOf(id: string, answer: unknown): number {
  const operation = operations.find((one) => one.id === id)
  if (!operation?.answer(answer))
    throw new Error(`The tests' GitHub answers ${id} as GitHub would not: ${ajv.errorsText(operation?.answer.errors)}`)
  return operation.status
}
