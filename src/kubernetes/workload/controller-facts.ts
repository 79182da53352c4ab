import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/controllers.yaml'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text } from '../facts-format/facts-file'

/**
 * The effect of a flag: on by the flag, off by it, on if it is given, or on if it is missing; or on if a variable of
 * its Pod is set so.
 */
const Switch = Type.Union([
  Type.Object({ on: text, default: Type.Boolean() }, strict),
  Type.Object({ off: text }, strict),
  Type.Object({ given: text }, strict),
  Type.Object({ missing: text }, strict),
  Type.Object({ variable: text, is: Type.Array(text, { minItems: 1 }) }, strict),
])
/** A setting of a controller that is on or off. */
export type Switch = Static<typeof Switch>

/** An object or file with settings of a controller, apart from its arguments. */
const ConfigFacts = Type.Object(
  {
    /** The flags that name it, as a path in the container, or as an object's name with or without its namespace. */
    flags: Type.Array(text, { minItems: 1 }),
    /** The files that are read where no flag names one: the first of them that exists. */
    files: Type.Optional(Type.Array(text)),
    /** The kind of the object, if it is no file, and its namespace if the name does not contain it. */
    object: Type.Optional(
      Type.Object({ kind: text, variable: Type.Optional(text), default: Type.Optional(text) }, strict),
    ),
    /** Whether it overrides flags and variables for its settings; otherwise they take precedence. */
    instead: Type.Optional(Type.Literal(true)),
    /**
     * Its settings: the places of each flag, the newest first. Without this, every flag at its own name, ignoring case.
     */
    keys: Type.Optional(Mapping(Type.Array(text, { minItems: 1 }))),
    ...proof,
  },
  strict,
)
/** The object or file with settings of a controller, apart from its arguments. */
export type ConfigFacts = Static<typeof ConfigFacts>

