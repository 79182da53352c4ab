import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Shape } from '../../src/kubernetes/fields/shape'
import { fieldsIn, partsOf } from './notation'

/** A kind with the fields of all releases that were read. */
export interface Kind {
  readonly kind: string
  readonly apiVersions: Set<string>
  shape: Shape | undefined
}

/** The kinds of one place, which were read in these releases. */
export interface ReadKinds {
  readonly source: string
  readonly releases: readonly string[]
  readonly kinds: readonly Kind[]
}

type KeyedShape = Extract<Shape, { keys: unknown }>

export const isMap = (shape: Shape | undefined): shape is KeyedShape => typeof shape === 'object' && 'keys' in shape

/** Writes a table of facts below the comment at its head. The day is another one only where the table is. */
export function writeTable(file: string, comment: readonly string[], read: readonly ReadKinds[]): void {
  const body = bodyOf(read)
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const checked = before.endsWith(body) ? parse(before).checked : new Date().toISOString().slice(0, 10)
  writeFileSync(file, [...comment.map((line) => `# ${line}`), 'format: 1', `checked: ${checked}`, body].join('\n'))
}

function bodyOf(read: readonly ReadKinds[]): string {
  const tables = read.map(({ source, releases, kinds }) => ({ source, releases, rows: rowsOf(kinds) }))
  const parts = partsOf(tables.flatMap(({ rows }) => rows.map(({ shape }) => shape)))
  const named = new Map([...parts].map(([text, { name }]) => [text, name]))
  const upstreamLines = tables.flatMap(({ source, releases, rows }) => [
    `  - source: ${source}`,
    '    releases:',
    ...folded(`[${releases.join(', ')}]`, '      '),
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
  return ['parts:', ...partLines, 'upstreams:', ...upstreamLines, ''].join('\n')
}

interface Row {
  readonly kinds: readonly string[]
  readonly apiVersions: readonly string[]
  readonly shape: KeyedShape
}

/** Its metadata is the same for every kind, and the status is written by the cluster. */
function withoutCommon(shape: Shape | undefined): KeyedShape {
  if (!isMap(shape)) throw new Error('A kind has no schema.')
  const { apiVersion, kind, metadata, status, ...rest } = shape.keys
  const required = shape.required?.filter((key) => key in rest) ?? []
  return { keys: rest, ...(required.length > 0 ? { required } : {}) }
}

/** Kinds with the same fields as one row. */
function rowsOf(kinds: readonly Kind[]): Row[] {
  const byKind = kinds.map(({ kind, apiVersions, shape }) => ({
    kinds: [kind],
    apiVersions: [...apiVersions],
    shape: withoutCommon(shape),
  }))
  const versionsTogether = joined(
    byKind,
    (row) => [row.kinds, row.shape],
    (row, other) => ({ ...row, apiVersions: [...row.apiVersions, ...other.apiVersions].sort() }),
  )
  return joined(
    versionsTogether,
    (row) => [row.apiVersions, row.shape],
    (row, other) => ({ ...row, kinds: [...row.kinds, ...other.kinds] }),
  )
}

/** Rows with the same key as one. */
function joined(rows: readonly Row[], keyOf: (row: Row) => unknown, join: (row: Row, other: Row) => Row): Row[] {
  const found = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row))
    const before = found.get(key)
    found.set(key, before ? join(before, row) : row)
  }
  return [...found.values()]
}

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
