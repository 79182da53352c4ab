/** An outcome of one attempt: a rendering, or the words with which the tool refused. */
export type Attempt<R> = { readonly rendering: R } | { readonly refusal: string } | undefined

/** The number of retries of a rendering in search of the parts that it refuses. */
const maxAttempts = 60

/** The number of parts that are left out one at a time. */
const maxNamed = 8

/** A rendering, undefined where there is none, and the parts that are not in it. */
export interface Accepted<P, R> {
  readonly rendering: R | undefined
  readonly refused: readonly P[]
}

const none = { rendering: undefined, refused: [] }

/**
 * Renders with as many parts of an answer as a chart accepts. Charts refuse some answers on purpose (`fail` if a Secret
 * exists that they did not create), so a refused part is left out, and no other with it: the changes by the others are
 * still seen.
 *
 * @param attempt renders with some of the parts; undefined if the tool was stopped
 * @param isNamed whether the words of a refusal name the place of a part
 */
export async function withoutRefused<P, R>(
  parts: readonly P[],
  attempt: (parts: readonly P[]) => Promise<Attempt<R>>,
  isNamed: (part: P, refusal: string) => boolean,
): Promise<Accepted<P, R>> {
  const whole = await attempt(parts)
  if (whole && 'rendering' in whole) return { rendering: whole.rendering, refused: [] }
  if (!whole || parts.length === 0) return none
  const bare = await attempt([])
  if (!bare) return none
  if ('refusal' in bare) return needingOthers(parts, whole.refusal, attempt, isNamed)
  const refused: P[] = []
  let [kept, refusal] = [parts, whole.refusal]
  for (let left = maxAttempts; left > 0; ) {
    // The parts that are named come last, so that mostly the search is among them alone.
    const named = new Set(kept.filter((part) => isNamed(part, refusal)))
    const ordered = [...kept.filter((part) => !named.has(part)), ...named]
    let [renders, refuses] = [0, ordered.length]
    let next = named.size < ordered.length ? ordered.length - named.size : ordered.length >> 1
    while (refuses - renders > 1 && left-- > 0) {
      const some = await attempt(ordered.slice(0, next))
      if (!some) return none
      if ('rendering' in some) renders = next
      else refuses = next
      next = (renders + refuses) >> 1
    }
    const culprit = ordered[refuses - 1]
    refused.push(...ordered.slice(refuses - 1, refuses))
    kept = kept.filter((part) => part !== culprit)
    if (kept.length === 0) return { rendering: bare.rendering, refused }
    left--
    const rest = await attempt(kept)
    if (!rest) return none
    if ('rendering' in rest) return { rendering: rest.rendering, refused }
    refusal = rest.refusal
  }
  return none
}

/** If a chart renders only with a part of the answer, another part is left out, one at a time. */
async function needingOthers<P, R>(
  parts: readonly P[],
  refusal: string,
  attempt: (parts: readonly P[]) => Promise<Attempt<R>>,
  isNamed: (part: P, refusal: string) => boolean,
): Promise<Accepted<P, R>> {
  for (const one of parts.filter((part) => isNamed(part, refusal)).slice(0, maxNamed)) {
    const some = await attempt(parts.filter((part) => part !== one))
    if (!some) return none
    if ('rendering' in some) return { rendering: some.rendering, refused: [one] }
  }
  return none
}
