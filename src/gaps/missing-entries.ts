import path from 'node:path/posix'
import { oneEditFrom } from '../closest'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { inside, isRemote, type Kustomization, type Mention } from '../sources/kustomization'
import { realPlace } from '../sources/places'

/**
 * Entries of Kustomizations for files and folders that this change removes, or whose names it writes wrong, where the
 * build does not show it, as something else in the Kustomization keeps it from being built here, or nothing known deploys
 * it. It may be built elsewhere.
 *
 * @param known the failures that are reported already
 * @param isOwn whether this run accounts for a file, where several share a repository
 */
export async function missingEntries(
  base: SideOfChange,
  head: SideOfChange,
  known: readonly Finding[],
  isOwn: (file: string) => boolean,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { folder, file, made, includes } of head.discovery.kustomizations.values()) {
    if (!isOwn(file)) continue
    const before = made ? undefined : base.discovery.kustomizations.get(folder)
    const gone = before
      ? includes.filter(
          (entry) => isMissing(entry, folder, head) && isListed(entry, before) && !isMissing(entry, folder, base),
        )
      : []
    const fileText = gone.length > 0 ? await head.checkout.text(file) : undefined
    for (const { text, region } of gone) {
      if (known.some((one) => names(one, text))) continue
      found.push(
        gateFinding('source/unrendered', 'entry-missing', 'warning', {
          side: 'head',
          path: file,
          region,
          status: 'introduced',
          keys: [file, text],
          text: `This Kustomization lists ${text}, and this change removes it, so kustomize cannot build it, and nothing that is built with it is applied. Correct the path, restore the file, or remove the entry.`,
          ...(fileText === undefined ? {} : { fileText }),
        }),
      )
    }
    found.push(...(await misspelledEntries({ folder, file, made, includes }, before, head, known)))
  }
  return found
}

/**
 * Entries that the change writes and that are not there, where a manifest that is not listed has nearly this name, or was
 * listed in their place, or where others show another way to the same folder.
 */
async function misspelledEntries(
  { folder, file, made, includes }: Pick<Kustomization, 'folder' | 'file' | 'made' | 'includes'>,
  before: Kustomization | undefined,
  head: SideOfChange,
  known: readonly Finding[],
): Promise<Finding[]> {
  const wrong = made
    ? []
    : includes.filter((entry) => isMissing(entry, folder, head) && !(before && isListed(entry, before)))
  if (wrong.length === 0) return []
  const start = folder === '' ? 0 : folder.length + 1
  const listed = new Set(includes.map(({ text }) => withoutDot(text)))
  const unlisted = head.checkout
    .below(folder)
    .map((one) => one.slice(start))
    .filter((name) => isManifest(name) && !listed.has(name))
  const dropped = (before?.includes ?? []).map(({ text }) => withoutDot(text)).filter((name) => unlisted.includes(name))
  const fileText = await head.checkout.text(file)
  return wrong.flatMap(({ text, region }) => {
    const name = withoutDot(text)
    const beside = (names: readonly string[]) => names.filter((one) => path.dirname(one) === path.dirname(name))
    // Where the change writes one name in place of another, the other one is meant.
    const [replaced, ...others] = beside(dropped)
    const isPair = wrong.length === 1 && others.length === 0
    const like = meantBy(name, beside(unlisted)) ?? (isPair ? replaced : undefined)
    const words =
      like === undefined
        ? otherSteps({ text, folder }, includes, head)
        : `It does not list ${like}, which is in the same folder. Write ${like} if that is meant.`
    if (words === undefined || known.some((one) => names(one, text))) return []
    return gateFinding('source/unrendered', 'entry-misspelled', 'warning', {
      side: 'head',
      path: file,
      region,
      status: 'introduced',
      keys: [file, text],
      text: `This Kustomization lists ${text}, which is not there, so kustomize cannot build it, and nothing that is built with it is applied. ${words}`,
      ...(fileText === undefined ? {} : { fileText }),
    })
  })
}

