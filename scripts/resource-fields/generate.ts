// npm run resource-fields -- CLONES: writes facts/resource-fields.yaml from clones of the repositories that upstream.ts
// names, with their tags, as CLONES/OWNER/NAME.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { parseAllDocuments } from 'yaml'
import { networkPolicy } from './network-policy'
import { type Schema, shapeOfSchema, union } from './schema-shape'
import { isMap, type Kind, writeTable } from './table'
import { type Upstream, upstreams } from './upstream'

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

writeTable(
  'facts/resource-fields.yaml',
  [
    'The fields that the API servers know of the kinds through which ingress works, from the CustomResourceDefinitions of the releases that',
    'were read: those of all versions together. src/kubernetes/fields/shape-notation.ts has the notation. A part may name those above it.',
    'Written by npm run resource-fields; do not edit.',
  ],
  [
    ...upstreams.map((upstream) => ({
      source: `https://github.com/${upstream.repository}`,
      releases: upstream.releases,
      kinds: kindsOf(upstream),
    })),
    networkPolicy,
  ],
)
