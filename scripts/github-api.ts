// Takes the operations of GitHub's APIs that the Action uses out of GitHub's own descriptions of them, without the
// prose, into __tests__/github/api.json, which the tests' GitHub holds every request against. The descriptions are
// pinned; that of the REST API unpacks to 390 MB, so they are no dependencies.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const from = '@octokit/openapi@23.0.2'
const sha512 = 'pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=='
const file = 'generated/api.github.com.json'
const used = [
  'checks/create',
  'checks/get',
  'checks/list-for-ref',
  'checks/update',
  'issues/create-comment',
  'issues/list-comments',
  'issues/update-comment',
  'pulls/create-review',
  'pulls/list-files',
  'pulls/list-review-comments',
  'pulls/list-reviews',
  'pulls/update-review',
  'pulls/update-review-comment',
]

const graphql = {
  from: '@octokit/graphql-schema@15.26.1',
  sha512: 'RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA==',
  file: 'schema.graphql',
}
const mutation = 'minimizeComment'

interface Schema {
  [keyword: string]: unknown
}
interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } }
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly schema: Schema
}
interface Operation {
  readonly operationId: string
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: Content
  readonly responses: Record<string, Content>
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly parameters: Record<string, Parameter>
    readonly schemas: Record<string, Schema>
  }
}

/** A file out of a package as the registry publishes it. */
function packed({ from, sha512, file }: { from: string; sha512: string; file: string }): string {
  const scratch = mkdtempSync(path.join(tmpdir(), 'github-api-'))
  try {
    execFileSync('npm', ['pack', from, '--ignore-scripts', '--silent', '--pack-destination', scratch])
    const tarball = path.join(scratch, readdirSync(scratch).find((entry) => entry.endsWith('.tgz')) ?? 'no tarball')
    const found = createHash('sha512').update(readFileSync(tarball)).digest('base64')
    if (found !== sha512) throw new Error(`${from} has the sha512 ${found}, and ${sha512} is pinned`)
    execFileSync('tar', ['-xzf', tarball, '-C', scratch, `package/${file}`])
    return readFileSync(path.join(scratch, 'package', file), 'utf8')
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The input of a mutation as JSON Schema. */
function inputOf(name: string): object {
  const text = packed(graphql).replace(/"""[\s\S]*?"""/g, '')
  const [, type = ''] = text.match(new RegExp(`^  ${name}\\(\\s*input: (\\w+)!\\s*\\)`, 'm')) ?? []
  const [, fields] = text.match(new RegExp(`^input ${type} \\{([^}]*)\\}`, 'm')) ?? []
  if (fields === undefined) throw new Error(`${graphql.file} has no mutation ${name}.`)
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const [, field = '', of = '', isRequired] of fields.matchAll(/(\w+): (\w+)(!?)/g)) {
    const [, values] = text.match(new RegExp(`^enum ${of} \\{([^}]*)\\}`, 'm')) ?? []
    properties[field] = values === undefined ? { type: 'string' } : { enum: values.trim().split(/\s+/) }
    if (isRequired) required.push(field)
  }
  return { type: 'object', properties, required, additionalProperties: false }
}

const api: Description = JSON.parse(packed({ from, sha512, file }))
const schemas: Record<string, unknown> = {}

const asTheyAre = [
  'additionalProperties',
  'default',
  'enum',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'required',
]

/** A schema of OpenAPI 3.0 as JSON Schema: what validates, and nothing that explains. */
function bare(schema: Schema): unknown {
  const { $ref, type, properties, items, nullable } = schema
  if (typeof $ref === 'string') return { $ref: `#/schemas/${named($ref)}` }
  const kept: Schema = {}
  if (type) kept.type = type
  for (const keyword of asTheyAre) if (keyword in schema) kept[keyword] = schema[keyword]
  if (properties) kept.properties = mapped(properties as Record<string, Schema>, bare)
  if (items) kept.items = bare(items as Schema)
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    if (keyword in schema) kept[keyword] = (schema[keyword] as Schema[]).map(bare)
  return nullable ? { anyOf: [kept, { type: 'null' }] } : kept
}

/** The name of a schema that is referred to, which is taken along. */
function named(ref: string): string {
  const name = ref.replace('#/components/schemas/', '')
  const schema = api.components.schemas[name]
  if (!schema) throw new Error(`${file} refers to ${ref}, which it does not have.`)
  if (!(name in schemas)) {
    schemas[name] = {}
    schemas[name] = bare(schema)
  }
  return name
}

function mapped<T, R>(entries: Record<string, T>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, map(value)]))
}

function parameterOf(parameter: Parameter | { readonly $ref: string }) {
  const whole = '$ref' in parameter ? api.components.parameters[path.basename(parameter.$ref)] : parameter
  if (!whole) throw new Error(`${file} has no such parameter: ${JSON.stringify(parameter)}`)
  const { name, in: place, required = false, schema } = whole
  return { name, in: place, required, schema: bare(schema) }
}

const operations = Object.entries(api.paths).flatMap(([route, methods]) =>
  Object.entries(methods)
    .filter(([, { operationId }]) => used.includes(operationId))
    .map(([method, { operationId, parameters, requestBody, responses }]) => {
      const [status = '', answer = {}] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
      const body = requestBody?.content?.['application/json']?.schema
      return {
        id: operationId,
        method: method.toUpperCase(),
        path: route,
        parameters: parameters.map(parameterOf),
        body: body ? bare(body) : null,
        status: Number(status),
        answer: bare(answer.content?.['application/json']?.schema ?? {}),
      }
    }),
)
const missing = used.filter((id) => !operations.some((operation) => operation.id === id))
if (missing.length > 0) throw new Error(`${file} has no operation ${missing.join(', ')}.`)

const mutations = { ...graphql, license: 'MIT', name: mutation, input: inputOf(mutation) }
const taken = { from, sha512, file, license: 'MIT', operations, schemas, mutations }
writeFileSync('__tests__/github/api.json', `${JSON.stringify(taken, null, 1)}\n`)