/**
 * The correction of an entry with too few or too many `../` before the same folder as others; undefined if these do not show
 * it. The folder may be one that is made or cloned before the build, and in no commit.
 */
function otherSteps(
  { text, folder }: { readonly text: string; readonly folder: string },
  includes: readonly Mention[],
  { checkout: { tree } }: SideOfChange,
): string | undefined {
  const { steps, rest } = inSteps(text)
  const [first = ''] = rest
  const alike = includes.map((one) => inSteps(one.text)).filter((one) => one.rest[0] === first && one.rest.length > 1)
  const others = alike.filter((one) => one.steps !== steps)
  const [other] = others
  const isAlone = others.length === alike.length - 1 && others.every((one) => one.steps === other?.steps)
  if (!other || !isAlone || others.length < fewestAlike) return undefined
  const way = '../'.repeat(other.steps)
  const [place, top] = [rest.join('/'), first].map((end) => inside(folder, `${way}${end}`))
  const isThere = (one: string | undefined) => one !== undefined && tree.at(realPlace(tree, one)).length > 0
  if (!isThere(place) && isThere(top)) return undefined
  const count = `The ${others.length} other entries that lead to ${first} begin with ${way || first}.`
  return `${count} Write ${way}${rest.join('/')} if that is meant.`
}

/** So many entries show where a folder is. */
const fewestAlike = 3

/** The number of `../` at the start of an entry, and the names after it. */
function inSteps(entry: string): { readonly steps: number; readonly rest: readonly string[] } {
  const names = entry.split('/').filter((name) => name !== '.' && name !== '')
  const steps = names.findIndex((name) => name !== '..')
  return steps === -1 ? { steps: names.length, rest: [] } : { steps, rest: names.slice(steps) }
}

function isManifest(file: string): boolean {
  return /\.ya?ml$/.test(file) && !/^kustomization\.ya?ml$/.test(path.basename(file))
}

/** `web.yaml` for `./web.yaml`. */
function withoutDot(entry: string): string {
  return entry.replace(/^\.\//, '')
}

/**
 * The file whose name, without its ending, is one edit from the given one, or one of the two begins with the other, or
 * one word of several differs.
 */
function meantBy(name: string, files: readonly string[]): string | undefined {
  const stem = stemOf(name)
  const stems = files.map(stemOf)
  const longer = stems.filter((one) => Math.min(one.length, stem.length) > 3 && begins(one, stem))
  const alike = stems.filter((one) => isOneWordFrom(one, stem))
  const only = (some: readonly string[]) => (some.length === 1 ? some[0] : undefined)
  const meant = oneEditFrom(stem, stems) ?? only(longer) ?? only(alike)
  return files.find((file) => stemOf(file) === meant)
}

/** Whether one of three or more words differs: `cluster-roling-binding` and `cluster-role-binding`. */
function isOneWordFrom(one: string, other: string): boolean {
  const words = one.split(/[-_.]/)
  const others = other.split(/[-_.]/)
  if (words.length < 3 || words.length !== others.length) return false
  return words.filter((word, index) => word !== others[index]).length === 1
}

function stemOf(file: string): string {
  return file.replace(/\.ya?ml$/, '')
}

function begins(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

function isMissing({ text }: Mention, folder: string, { checkout }: SideOfChange): boolean {
  const place = isRemote(text) || /[${}\n]/.test(text) ? undefined : inside(folder, text)
  if (place === undefined || place === '' || checkout.inPlaceOf.has(text)) return false
  return checkout.tree.at(realPlace(checkout.tree, place)).length === 0
}

function isListed({ text }: Mention, { includes }: Kustomization): boolean {
  return includes.some((one) => one.text === text)
}

/** Whether a finding names an entry already: kustomize puts it in quotes, and a short one may be a part of other words. */
function names({ rule, text: words }: Finding, entry: string): boolean {
  return rule === 'source/unrendered' && words.includes(`'${entry}'`)
}
