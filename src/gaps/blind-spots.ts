import { absentContent, gateFinding } from '../finding/gate-finding'
import type { Finding, Skipped } from '../finding/report'
import { abridged } from '../listing'
import type { Lines } from '../manifest/lines'
import { type Manifest, nameOf, type ObjectRef } from '../manifest/manifest'
import type { Files } from '../revision/files'
import type { Tree } from '../revision/tree'

const start = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }

/** Files that could not be read: findings, and the list of skipped ones. */
export interface Gaps {
  readonly findings: readonly Finding[]
  readonly skipped: readonly Skipped[]
}

/** Places of the head that could not be read: the base's objects there are unknown, not removed. */
export class BlindSpots {
  private readonly opaqueBefore: Set<string>

  constructor(
    private readonly base: Files,
    private readonly head: Files,
    private readonly tree: Tree,
    /** Why the objects of a file may be in a source that was not rendered. */
    private readonly hiddenAt: (path: string) => string | undefined,
  ) {
    this.opaqueBefore = base.opaque()
  }

  /**
   * Why a path may hold objects that were not read. A file that was just as unreadable at the base hides nothing that
   * was read there.
   */
  reasonFor(path: string): string | undefined {
    const file = this.head.loaded.get(path)
    const unreadable = file?.unreadable.find((one) => !this.isOld(path, one))
    if (unreadable) return unreadable.reason
    if (file?.templates.some((content) => !this.opaqueBefore.has(content)))
      return 'it is now a template, which another tool fills in'
    const hidden = this.hiddenAt(path)
    if (hidden) return `it is now ${hidden}, which was not rendered`
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const link = end === -1 ? path : path.slice(0, end)
      const refused = this.tree.refused.get(link)
      if (refused !== undefined) return `${link} is now ${refused}`
      if (end === -1) break
    }
    return this.head.missing.get(path)
  }

  /** Whether a document was just as unreadable at the base, or the file for the same reason. */
  private isOld(path: string, { reason, content }: { readonly reason: string; readonly content: string }): boolean {
    const alike = ({ loaded }: Files) => loaded.get(path)?.unreadable.filter((one) => one.reason === reason) ?? []
    return this.opaqueBefore.has(content) || alike(this.base).length >= alike(this.head).length
  }

  /** The template or unreadable file, new in this change, that writes an object of a kind and name. */
  writes({ kind, name }: ObjectRef): string | undefined {
    const [quotedKind, quotedName] = [kind, name].map((word) => `["']?${word.replace(/[^\w-]/g, '\\$&')}["']?[ \\t]*$`)
    const [itsKind, itsName] = [
      new RegExp(`^kind:[ \\t]+(?![ \\t])${quotedKind}`, 'm'),
      new RegExp(`^[ \\t]+name:[ \\t]+(?![ \\t])${quotedName}`, 'm'),
    ]
    for (const [path, { templates, unreadable }] of this.head.loaded) {
      const contents = [...templates, ...unreadable.map(({ content }) => content)]
      if (contents.some((one) => !this.opaqueBefore.has(one) && itsKind.test(one) && itsName.test(one))) return path
    }
    return undefined
  }

  /**
   * Reports `source/unreadable` for files with Kubernetes manifests and for files that were readable before; lists the
   * rest as skipped.
   *
   * @param unknown the base's objects that may be in files that could not be read
   * @param others files this change does not touch
   */
  gaps(unknown: readonly Manifest[], others: Files): Gaps {
    const findings: Finding[] = []
    const skipped: Skipped[] = []
    const lost = new Map<string, Manifest[]>()
    for (const manifest of unknown) {
      const there = lost.get(manifest.origin.path)
      if (there) there.push(manifest)
      else lost.set(manifest.origin.path, [manifest])
    }
    for (const [path, file] of this.head.loaded) {
      const before = this.base.loaded.get(path)
      const meant = file.kubernetes || (before?.objects.length ?? 0) > 0
      for (const { reason, region, content } of file.unreadable) {
        if (!meant) {
          skipped.push({ path, reason: `not readable: ${reason}`, cause: 'unreadable' })
          continue
        }
        const old = this.isOld(path, { reason, content })
        findings.push(
          unreadable(path, reason, region, old ? 'existing' : 'introduced', file.lines, old ? [] : lost.get(path)),
        )
        if (!old) lost.delete(path)
      }
      // An object without an apiVersion or a kind is not applied. A file that never had any may be for another tool.
      const known = new Set(before?.incomplete.map(({ reason }) => reason))
      const untyped = file.incomplete.filter(({ reason }) => !known.has(reason))
      if (file.objects.length > 0 || (before && before.objects.length > file.objects.length))
        findings.push(
          ...untyped.map(({ reason, region }) => unreadable(path, reason, region, 'introduced', file.lines)),
        )
      if (file.templates.length > 0) skipped.push({ path, reason: 'a template', cause: 'template' })
    }
    for (const [path, reason] of this.head.missing) {
      findings.push(missing(this.head, path, reason, 'introduced', lost.get(path)))
      lost.delete(path)
    }
    for (const [path, manifests] of lost) {
      const text = this.head.loaded.get(path)?.lines
      findings.push(
        unreadable(path, this.reasonFor(path) ?? 'it no longer exists', start, 'introduced', text, manifests),
      )
    }
    for (const [path, reason] of this.base.missing) {
      if (!this.head.missing.has(path)) findings.push(unreadableBase(path, reason, this.base.absent.has(path)))
    }
    // No change decides which contents a clone lacks, and this one leaves these as they are.
    for (const [path, reason] of others.missing) skipped.push({ path, reason })
    return { findings, skipped }
  }
}

