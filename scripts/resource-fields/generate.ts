// npm run resource-fields -- CLONES: writes facts/resource-fields.yaml from clones of the repositories that upstream.ts
// names, with their tags, as CLONES/OWNER/NAME.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import type { Shape } from '../../src/kubernetes/fields/shape'
import { networkPolicy } from './network-policy'
import { fieldsIn, partsOf } from './notation'
import { type Schema, shapeOfSchema, union } from './schema-shape'
import { type Upstream, upstreams } from './upstream'

const file = 'facts/resource-fields.yaml'
const [clones] = process.argv.slice(2)
if (!clones) throw new Error('Name a folder with clones as OWNER/NAME.')

interface Definition {
  readonly kind?: string
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[]
  }
}

interface Kind {
  readonly kind: string
  readonly apiVersions: Set<string>
  shape: Shape | undefined
}

const isMap = (shape: Shape | undefined): shape is { keys: Record<string, Shape> } =>
  typeof shape === 'object' && 'keys' in shape

/** The file of a release; empty where it has none. */
function textOf(repository: string, release: string, name: string): string {
  const git = ['-C', path.join(clones ?? '', repository), 'show', `${release}:${name}`]
  try {
    return execFileSync('git', git, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

function definitionsIn(text: string): Definition[] {
  const objects = parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Definition | null)
  return objects.filter((one): one is Definition => one?.kind === 'CustomResourceDefinition')
}

/** The kinds of a repository; those of a group and its former name (traefik.io, traefik.containo.us) are one. */
function kindsOf({ repository, releases, files, kinds, leftOut }: Upstream): Kind[] {
  const found = new Map(kinds.map((kind): [string, Kind] => [kind, { kind, apiVersions: new Set(), shape: undefined }]))
  for (const release of releases) {
    const definitions = files.flatMap((name) => definitionsIn(textOf(repository, release, name)))
    if (definitions.length === 0) throw new Error(`${repository} ${release} has none of ${files.join(', ')}`)
    for (const { spec } of definitions) {
      const known = found.get(spec.names.kind)
      if (!known) continue
      for (const { name, schema } of spec.versions) {
        const shape = schema?.openAPIV3Schema && shapeOfSchema(schema.openAPIV3Schema)
        if (!isMap(shape) || leftOut?.includes(name)) continue
        known.apiVersions.add(`${spec.group}/${name}`)
        known.shape = known.shape ? union(known.shape, shape) : shape
      }
    }
  }
  return [...found.values()]
}

/** Its metadata is the same for every kind, and the status is written by the cluster. */
function withoutCommon(shape: Shape | undefined): { keys: Record<string, Shape> } {
  if (!isMap(shape)) throw new Error('A kind has no schema.')
  const { apiVersion, kind, metadata, status, ...rest } = shape.keys
  return { keys: rest }
}

interface Row {
  readonly kinds: readonly string[]
  readonly apiVersions: readonly string[]
  readonly shape: { readonly keys: Readonly<Record<string, Shape>> }
}

/** Kinds with the same fields as one row. */
function rowsOf(kinds: readonly Kind[]): Row[] {
  const rows = new Map<string, Row>()
  for (const { kind, apiVersions, shape } of kinds) {
    const its = { kinds: [kind], apiVersions: [...apiVersions].sort(), shape: withoutCommon(shape) }
    const key = JSON.stringify([its.apiVersions, its.shape])
    rows.set(key, { ...its, kinds: [...(rows.get(key)?.kinds ?? []), kind] })
  }
  return [...rows.values()]
}

const read = [
  ...upstreams.map((upstream) => ({ upstream, rows: rowsOf(kindsOf(upstream)) })),
  { upstream: networkPolicy.upstream, rows: rowsOf([networkPolicy.kind]) },
]
const parts = partsOf(read.flatMap(({ rows }) => rows.map(({ shape }) => shape)))
const named = new Map([...parts].map(([text, { name }]) => [text, name]))

/** A text as lines of a folded block. */
function folded(text: string, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && indent.length + line.length + word.length > 130) {
      lines.push(indent + line)
      line = ''
    }
    line = line ? `${line} ${word}` : word
  }
  return [...lines, indent + line]
}

const upstreamLines = read.flatMap(({ upstream, rows }) => [
  `  - source: https://github.com/${upstream.repository}`,
  `    releases: [${upstream.releases.join(', ')}]`,
  '    rows:',
  ...rows.flatMap(({ kinds, apiVersions, shape }) => [
    `      - kinds: [${kinds.join(', ')}]`,
    `        apiVersions: [${apiVersions.join(', ')}]`,
    '        fields: >-',
    ...folded(fieldsIn(shape, named), '          '),
  ]),
])
const partLines = [...parts].flatMap(([text, { name, shape }]) => {
  const others = new Map([...named].filter(([one]) => one !== text))
  return isMap(shape) ? [`  - name: ${name}`, '    fields: >-', ...folded(fieldsIn(shape, others), '      ')] : []
})
const body = ['parts:', ...partLines, 'upstreams:', ...upstreamLines, ''].join('\n')
const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
const isSame = before.endsWith(body)
const checked = isSame ? parse(before).checked : new Date().toISOString().slice(0, 10)
const head = [
  '# The fields that the API servers know of the kinds through which ingress works, from the CustomResourceDefinitions of the releases that',
  '# were read: those of all versions together. src/kubernetes/fields/shape-notation.ts has the notation. A part may name those above it.',
  '# Written by npm run resource-fields; do not edit.',
  'format: 1',
  `checked: ${checked}`,
]
writeFileSync(file, [...head, body].join('\n'))
