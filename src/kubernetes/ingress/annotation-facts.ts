import * as Type from 'typebox'
import rows from '../../../facts/annotations.yaml'
import { closest } from '../../closest'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'

/** `facts/annotations.yaml` */
export const AnnotationFactsFile = factsFile({
  readers: Type.Array(
    Type.Object(
      {
        prefix: text,
        /** The program that reads them. */
        reader: text,
        /** What follows the prefix; a name that ends with `*` matches all with that start. */
        names: texts,
        ...proof,
      },
      strict,
    ),
  ),
})

const { readers } = factsIn(AnnotationFactsFile, rows)

/** An annotation that no release of its reader knows, and the one that is probably meant. */
export interface UnknownAnnotation {
  readonly reader: string
  readonly meant: string
}

/** `acme.cert-manager.io/http01-edit-in-place` is meant by `cert-manager.io/acme-http01-edit-in-place`. */
const inOtherOrder: ReadonlyMap<string, UnknownAnnotation> = new Map(
  readers
    .flatMap(({ prefix, reader, names }) => names.map((name) => ({ reader, meant: `${prefix}/${name}` })))
    .map((one) => [wordsOf(one.meant), one]),
)

/** What is meant by an annotation that its reader does not know; undefined if it is known, or nothing is like it. */
export function unknownAnnotation(key: string): UnknownAnnotation | undefined {
  const slash = key.indexOf('/')
  const [prefix, name] = [key.slice(0, slash), key.slice(slash + 1).toLowerCase()]
  const own = readers.find((one) => one.prefix === prefix)
  if (own?.names.some((known) => isLike(name, known))) return undefined
  const like = own && closest(name, own.names.filter(isWhole))
  if (own && like) return { reader: own.reader, meant: `${prefix}/${like}` }
  const other = readers.find(
    (one) => !own && one.names.some((known) => isLike(name, known)) && closest(prefix, [one.prefix]),
  )
  if (other) return { reader: other.reader, meant: `${other.prefix}/${name}` }
  return inOtherOrder.get(wordsOf(key))
}

function wordsOf(key: string): string {
  return key
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .sort()
    .join(' ')
}

function isWhole(name: string): boolean {
  return !name.endsWith('*')
}

function isLike(name: string, known: string): boolean {
  return isWhole(known) ? name === known : name.startsWith(known.slice(0, -1))
}
