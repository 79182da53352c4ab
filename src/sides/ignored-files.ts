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
 */
export async function withIgnored<Side extends RenderedSide | undefined>(side: Side, sides: BothSides): Promise<Side> {
  if (!side?.failure) return side
  const failure = await ofIgnored(side.failure, sides)
  return failure === side.failure ? side : { ...side, failure }
}

async function ofIgnored(failure: Failure, { base, head }: BothSides): Promise<Failure> {
  const { absent } = failure
  if (absent === undefined || base?.checkout.has(absent)) return failure
  const isIgnored = await ignoredByGit((base ?? head).checkout)
  if (!isIgnored(absent)) return failure
  const reason = `kustomize cannot build it: Git ignores ${absent}, so that only those who deploy it have the file`
  return { ...failure, reason, lack: { what: 'ignored', about: absent } }
}
