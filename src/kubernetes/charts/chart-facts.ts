import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/controller-charts.yaml'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text } from '../facts-format/facts-file'
import { chartName } from './chart-named'

/** The condition on a value for an object to be created: that it is on, or off, or a certain text. */
const ValueCondition = Type.Object(
  { value: text, default: Type.Union([Type.Boolean(), text]), is: Type.Optional(Type.Union([Type.Boolean(), text])) },
  strict,
)
/** A condition on a value of a chart. */
export type ValueCondition = Static<typeof ValueCondition>

/** A setting that a chart takes from a value, if its conditions hold. */
const Taken = {
  /** The versions of the chart that do. */
  charts: Type.Optional(text),
  when: Type.Optional(Type.Array(ValueCondition)),
  value: Type.Optional(text),
  /**
   * The default if the value is not set: `{release}` is the release's name, `{namespace}` its namespace, `{fullname}`
   * the chart's name for its objects, and `{path:default}` another value.
   */
  default: Type.Optional(text),
}
const ValueSetting = Type.Object(Taken, strict)
/** A setting that a chart takes from a value. */
export type ValueSetting = Static<typeof ValueSetting>

/** The first one that is rendered counts. */
const Parts = Type.Array(ValueSetting)

/** Holds if all conditions of one of these hold. */
export const Cases = Type.Array(
  Type.Object({ charts: Taken.charts, when: Type.Array(ValueCondition, { minItems: 1 }) }, strict),
)
/** Sets of conditions: one of them must hold. */
export type Cases = Static<typeof Cases>

/** What a chart makes of its values, as settings of its program. */
export const SettingFacts = {
  /** The namespace and names of its objects, if they differ from the usual helpers. */
  namespace: Type.Optional(Parts),
  fullname: Type.Optional(Parts),
  flags: Type.Array(
    Type.Object(
      {
        flag: text,
        ...Taken,
        /** Whether those that values hold literally are in addition to it, as the program takes several. */
        adds: Type.Optional(Type.Literal(true)),
      },
      strict,
    ),
  ),
  /**
   * Values that hold flags literally: a map by name, a map by name in which a disabled entry is a flag without value,
   * a list of arguments, or a map of variables.
   */
  more: Type.Array(
    Type.Object(
      { charts: Type.Optional(text), at: text, as: Type.Enum(['map', 'switches', 'list', 'variables']) },
      strict,
    ),
  ),
}

/** The ports that the Service of a chart offers, in a map of values by their names. */
const OfferedFacts = Type.Object(
  {
    charts: Type.Optional(text),
    below: text,
    /** The value that offers a port or not, and that of its number, below its name. */
    shown: text,
    port: text,
    /** Those that the chart offers by default. */
    ports: Mapping(Type.Integer({ minimum: 1, maximum: 65_535 }), { minProperties: 1 }),
    /** The values by which something else may offer them. */
    unless: Type.Array(text),
  },
  strict,
)

const ChartFacts = Type.Object(
  {
    ...chartName,
    /**
     * The controllers its program may run as, by their names in controllers.yaml; its IngressClass is of the first one.
     */
    controllers: Type.Array(text, { minItems: 1 }),
    /** The versions of the controller, by the first version of the chart that installs each. */
    apps: Mapping(text),
    /** The value that gives another tag of the image. */
    tag: text,
    /** The value that sets an image without its version. */
    digest: Type.Optional(text),
    /** The cases in which it runs no controller. */
    idle: Type.Optional(Cases),
    ...SettingFacts,
    /** Whether it contains its controller's lock, empty, so that the lock is part of every release. */
    makesLock: Type.Optional(Type.Literal(true)),
    /** The cases in which the nodes receive the traffic. */
    onNodes: Cases,
    /** The fewest Pods that its HorizontalPodAutoscaler keeps. */
    scaler: Type.Optional(Parts),
    /** The IngressClass it makes. */
    class: Parts,
    /** The value by which that is the default class; unknown without one. */
    default: Type.Optional(Parts),
    /** The type of its Service. */
    service: Parts,
    /** The ports of its Service: none where they are not known. */
    offers: Type.Optional(Type.Array(OfferedFacts, { minItems: 1 })),
    /** The cases in which it makes no roles and bindings for that account, or none for the whole cluster. */
    unbound: Cases,
    /** The account that its Pods run as: `default` without one of these. */
    account: Parts,
    /** The values that messages name, where they are others than those of the controller's own chart. */
    says: Type.Optional(Type.Object({ scope: text, class: text, status: text }, strict)),
    ...proof,
  },
  strict,
)
/** The facts about one chart. */
export type ChartFacts = Static<typeof ChartFacts>

/** `facts/controller-charts.yaml` */
export const ChartFactsFile = factsFile({ charts: Type.Array(ChartFacts) })

/** Every chart that the code knows. */
export const chartFacts: readonly ChartFacts[] = factsIn(ChartFactsFile, rows).charts
