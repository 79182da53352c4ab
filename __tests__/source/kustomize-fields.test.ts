import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { kustomizationShape, type Shape } from '../../src/sources/kustomize-fields'
import { tool } from './rendered'
import { temporaryFolder } from './repository'

/** Fields that the pinned kustomize (5.7) no longer has, or not yet. */
const otherVersions = ['inventory', 'includeVolumeClaimTemplates', 'chartRelease']

interface Struct {
  readonly name: string
  readonly fields: readonly string[]
  /** A Kustomization with a value in the place of the struct. */
  readonly around: (value: unknown) => unknown
}

function* structsIn(shape: Shape, around: Struct['around'], name = 'kustomization'): Iterable<Struct> {
  if (typeof shape === 'string') return
  if ('list' in shape) yield* structsIn(shape.list, (value) => around([value]), name)
  if (!('fields' in shape)) return
  yield { name, fields: [...shape.fields.keys()], around }
  for (const [key, inner] of shape.fields)
    yield* structsIn(inner, (value) => around({ [key]: value }), `${name}.${key}`)
}

test.each([...structsIn(kustomizationShape, (value) => value)])(
  '$name has the fields that kustomize knows there',
  ({ fields, around }) => {
    const folder = temporaryFolder()
    const unknownIn = (value: unknown): string | undefined => {
      writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(around(value)))
      const { stderr } = spawnSync(tool('kubectl'), ['kustomize', folder], { encoding: 'utf8' })
      return stderr.match(/unknown field "(.*)"/)?.[1]
    }
    const known = fields.filter((field) => !otherVersions.includes(field))
    expect(unknownIn(Object.fromEntries(known.map((field) => [field, null])))).toBeUndefined()
    expect(unknownIn({ resources: null, unheardOf: 1 })).toMatch(/^(?:resources|unheardOf)$/)
  },
)
