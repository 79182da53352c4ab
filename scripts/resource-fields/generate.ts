// npm run resource-fields -- CLONES: writes facts/resource-fields.yaml from clones of the repositories that upstream.ts
// names, with their tags, as CLONES/OWNER/NAME.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import semver from 'semver'
import { parseAllDocuments } from 'yaml'
import { type Schema, shapeOfSchema } from '../../src/kubernetes/fields/schema-shape'
import { networkPolicy } from './network-policy'
import { openshiftRoute } from './openshift-route'
import { union } from './shape-union'
import { isMap, type Kind, writeTable } from './table'
import { type Upstream, upstreams } from './upstream'

const [clones] = process.argv.slice(2)
if (!clones) throw new Error('Name a folder with clones as OWNER/NAME.')

/** Parts of pods, with many fields that decide nothing about ingress. */
const leftOut: readonly string[] = [
  'affinity',
  'initContainers',
  'podTemplate',
  'securityContext',
  'tolerations',
  'topologySpreadConstraints',
  'volumes',
]

interface Definition {
  readonly kind?: string
  readonly spec: {
    readonly group: string
    readonly names: { readonly kind: string }
    readonly versions: readonly { readonly name: string; readonly schema?: { readonly openAPIV3Schema?: Schema } }[]
  }
}

function git(repository: string, ...args: string[]): string {
  return execFileSync('git', ['-C', path.join(clones ?? '', repository), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
}

/** The newest patch of each minor release, the newest one first. */
function releasesOf({ repository, since }: Upstream): string[] {
  const tags = git(repository, 'tag')
    .split('\n')
    .filter((tag) => /^v?\d+\.\d+\.\d+$/.test(tag) && semver.gte(tag, since))
    .reverse()
    .sort(semver.rcompare)
  const minors = tags.map((tag) => `${semver.major(tag)}.${semver.minor(tag)}`)
  return tags.filter((_, index) => minors.indexOf(minors[index] ?? '') === index)
}

function definitionsIn(text: string): Definition[] {
  const objects = parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Definition | null)
  return objects.filter((one): one is Definition => one?.kind === 'CustomResourceDefinition')
}

/** The definitions of one release. */
function definitionsOf({ repository, files }: Upstream, release: string): Definition[] {
  const paths = git(repository, 'ls-tree', '-r', '--name-only', release).split('\n')
  const found = paths.filter((one) => files.test(one)).map((one) => git(repository, 'show', `${release}:${one}`))
  if (found.length === 0) throw new Error(`${repository} ${release} has no file ${files}`)
  return found.flatMap(definitionsIn)
}

/** Each kind of a repository in each API version, with the fields of all releases. */
function kindsOf(upstream: Upstream, releases: readonly string[]): Kind[] {
  const found = new Map<string, Kind>()
  for (const release of releases)
    for (const { spec } of definitionsOf(upstream, release)) {
      const { kind } = spec.names
      if (!upstream.kinds.includes(kind)) continue
      for (const { name, schema } of spec.versions) {
        const shape = schema?.openAPIV3Schema && shapeOfSchema(schema.openAPIV3Schema, leftOut)
        if (!isMap(shape) || upstream.leftOut?.includes(name)) continue
        const apiVersion = `${spec.group}/${name}`
        const known = found.get(`${kind} ${apiVersion}`)?.shape
        const apiVersions = new Set([apiVersion])
        found.set(`${kind} ${apiVersion}`, { kind, apiVersions, shape: known ? union(known, shape) : shape })
      }
    }
  const kinds = [...found.values()]
  for (const kind of upstream.kinds)
    if (!kinds.some((one) => one.kind === kind)) throw new Error(`${upstream.repository} defines no ${kind}.`)
  return kinds
}

writeTable(
  'facts/resource-fields.yaml',
  [
    'The fields that the API servers know of the kinds through which ingress works, from the CustomResourceDefinitions of the releases that',
    'were read, by API version. src/kubernetes/fields/shape-notation.ts has the notation. A part may name those above it.',
    'Written by npm run resource-fields; do not edit.',
  ],
  [
    ...upstreams.map((upstream) => {
      const releases = releasesOf(upstream)
      return { source: `https://github.com/${upstream.repository}`, releases, kinds: kindsOf(upstream, releases) }
    }),
    networkPolicy,
    openshiftRoute,
  ],
)
