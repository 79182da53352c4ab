import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/version-matrix.yaml'
import { factsFile, factsIn, strict, text } from '../facts-format/facts-file'
import { componentFacts, settings } from './component-facts'

const kernelRange = Type.String({
  pattern: '^(?:(?:>=|<)\\d+\\.\\d+(?:\\.\\d+)?(?:-\\d+(?:\\.\\d+)*)?(?:\\s+|\\s*\\|\\|\\s*|$))+$',
  description: 'Bounds like >=4.18.0-305 or <5.14, with spaces for "and" and || for "or".',
})

/** The platform under a component. */
const conditions = {
  kernel: Type.Optional(kernelRange),
  kubernetes: Type.Optional(text),
  kubeProxyMode: Type.Optional(Type.Array(text, { minItems: 1 })),
  architecture: Type.Optional(text),
  /** Distributions, of a kernel's own name, that do not meet it. */
  notOn: Type.Optional(Type.Array(text, { minItems: 1 })),
  kubelet: Type.Optional(text),
  containerd: Type.Optional(text),
}
const Condition = Type.Object(conditions, strict)
/** A condition under which a row of the matrix applies. */
export type Condition = Static<typeof Condition>

export const Severity = Type.Enum(['error', 'warning', 'notice'])

/** A row of the matrix: the requirements of a component on its platform. */
export const MatrixRow = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9.-]+$',
      description: 'A unique name; a row of a config replaces the bundled row with the same name.',
    }),
    component: text,
    versions: Type.String({ minLength: 1, description: 'A semver range of the component’s releases.' }),
    fixed: Type.Optional(
      Type.Array(text, { minItems: 1, description: 'The first release of each line that no longer needs it.' }),
    ),
    when: Type.Optional(
      Type.Object({ ...conditions, setting: Type.Optional(Type.Array(text, { minItems: 1 })) }, strict),
    ),
    requires: Type.Optional(
      Type.Object({ ...conditions, any: Type.Optional(Type.Array(Condition, { minItems: 2 })) }, strict),
    ),
    except: Type.Optional(
      Type.Array(Type.Object({ distro: text, kernel: kernelRange }, strict), {
        description: 'Kernels of distributions that carry the change.',
      }),
    ),
    manual: Type.Optional(
      Type.String({ minLength: 1, description: 'A condition that no file shows: the row is for documentation only.' }),
    ),
    severity: Severity,
    reason: Type.String({ minLength: 1, description: 'Why, as the end of a sentence.' }),
    source: Type.Array(Type.String({ pattern: '^https://\\S+$' }), { minItems: 1 }),
    checked: Type.String({ format: 'date', description: 'The day on which the source was read.' }),
    confidence: Type.Optional(Type.Enum(['verified', 'partly', 'unverified'])),
    note: Type.Optional(text),
  },
  strict,
)
/** A row of the matrix: the requirements of a component on its platform. */
export type MatrixRow = Static<typeof MatrixRow>

/** The components that a config's row may name: an unknown name would make it ineffective. */
export const knownComponent = Type.Enum([...componentFacts.map(({ name }) => name), 'kubelet'])
export const knownSetting = Type.Enum(Object.keys(settings))

/** A row of a config. */
export const OwnRow = Type.Object(
  {
    ...MatrixRow.properties,
    component: knownComponent,
    when: Type.Optional(Type.Object({ ...conditions, setting: Type.Optional(Type.Array(knownSetting)) }, strict)),
  },
  strict,
)

/** A user config's additions to the matrix. */
export const matrixParams = Type.Object({
  matrix: Type.Array(OwnRow, {
    description:
      'Rows in addition to the bundled ones, each with its source; a row with the same id replaces a bundled one.',
  }),
})

/** `facts/version-matrix.yaml` */
export const MatrixFile = factsFile({ rows: Type.Array(MatrixRow) })

/** Every bundled row. */
export const matrixRows: readonly MatrixRow[] = factsIn(MatrixFile, rows).rows
