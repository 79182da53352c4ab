import type { Failure } from '../render/tools/rendering'
import { ignoredByGit } from '../revision/ignored-by-git'
import type { RenderedSide } from './rendered-side'
import type { SideOfChange } from './side'

interface BothSides {
  /** None when the head is judged whole. */
  readonly base: SideOfChange | undefined
  readonly head: SideOfChange
}

/**
 * A side whose failure says that the missing file is one that Git ignores, so that it is only where somebody deploys it: a
 * Secret in plain text, for example. The base decides, as a change may not hide a file that it removes.
 *
 * @param isNew whether the base has no such source: then the head may ignore what is not there either
 */
export async function withIgnored<Side extends RenderedSide | undefined>(
  side: Side,
  sides: BothSides,
  isNew = false,
): Promise<Side> {
  if (!side?.failure) return side
  const failure = await ofIgnored(side.failure, sides, isNew)
  return failure === side.failure ? side : { ...side, failure }
}

async function ofIgnored(failure: Failure, { base, head }: BothSides, isNew: boolean): Promise<Failure> {
  const { absent } = failure
  if (absent === undefined || base?.checkout.has(absent)) return failure
  const isIgnored = await ignoredByGit((base ?? head).checkout)
  if (!isIgnored(absent) && !(isNew && base && (await isIgnoredNow(absent, base, head)))) return failure
  const reason = `kustomize cannot build it: Git ignores ${absent}, so that only those who deploy it have the file`
  return { ...failure, reason, lack: { what: 'ignored', about: absent } }
}

/**
 * Whether the head ignores a file, and nothing of the base can be hidden by that: no Kustomization is gone, from which the file may
 * have moved, and it is no patch, as one that is not seen lowers findings on other objects.
 */
async function isIgnoredNow(file: string, base: SideOfChange, { checkout, discovery }: SideOfChange): Promise<boolean> {
  const { kustomizations } = discovery
  if ([...base.discovery.kustomizations.keys()].some((folder) => !kustomizations.has(folder))) return false
  if ([...kustomizations.values()].some(({ patches }) => patches.includes(file))) return false
  return (await ignoredByGit(checkout))(file)
}
