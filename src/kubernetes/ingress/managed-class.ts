import * as Type from 'typebox'
import rows from '../../../facts/managed-classes.yaml'
import type { Manifest } from '../../manifest/manifest'
import { factsFile, factsIn, proof, strict, texts } from '../facts-format/facts-file'
import { classOf } from './ingress-class'

/** `facts/managed-classes.yaml` */
export const ManagedClassesFile = factsFile({
  managed: Type.Array(
    Type.Object(
      {
        by: Type.String({ minLength: 1 }),
        /** Names of classes; one that ends with `*` matches all with that prefix. */
        classes: texts,
        /** Prefixes of the annotations of its Ingresses. */
        annotations: Type.Optional(texts),
        ...proof,
      },
      strict,
    ),
  ),
})

const { managed } = factsIn(ManagedClassesFile, rows)
const classes = managed.flatMap((row) => row.classes)
const prefixes = managed.flatMap((row) => row.annotations ?? [])

/** Whether an Ingress is for a controller of a cloud or an operator, so that no manifest has to provide its class. */
export function isManaged(ingress: Manifest): boolean {
  const name = classOf(ingress)
  if (name !== undefined && classes.some((one) => isLike(name, one))) return true
  const annotations = [...ingress.root.at('metadata', 'annotations').entries()]
  return annotations.some(([key]) => prefixes.some((prefix) => key.startsWith(prefix)))
}

function isLike(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
