import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { seeded } from './kustomizations'

/** The bytes of an entry below, as those of kube-prometheus-stack in its index have them. */
const bytesOfEntry = 2120

/**
 * Adds the versions of other charts to the index of a repository, until it has so many bytes: a tenth are of the charts
 * that are in it, the others of 30 other charts.
 *
 * @returns the number of versions
 */
export function growIndex(file: string, bytes: number, seed = 20): number {
  const next = seeded(seed)
  const own = readFileSync(file, 'utf8')
  const versions = Math.max(0, Math.ceil((bytes - own.length) / bytesOfEntry))
  if (versions === 0) return 0
  const others = Array.from({ length: 30 }, (_, index) => `stack-${index}`)
  const of = (chart: string, count: number) =>
    Array.from({ length: count }, (_, index) => entryOf(chart, `0.${count - index}.0`, next)).join('')
  const split = own.indexOf('generated:')
  const before = Math.round(versions / 10)
  writeFileSync(file, own.slice(0, split) + of('platform', before))
  for (const other of others)
    appendFileSync(file, `  ${other}:\n${of(other, Math.round((versions - before) / others.length))}`)
  appendFileSync(file, own.slice(split))
  return versions
}

function entryOf(chart: string, version: string, next: (below: number) => number): string {
  const digest = Array.from({ length: 64 }, () => next(16).toString(16)).join('')
  const dependencies = Array.from(
    { length: 5 },
    (_, index) => `    - condition: parts.part-${index}.enabled
      name: part-${index}
      repository: https://charts.example.com/parts-${next(100)}
      version: ${next(20)}.${next(20)}.*
`,
  )
  return `  - annotations:
      artifacthub.io/license: Apache-2.0
      artifacthub.io/links: |
        - name: Chart Source
          url: https://github.com/example/charts
        - name: Upstream Project
          url: https://github.com/example/${chart}
      artifacthub.io/operator: "true"
    apiVersion: v2
    appVersion: v0.${next(100)}.${next(10)}
    created: "2025-0${1 + next(9)}-${10 + next(18)}T10:44:11.${100_000_000 + next(800_000_000)}Z"
    dependencies:
${dependencies.join('')}    description: ${sentence(24, next)}
    digest: ${digest}
    home: https://github.com/example/${chart}
    icon: https://raw.githubusercontent.com/example/assets/main/documentation/images/${chart}.svg
    keywords:
    - operator
    - ${chart}
    kubeVersion: '>=1.25.0-0'
    maintainers:
${Array.from({ length: 4 }, () => `    - email: ${word(next)}@example.com\n      name: ${word(next)}\n      url: https://github.com/${word(next)}\n`).join('')}    name: ${chart}
    sources:
    - https://github.com/example/charts
    - https://github.com/example/${chart}
    type: application
    urls:
    - https://charts.example.com/releases/${chart}-${version}/${chart}-${version}.tgz
    version: ${version}
`
}

const words =
  'the a list of pods which are scheduled selector matches labels field node affinity volume container'.split(' ')

function word(next: (below: number) => number): string {
  return words[next(words.length)] ?? ''
}

function sentence(length: number, next: (below: number) => number): string {
  return Array.from({ length }, () => word(next)).join(' ')
}

/** Writes CRDs like those of Prometheus' operator: ten of 450 kB each, and its version is in each. */
export function writeDefinitions(folder: string, version: string, seed = 20): void {
  mkdirSync(folder, { recursive: true })
  const next = seeded(seed)
  for (let index = 0; index < 10; index++) {
    const fields: string[] = []
    for (let size = 0; size < 450_000; ) {
      const field = fieldOf(`field${fields.length}`, 14, 4, next)
      fields.push(field)
      size += field.length
    }
    const name = `part${index}`
    writeFileSync(
      path.join(folder, `${name}s.yaml`),
      `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    operator.example.com/version: ${version}
  name: ${name}s.monitoring.example.com
spec:
  group: monitoring.example.com
  names:
    kind: Part${index}
    plural: ${name}s
    singular: ${name}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
${fields.join('')}        type: object
    served: true
    storage: true
`,
    )
  }
}

/** A field of a schema, with fields below it: as controller-gen writes them. */
function fieldOf(name: string, indent: number, depth: number, next: (below: number) => number): string {
  const at = ' '.repeat(indent)
  const described = `${at}${name}:
${at}  description: |-
${at}    ${sentence(12 + next(12), next)}.
${at}    ${sentence(8 + next(8), next)}.
`
  if (depth === 0 || next(3) === 0) return `${described}${at}  type: string\n`
  const below = Array.from({ length: 2 + next(4) }, (_, index) =>
    fieldOf(`${word(next)}${index}`, indent + 4, depth - 1, next),
  )
  return `${described}${at}  properties:
${below.join('')}${at}  required:
${at}  - name
${at}  type: object
`
}
