import type { KustomizeSource, Source } from '../sources/source'
import type { Sides } from './opening/open-sides'

/**
 * The ids of Kustomizations with a variable that only one side sets, and whose value is not known: the key of an
 * encrypted Secret. They render to the same text, in which Flux replaces the variable by nothing on the other side.
 */
export async function reachedByVariables({ base, head }: Sides): Promise<string[]> {
  const before = new Map(base?.discovery.sources.map((source) => [source.id, source]))
  const found = head.discovery.sources.map(async (source) => {
    const names = setOnOneSide(before.get(source.id), source)
    if (names.length === 0) return []
    const texts = await head.checkout.texts(await head.files(source))
    const isReached = [...texts.values()].some((text) => names.some((name) => text.includes(`\${${name}`)))
    return isReached ? [source.id] : []
  })
  return (await Promise.all(found)).flat()
}

/** The variables that one side sets and the other does not; none where some of either side are not known. */
function setOnOneSide(was: Source | undefined, is: Source): string[] {
  const [before, after] = [variablesOf(was), variablesOf(is)]
  if (!before || !after) return []
  return [...before, ...after].filter((name) => !(before.has(name) && after.has(name)))
}

function variablesOf(source: Source | undefined): Set<string> | undefined {
  const { variables }: Partial<KustomizeSource> = source?.kind === 'kustomize' ? source : {}
  return variables && new Set(variables)
}
