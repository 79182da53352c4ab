import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/known-defects.yaml'
import { day, factsFile, factsIn, strict, text } from '../facts-format/facts-file'
import { knownComponent, knownSetting, Severity } from './matrix-facts'

const source = Type.String({ pattern: '^https://\\S+$' })

/** A defect of some releases of a component. */
export const Defect = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9.-]+$',
      description: 'The advisory; a row of a config replaces the bundled row with the same name.',
    }),
    component: text,
    versions: Type.String({ minLength: 1, description: 'A semver range of the releases that have it.' }),
    fixed: Type.Optional(Type.Array(text, { minItems: 1, description: 'The first release of each line without it.' })),
    cvss: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
    severity: Type.Optional(Severity),
    when: Type.Optional(Type.String({ minLength: 1, description: 'The setting that the defect needs.' })),
    mitigated: Type.Optional(Type.Object({ versions: text, by: text, do: text }, strict)),
    published: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The day on which it became public: a run for an earlier day does not report it.',
      }),
    ),
    reason: text,
    source: Type.Array(source, { minItems: 1 }),
    checked: day,
  },
  strict,
)
/** A known defect of some versions of a component. */
export type Defect = Static<typeof Defect>

/** A row of a config. */
export const OwnDefect = Type.Object(
  {
    ...Defect.properties,
    component: knownComponent,
    when: Type.Optional(knownSetting),
    mitigated: Type.Optional(Type.Object({ versions: text, by: knownSetting, do: text }, strict)),
  },
  strict,
)

const EndOfLife = Type.Object({ component: text, versions: text, ended: day, source, checked: day }, strict)
/** Releases that are no longer maintained. */
export type EndOfLife = Static<typeof EndOfLife>

/** `facts/known-defects.yaml` */
export const DefectFile = factsFile({ defects: Type.Array(Defect), endOfLife: Type.Array(EndOfLife) })

const file = factsIn(DefectFile, rows)

/** Every bundled defect. */
export const knownDefects: readonly Defect[] = file.defects
export const endsOfLife: readonly EndOfLife[] = file.endOfLife
