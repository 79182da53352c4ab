import { append } from '../append'
import type { NamedRevision, TrackedRevision } from '../deployers/common/tracked-revision'
import { gateFinding } from '../finding/gate-finding'
import type { Finding, Skipped } from '../finding/report'
import { identityOf, nameOf } from '../manifest/manifest'
import type { SideOfChange } from '../sides/side'

/** The usual names of the branch that a change is merged to, if its name is unknown. */
const usualBranches = ['main', 'master']

/**
 * Objects that deploy another revision of this repository than the merged change: the deployed files are not the judged
 * ones. A new one is a warning at the line that names the revision; the others are listed.
 *
 * @param branch the branch that the change is merged to; undefined if its name is unknown
 * @param isNamed whether the names of this repository are known; otherwise a new object may deploy another one
 */
export async function otherRevisions(
  base: SideOfChange | undefined,
  head: SideOfChange,
  { branch, isNamed }: { readonly branch: string | undefined; readonly isNamed: boolean },
): Promise<{ readonly findings: Finding[]; readonly skipped: Skipped[] }> {
  const before = new Before(base?.discovery.revisions ?? [])
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  for (const tracked of head.discovery.revisions) {
    const was = base ? before.of(tracked) : []
    const isNew =
      base !== undefined && isNamed && was.length === 0 && !before.names(tracked) && !isJudged(tracked, branch)
    const isMove = was.length > 0 && was.every((one) => isMoveFrom(one, tracked, branch))
    const isOpen = isNew && (await isFilledIn(tracked, head))
    if (isOpen) skipped.push(filled(tracked))
    else if (isNew || isMove) findings.push(finding(tracked, branch))
    else if (!isJudged(tracked, branch)) skipped.push(listed(tracked))
  }
  return { findings, skipped }
}

/** The revisions of the base. */
class Before {
  private readonly byFile = new Map<string, TrackedRevision[]>()
  private readonly byObject = new Map<string, TrackedRevision[]>()
  private readonly known: ReadonlySet<string>

  constructor(all: readonly TrackedRevision[]) {
    this.known = new Set(all.map(textOf))
    for (const one of all) {
      append(this.byObject, objectOf(one), one)
      append(this.byFile, `${objectOf(one)} ${one.manifest.origin.path}`, one)
    }
  }

  /** Those of the same object: in the same file, or else in any. */
  of(tracked: TrackedRevision): readonly TrackedRevision[] {
    const key = objectOf(tracked)
    return this.byFile.get(`${key} ${tracked.manifest.origin.path}`) ?? this.byObject.get(key) ?? []
  }

  /** Whether any object names the same revision. */
  names(revision: NamedRevision): boolean {
    return this.known.has(textOf(revision))
  }
}

function objectOf({ manifest, subject }: TrackedRevision): string {
  return JSON.stringify([identityOf(manifest.ref), subject])
}

function textOf({ kind, name }: NamedRevision): string {
  return JSON.stringify([kind, name])
}

/** Whether a revision is the branch that the change is merged to, as far as the branch is known. */
function isJudged({ kind, name }: NamedRevision, branch: string | undefined): boolean {
  return kind === 'branch' && (name === '' || (branch === undefined ? usualBranches.includes(name) : name === branch))
}

/** Whether an object that deployed the judged revision now deploys another one. */
function isMoveFrom(was: NamedRevision, is: NamedRevision, branch: string | undefined): boolean {
  if (textOf(was) === textOf(is)) return false
  // One of the two usual branches is not the judged one.
  if (isJudged(is, branch)) return isJudged(was, branch) && was.name !== '' && is.name !== ''
  // An unknown branch may be any.
  return isJudged(was, branch) || (branch === undefined && was.kind === 'branch')
}

/** Whether a replacement of a Kustomization that cannot be built puts another revision there. */
async function isFilledIn(
  { manifest: { object }, at, rendered }: TrackedRevision,
  head: SideOfChange,
): Promise<boolean> {
  if (rendered) return false
  const lineIn = (text: string) => text.split('\n')[at.region.startLine - 1]
  for (const source of head.discovery.unfollowed) {
    const { objects } = await head.readAsWritten(source)
    const own = objects.find(({ origin }) => origin.path === at.path)
    if (own && lineIn(own.object.fileText) !== lineIn(object.fileText)) return true
  }
  return false
}

function filled(tracked: TrackedRevision): Skipped {
  return {
    path: tracked.at.path,
    reason: `${objectName(tracked)}: the revision that it deploys is unknown, as a replacement of a Kustomization that cannot be built puts it there`,
    cause: 'other-revision',
  }
}

function finding(tracked: TrackedRevision, branch: string | undefined): Finding {
  const { manifest, name, at, rendered } = tracked
  const own =
    branch === undefined ? 'the branch that this change is merged to' : `${branch}, which this change is merged to`
  return gateFinding('source/unrendered', 'revision', 'warning', {
    side: 'head',
    ...at,
    status: 'introduced',
    object: manifest.ref,
    keys: [name],
    ...(rendered
      ? {
          rendered: {
            id: rendered.source,
            template: '',
            text: manifest.object.fileText,
            line: rendered.value.region.startLine,
            object: manifest.ref,
            keys: rendered.value.path,
          },
        }
      : { fileText: manifest.object.lines }),
    text: `${objectName(tracked)} deploys ${revisionOf(tracked)} of this repository after this change, and not ${own}: the deployed files are not the judged ones. Keep the revision, or run ingress-guard for the same change on ${name || 'that branch'}.`,
  })
}

function listed(tracked: TrackedRevision): Skipped {
  return {
    path: tracked.manifest.origin.path,
    reason: `${objectName(tracked)}: it deploys ${revisionOf(tracked)} of this repository, and the files of this change were judged in its place`,
    cause: 'other-revision',
  }
}

function objectName({ manifest: { ref } }: TrackedRevision): string {
  return nameOf(ref)
}

function revisionOf({ kind, name }: TrackedRevision): string {
  return kind === 'branch' ? `the branch ${name || 'that is the default one'}` : `the revision ${name}`
}
