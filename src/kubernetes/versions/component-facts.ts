import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/components.yaml'
import { entryOf } from '../../entry'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'

/** For releases of a chart or an operator, the release of the component. */
const Releases = Mapping(text)

const PartFacts = Type.Object(
  {
    name: text,
    /** Patterns of its image's repository, including mirrors. */
    images: Type.Optional(texts),
    /** The controller whose images it has, of controllers.yaml. */
    controller: Type.Optional(text),
    /** The name of its container, for mirrors that keep only the last part of the repository. */
    container: Type.Optional(text),
    /** The kind of the object that has its release in a field, without `field` in the label `version`. */
    object: Type.Optional(text),
    field: Type.Optional(text),
    /** The value of the chart that sets the image's tag. */
    value: Type.Optional(text),
    releases: Type.Optional(Releases),
  },
  strict,
)
/** The facts about one image of a component. */
export type PartFacts = Static<typeof PartFacts>

const ComponentFacts = Type.Object(
  {
    name: text,
    title: text,
    /** Each manifest of the component has one of these strings. */
    marks: texts,
    /** The first one that gives the component's release. */
    parts: Type.Array(PartFacts, { minItems: 1 }),
    /** The parts that have to be of one release. */
    agree: Type.Optional(
      Type.Object(
        {
          parts: texts,
          to: Type.Enum(['minor', 'patch']),
          /** The first one that gives the component's release. */
          versions: Type.Optional(text),
          crds: Type.Optional(texts),
          ...proof,
        },
        strict,
      ),
    ),
    /**
     * The release of the component is in a value of the chart, or the chart's version has it: without `releases`, the
     * versions of the chart are those of the component. `versions` are those of this chart, where another one has its name.
     */
    charts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text,
            releases: Type.Optional(Releases),
            value: Type.Optional(text),
            versions: Type.Optional(text),
          },
          strict,
        ),
      ),
    ),
    /** The maximum number of minor releases that one upgrade may advance. */
    upgrade: Type.Optional(Type.Object({ minors: Type.Integer(), ...proof }, strict)),
    ...proof,
  },
  strict,
)
/** The facts about one component. */
export type ComponentFacts = Static<typeof ComponentFacts>

const is = Type.Array(text, { minItems: 1 })
const Sign = Type.Union([
  Type.Object({ env: text, is }, strict),
  Type.Object({ word: text }, strict),
  Type.Object({ flag: text, is }, strict),
  Type.Object({ flag: text, absent: Type.Literal(true) }, strict),
  Type.Object({ runs: text }, strict),
  Type.Object({ object: text, field: text, is }, strict),
  Type.Object({ configMap: text, key: text, is }, strict),
  Type.Object({ configMap: text, key: text, holds: text }, strict),
  /** Values of its chart, by their paths: all of them must be set. */
  Type.Object({ values: Mapping(text) }, strict),
  /** The ConfigMap that a flag of the component names. */
  Type.Object({ configMapOf: text, key: text, is }, strict),
])
/** Evidence in manifests that a setting is in use. */
export type Sign = Static<typeof Sign>

/** `facts/components.yaml` */
export const ComponentFactsFile = factsFile({
  components: Type.Array(ComponentFacts),
  settings: Mapping(Type.Array(Sign, { minItems: 1 })),
})

const file = factsIn(ComponentFactsFile, rows)

/** Every component that the code knows. */
export const componentFacts: readonly ComponentFacts[] = file.components
/**
 * The signs of each setting; a setting's name starts with its component's if it may be in another object than the
 * workload.
 */
export const settings: Readonly<Record<string, readonly Sign[]>> = file.settings

/** The signs of a setting. */
export function signsOf(setting: string): readonly Sign[] {
  const signs = entryOf(settings, setting)
  if (!signs) throw new Error(`facts/components.yaml has no setting ${setting}.`)
  return signs
}
