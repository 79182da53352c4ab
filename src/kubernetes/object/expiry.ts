import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

/** A mark by which a tool deletes an object at some time, with its place. */
export interface Expiry {
  readonly at: Cursor
  readonly key: string
  readonly place: 'annotation' | 'label'
  readonly tool: string
  /** The time, as a clause. */
  readonly when: string
}

interface Mark {
  readonly key: string
  readonly place: Expiry['place']
  readonly tool: string
}

/**
 * All of them count a duration from the creation of the object, so that an old one is deleted at once, and each time again
 * after something recreates it. Sources: kyverno/kyverno, pkg/controllers/ttl/utils.go,
 * parseDeletionTime; https://kyverno.io/docs/guides/ttl-cleanup/, https://codeberg.org/hjacobs/kube-janitor and
 * https://github.com/TwiN/k8s-ttl-controller
 */
const marks: readonly Mark[] = [
  { key: 'cleanup.kyverno.io/ttl', place: 'label', tool: 'Kyverno' },
  { key: 'janitor/ttl', place: 'annotation', tool: 'kube-janitor' },
  { key: 'janitor/expires', place: 'annotation', tool: 'kube-janitor' },
  { key: 'k8s-ttl-controller.twin.sh/ttl', place: 'annotation', tool: 'k8s-ttl-controller' },
]

/** The keys of these marks. */
export const expiryKeys: readonly string[] = marks.map(({ key }) => key)

/** The marks of an object; one with another value, such as `forever`, lets it stay. */
export function expiriesOf({ root }: Manifest): Expiry[] {
  return marks.flatMap((mark) => {
    const at = root.at('metadata', `${mark.place}s`, mark.key)
    const time = at.string ?? ''
    if (!/^\d/.test(time)) return []
    return [{ ...mark, at, when: /^\d{4}-/.test(time) ? `at ${time}` : `once it is ${time} old` }]
  })
}