const ScopeFacts = Type.Object(
  {
    /** The flag that names the namespaces. */
    namespaces: text,
    /** Whether it may name several, with commas or repeated. */
    many: Type.Optional(Type.Boolean()),
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

/** `spec.ingressClassName`, and the annotation that came before it. */
const ClassPlaces = Type.Array(Type.Enum(['field', 'annotation']), { minItems: 1 })
/** The places in which a controller looks for the class of an Ingress. */
export type ClassPlaces = Static<typeof ClassPlaces>

/** The rules by which the releases of a range select their Ingresses. */
const ClassFacts = Type.Object(
  {
    releases: text,
    /** The flag that names the class, and the class without it; some have none then. */
    name: text,
    default: Type.String(),
    /** Whether it may name several, with commas. */
    many: Type.Optional(Type.Boolean()),
    /**
     * The comparison of `spec.ingressClassName`: with the class's name; by the `spec.controller` of the IngressClass
     * that it names; or by both, if a class is given. `labels`: the name is a selector of labels for the classes of the
     * controller.
     */
    by: Type.Enum(['name', 'controller', 'both', 'labels']),
    /** The value of `spec.controller`, and the flag that changes it; `below` appends the flag's value as a path. */
    controller: Type.Optional(text),
    controllerFlag: Type.Optional(text),
    below: Type.Optional(Type.Boolean()),
    /** The flag with which the IngressClass with the class's name counts too, for any controller. */
    byName: Type.Optional(text),
    /**
     * The places from which it reads the class of an Ingress, the one that wins first; by default the field, else the
     * annotation.
     */
    reads: Type.Optional(ClassPlaces),
    /** Flags that change that, or by which no IngressClass is its own (`by: none`): the first that is on counts. */
    otherwise: Type.Optional(
      Type.Array(
        Type.Object({ on: text, reads: Type.Optional(ClassPlaces), by: Type.Optional(Type.Literal('none')) }, strict),
      ),
    ),
    /** The cases in which Ingresses without a class are taken: any of these is enough. */
    unclassed: Type.Optional(Type.Array(Type.Union([Switch, Type.Object({ class: text }, strict)]))),
    /** The value of the controller's chart. */
    value: text,
    ...proof,
  },
  strict,
)
/** The rules by which the releases of a range select their Ingresses. */
export type ClassFacts = Static<typeof ClassFacts>

const StatusFacts = Type.Object(
  {
    releases: text,
    /**
     * The flags that set an address, the one that wins first; if the addresses of the nodes are written without them,
     * the flags name a Service.
     */
    sources: Type.Array(text, { minItems: 1 }),
    writes: Type.Optional(Switch),
    /** The source of addresses when no flag gives one. */
    without: Type.Enum(['nodes', 'nothing', 'service']),
    /** The flag that asks for the addresses of the nodes. */
    nodes: Type.Optional(text),
    /** The value of the controller's chart. */
    value: text,
    ...proof,
  },
  strict,
)
/** The address that a controller writes into the status of its Ingresses. */
export type StatusFacts = Static<typeof StatusFacts>

/** The leader election in the releases of a range. */
const ElectionFacts = Type.Object(
  {
    releases: text,
    /** The kinds of objects the leader is written into; two while releases moved from one to the other. */
    kinds: Type.Array(Type.Enum(['ConfigMap', 'Lease']), { minItems: 1 }),
    /** The flag that names the lock, and the name without it. */
    id: text,
    default: text,
    /** The name of its setting for a person, if no flag sets it. */
    setBy: Type.Optional(text),
    /** The name of the lock: `{id}` is that name, `{class}` the controller's class. */
    name: text,
    /** Its namespace, if not the controller's own: by a flag, by a variable, or fixed. */
    namespace: Type.Optional(
      Type.Object({ flag: text, variable: Type.Optional(text), default: Type.Optional(text) }, strict),
    ),
    /** By default it always elects; any of these is enough. */
    elects: Type.Optional(Type.Array(Switch, { minItems: 1 })),
    ...proof,
  },
  strict,
)
/** The leader election in the releases of a range. */
export type ElectionFacts = Static<typeof ElectionFacts>

/** The rules by which a controller finds the certificate for a host of its Ingresses. */
const CertificateFacts = Type.Object(
  {
    /** The prefix of `spec.controller` of its IngressClasses. */
    controller: text,
    /** Its name in messages on certificates, if they need a shorter one than its title. */
    product: Type.Optional(text),
    /**
     * Selects certificates by the hosts of a TLS entry, in which a wildcard matches one label or only itself; or by the
     * certificates' own names.
     */
    by: Type.Enum(['hosts', 'exactHosts', 'certificates']),
    /** Whether the certificate of an entry that lists no hosts, or not this one, may serve a host. */
    asksCertificates: Type.Optional(Type.Literal(true)),
    /** Whether an entry without a Secret is ignored; in other controllers it requests the default certificate. */
    needsSecret: Type.Optional(Type.Literal(true)),
    /** The one type of Secret that it takes certificates from, where it looks at types. */
    secretType: Type.Optional(text),
    /** The response for a host without a certificate. */
    without: Type.Enum(['default certificate', 'plain HTTP']),
    /** The flag that names the Secret of its default certificate, as `namespace/name`. */
    default: Type.Optional(text),
    /**
     * The releases that panic on a Secret with a CA and no certificate: for a host that no entry lists, and for a
     * listed one.
     */
    panics: Type.Optional(Type.Object({ unlisted: text, listed: text }, strict)),
    ...proof,
  },
  strict,
)
/** The rules by which a controller finds the certificate of a host. */
export type CertificateFacts = Static<typeof CertificateFacts>

/** What the releases of a range list and watch before they serve anything: they wait until all of it was read. */
const InformerFacts = Type.Object(
  {
    releases: text,
    /** As kubectl names them: `services`, `ingresses.networking.k8s.io`. */
    resources: Type.Array(text, { minItems: 1 }),
    ...proof,
  },
  strict,
)

/** The settings by which a controller listens for clients: ports in flags, or addresses in a section with a name for each. */
const ListeningFacts = Type.Object(
  {
    /** The port without each flag. */
    ports: Type.Optional(Mapping(Type.Integer({ minimum: 1, maximum: 65_535 }), { minProperties: 1 })),
    /** `[host]:port[/protocol]` */
    addresses: Type.Optional(Type.Object({ below: text, key: text }, strict)),
    ...proof,
  },
  strict,
)

const ControllerFacts = Type.Object(
  {
    name: text,
    /** Its name in messages. */
    title: text,
    /** The kind it takes, as a word of messages. */
    takes: Type.Enum(['Ingresses', 'IngressRoutes', 'Gateways']),
    /** Patterns of its image's repository. */
    images: Type.Array(text, { minItems: 1 }),
    binary: Type.Optional(text),
    /** The flag that names an object of its own namespace, as `namespace/name`. */
    home: Type.Optional(text),
    /** The labels that, together, identify its Pods. */
    labels: Type.Optional(Mapping(text, { minProperties: 1 })),
    /** The word of its arguments without which the image runs something else. */
    command: Type.Optional(text),
    /** The flag that turns it on, itself or by one below it, where one program is several controllers. */
    enabledBy: Type.Optional(text),
    /** Its configs, apart from its arguments; the first one that exists counts. */
    config: Type.Optional(Type.Array(ConfigFacts)),
    /** The syntax of its flags: dashes, case, and the prefix of variables. */
    dashes: Type.Enum(['-', '--']),
    anyCase: Type.Optional(Type.Boolean()),
    variables: Type.Optional(text),
    /** Whether variables count only where there is no flag at all. */
    exclusive: Type.Optional(Type.Boolean()),
    /** None where it is not known. */
    listens: Type.Optional(ListeningFacts),
    /** The variable in which its Pods have their own namespace: it does not start without it. */
    namespaceVariable: Type.Optional(text),
    /** Each of its manifests has one of these strings. */
    marks: Type.Array(text, { minItems: 1 }),
    ...proof,
    scope: ScopeFacts,
    classes: Type.Array(ClassFacts, { minItems: 1 }),
    /** None where it writes no status. */
    status: Type.Array(StatusFacts),
    /** None where every replica does everything. */
    election: Type.Array(ElectionFacts),
    /** None where it is not known. */
    informers: Type.Optional(Type.Array(InformerFacts)),
    /** None where its choice is not known. */
    certificate: Type.Optional(CertificateFacts),
  },
  strict,
)
/** The facts about one controller. */
export type ControllerFacts = Static<typeof ControllerFacts>

/** `facts/controllers.yaml` */
export const ControllerFactsFile = factsFile({ controllers: Type.Array(ControllerFacts) })

/** Every controller that the code knows. */
export const controllerFacts: readonly ControllerFacts[] = factsIn(ControllerFactsFile, rows).controllers

/** The facts of a controller that code is written for. */
export function controllerFactsOf(name: string): ControllerFacts {
  const facts = controllerFacts.find((one) => one.name === name)
  if (!facts) throw new Error(`facts/controllers.yaml has no row ${name}.`)
  return facts
}
