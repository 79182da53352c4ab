import Type, { type Static } from 'typebox'
import type { Manifest } from '../manifest/manifest'
import { classOf } from './ingress-class'
// Written by `npm run facts` from policies/facts/managed-classes.yaml.
import written from './managed-class-facts.json' with { type: 'json' }

const strict = { additionalProperties: false }
const texts = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })

/** `policies/facts/managed-classes.yaml` */
export const ManagedClassesFile = Type.Object(
  {
    format: Type.Literal(1),
    managed: Type.Array(
      Type.Object(
        {
          by: Type.String({ minLength: 1 }),
          /** Names of classes; one that ends with `*` stands for all that begin like it. */
          classes: texts,
          /** How annotations begin that its Ingresses carry. */
          annotations: Type.Optional(texts),
          source: Type.String({ pattern: '^https://' }),
          checked: Type.String({ format: 'date' }),
        },
        strict,
      ),
    ),
  },
  strict,
)

const { managed } = written as Static<typeof ManagedClassesFile>
const classes = managed.flatMap((row) => row.classes)
const prefixes = managed.flatMap((row) => row.annotations ?? [])

/** Whether an Ingress is for a controller that a cloud or an operator brings, so that no manifest has to provide its class. */
export function isManaged(ingress: Manifest): boolean {
  const name = classOf(ingress)
  if (name !== undefined && classes.some((one) => isLike(name, one))) return true
  const annotations = [...ingress.root.at('metadata', 'annotations').entries()]
  return annotations.some(([key]) => prefixes.some((prefix) => key.startsWith(prefix)))
}

function isLike(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