function unreadableBase(path: string, reason: string, isAbsent: boolean): Finding {
  return gateFinding('source/unreadable', isAbsent ? absentContent : 'base', 'error', {
    side: 'base',
    path,
    region: start,
    status: 'introduced',
    keys: [path],
    text: `The base version of this file cannot be read: ${reason}. Objects that this change removes from it cannot be detected.`,
  })
}

/** The same for a revision that is judged whole. */
export function wholeGaps(head: Files): Gaps {
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  for (const [path, file] of head.loaded) {
    for (const { reason, region } of file.unreadable) {
      if (file.kubernetes) findings.push(unreadable(path, reason, region, 'existing', file.lines))
      else skipped.push({ path, reason: `not readable: ${reason}`, cause: 'unreadable' })
    }
    if (file.templates.length > 0) skipped.push({ path, reason: 'a template', cause: 'template' })
  }
  for (const [path, reason] of head.missing) findings.push(missing(head, path, reason, 'existing'))
  return { findings, skipped }
}

/** The finding for a file that cannot be read, with the objects that it may have lost. */
export function unreadable(
  path: string,
  reason: string,
  region: typeof start,
  status: Finding['status'],
  fileText: Lines | undefined,
  lost: readonly Manifest[] = [],
): Finding {
  return gateFinding('source/unreadable', 'unreadable', 'error', {
    side: 'head',
    path,
    region,
    status,
    keys: [path],
    text: `This file cannot be read: ${reason}.${unknownOf(lost)} Fix it, or list the file under \`ignore:\` in the config if it is not a manifest.`,
    ...(fileText ? { fileText } : {}),
  })
}

/** The finding for a file without content; only a fetch helps where the clone lacks it. */
function missing(
  { absent }: Files,
  path: string,
  reason: string,
  status: Finding['status'],
  lost: readonly Manifest[] = [],
): Finding {
  if (!absent.has(path)) return unreadable(path, reason, start, status, undefined, lost)
  return gateFinding('source/unreadable', absentContent, 'error', {
    side: 'head',
    path,
    region: start,
    status,
    keys: [path],
    text: `This file cannot be read: ${reason}. Until then, what it holds is not judged.${unknownOf(lost)}`,
  })
}

function unknownOf(lost: readonly Manifest[]): string {
  const names = lost.map(({ ref }) => nameOf(ref))
  return names.length > 0 ? ` It is unknown whether this change keeps ${abridged(names)}.` : ''
}
