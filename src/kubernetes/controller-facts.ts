import Type, { type Static } from 'typebox'
// Written by `npm run facts` from policies/facts/controllers.yaml.
import written from './controller-facts.json' with { type: 'json' }

const strict = { additionalProperties: false }
const text = Type.String({ minLength: 1 })

/** Where a fact was read, and on which day. */
const proof = { source: Type.String({ pattern: '^https://' }), checked: Type.String({ format: 'date' }) }

/** A flag that is on or off; `off` names one that turns off what is on without it. */
const Switch = Type.Union([
  Type.Object({ on: text, default: Type.Boolean() }, strict),
  Type.Object({ off: text }, strict),
])
export type Switch = Static<typeof Switch>

const ScopeFacts = Type.Object(
  {
    /** The flag that names the namespaces: one of them, a list with commas, or given once for each. */
    namespaces: text,
    many: Type.Optional(Type.Enum(['commas', 'repeated'])),
    /** The flag that names labels of namespaces. */
    selector: Type.Optional(text),
    /** The flag that names the namespaces which are left out. */
    except: Type.Optional(text),
    /** The value of the controller's chart. */
    value: text,
    ...proof,
  },
  strict,
)

/** How the releases of a range decide which Ingresses are theirs. */
const ClassFacts = Type.Object(
  {
    releases: text,
    /** The flag that names the class, and the class without it. */
    name: text,
    default: text,
    /** The flag that an IngressClass's `spec.controller` is compared with; without one, classes are compared by name. */
    controller: Type.Optional(text),
    controllerDefault: Type.Optional(text),
    /** The flag by which the IngressClass of the class's name counts too, whatever its controller. */
    byName: Type.Optional(text),
    /** When Ingresses that name no class are taken: with a flag, or by the controller of a class. */
    unclassed: Type.Optional(Type.Union([Type.Object({ flag: text }, strict), Type.Object({ class: text }, strict)])),
    /** The value of the controller's chart. */
    value: text,
    ...proof,
  },
  strict,
)
export type ClassFacts = Static<typeof ClassFacts>

const StatusFacts = Type.Object(
  {
    /** The flags that give an address, the first one by a Service. */
    sources: Type.Array(text, { minItems: 1 }),
    writes: Switch,
    /** What is written when no flag gives an address. */
    without: Type.Enum(['nodes', 'nothing']),
    /** The flag that asks for the addresses of the nodes. */
    nodes: Type.Optional(text),
    /** The value of the controller's chart. */
    value: text,
    ...proof,
  },
  strict,
)

/** How the releases of a range elect a leader. */
const ElectionFacts = Type.Object(
  {
    releases: text,
    /** The kinds of objects the leader is written into; two while releases moved from one to the other. */
    kinds: Type.Array(Type.Enum(['ConfigMap', 'Lease']), { minItems: 1 }),
    /** The flag that names the lock, and the name without it. */
    id: text,
    default: text,
    /** What the lock is called: `{id}` is that name, `{class}` the controller's class. */
    name: text,
    elects: Type.Optional(Switch),
    ...proof,
  },
  strict,
)
export type ElectionFacts = Static<typeof ElectionFacts>

const ControllerFacts = Type.Object(
  {
    name: text,
    /** Patterns of its image's repository. */
    images: Type.Array(text, { minItems: 1 }),
    binary: text,
    /** The labels that, all together, tell its Pods. */
    labels: Type.Record(text, text),
    /** Of these strings each of its manifests has one. */
    marks: Type.Array(text, { minItems: 1 }),
    ...proof,
    scope: ScopeFacts,
    classes: Type.Array(ClassFacts, { minItems: 1 }),
    status: StatusFacts,
    /** None where every replica does everything. */
    election: Type.Array(ElectionFacts),
  },
  strict,
)
/** What is known of one controller. */
export type ControllerFacts = Static<typeof ControllerFacts>

/** `policies/facts/controllers.yaml` */
export const ControllerFactsFile = Type.Object(
  { format: Type.Literal(1), controllers: Type.Array(ControllerFacts) },
  strict,
)
export type ControllerFactsFile = Static<typeof ControllerFactsFile>

/** Every controller that the code knows. */
export const controllerFacts: readonly ControllerFacts[] = (written as ControllerFactsFile).controllers

/** The facts of a controller that code is written for. */
export function factsOf(name: string): ControllerFacts {
  const facts = controllerFacts.find((one) => one.name === name)
  if (!facts) throw new Error(`policies/facts/controllers.yaml has no row ${name}.`)
  return facts
}
