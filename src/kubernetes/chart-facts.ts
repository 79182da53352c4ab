import Type, { type Static } from 'typebox'
// Written by `npm run facts` from policies/facts/controller-charts.yaml.
import written from './chart-facts.json' with { type: 'json' }

const strict = { additionalProperties: false }
const text = Type.String({ minLength: 1 })

/** A value that has to be on, or off, for something to be made. */
const Condition = Type.Object({ value: text, default: Type.Boolean(), is: Type.Optional(Type.Boolean()) }, strict)
export type Condition = Static<typeof Condition>

/** What a chart takes from a value, where its conditions hold. */
const Taken = {
  /** The versions of the chart that do. */
  charts: Type.Optional(text),
  when: Type.Optional(Type.Array(Condition)),
  value: Type.Optional(text),
  /** What holds where the value is not given: `{namespace}` and `{fullname}` of the release, `{path}` of another value. */
  default: Type.Optional(text),
}
const Part = Type.Object(Taken, strict)
export type Part = Static<typeof Part>

const ChartFacts = Type.Object(
  {
    name: text,
    /** The controllers its program may run as, by their names in controllers.yaml; its IngressClass is of the first one. */
    controllers: Type.Array(text, { minItems: 1 }),
    /** Parts of a repository's name or URL that tell another chart of this name. */
    notOf: Type.Optional(Type.Array(text)),
    /** The versions of the controller, by the first version of the chart that brings each. */
    apps: Type.Record(text, text),
    /** The value that gives another tag of the image. */
    tag: text,
    /** Conditions without which it runs no controller. */
    runs: Type.Optional(Type.Array(Condition)),
    flags: Type.Array(Type.Object({ flag: text, ...Taken }, strict)),
    /** Values that give flags as they are: a map by name, a list of arguments, or a map of variables. */
    more: Type.Array(Type.Object({ at: text, as: Type.Enum(['map', 'list', 'variables']) }, strict)),
    /** Whether it makes its controller's lock, empty, so that the lock is part of every release. */
    makesLock: Type.Optional(Type.Literal(true)),
    /** Values with which the nodes take the traffic. */
    onNodes: Type.Array(text),
    /** The IngressClass it makes. */
    class: Part,
    /** The type of its Service. */
    service: Part,
    source: Type.String({ pattern: '^https://' }),
    checked: Type.String({ format: 'date' }),
  },
  strict,
)
/** What is known of one chart. */
export type ChartFacts = Static<typeof ChartFacts>

/** `policies/facts/controller-charts.yaml` */
export const ChartFactsFile = Type.Object({ format: Type.Literal(1), charts: Type.Array(ChartFacts) }, strict)
export type ChartFactsFile = Static<typeof ChartFactsFile>

/** Every chart that the code knows. */
export const chartFacts: readonly ChartFacts[] = (written as unknown as ChartFactsFile).charts
