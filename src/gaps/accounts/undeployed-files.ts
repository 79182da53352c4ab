import path from 'node:path/posix'
import type { Witness } from '../../ledger/entry'
import { chartNamedBy, looksLikeValues } from '../../ledger/named-files'
import { mentionsKubernetes } from '../../manifest/load'
import { manifestName } from '../../revision/tree'
import type { SideOfChange } from '../../sides/side'
import { nameOfSource } from '../../sources/source'
import type { AccountedSide } from './accounted-side'
import { namingFiles } from './naming-files'

/** Symbolic links and submodules, which have no content of their own. */
export function links(was: AccountedSide, is: AccountedSide): Witness {
  return (file) => {
    const { side } = is.side.checkout.tree.entries.has(file) ? is : was
    const { tree } = side.checkout
    const entry = tree.entries.get(file)
    if (entry?.type === 'submodule') {
      const user = [was, is].flatMap((one) => deployersBelow(file, one.side))[0]
      return user === undefined
        ? {
            state: 'not-deployed',
            cause: 'submodule',
            reason: 'it is another repository, and nothing here deploys a part of it',
          }
        : {
            state: 'not-judged',
            cause: 'submodule',
            reason: `it is another repository, and ${user} deploys a part of it`,
          }
    }
    if (entry?.type !== 'link') return undefined
    const to = tree.resolved.get(file)
    if (to === undefined) {
      const why = tree.refused.get(file) ?? 'a symbolic link that is not followed'
      return { state: 'not-deployed', cause: 'link', reason: `it is ${why}` }
    }
    const isRead = tree.at(to).some((target) => tree.files.has(target) && tree.aliases.has(target))
    return isRead
      ? { state: 'judged', reason: `it is a link to ${to}, which is judged where the link deploys it` }
      : {
          state: 'not-deployed',
          cause: 'link',
          reason: `it is a link to ${to}, and nothing known deploys anything through it`,
        }
  }
}

/** The deployers of a path below a submodule. */
function deployersBelow(submodule: string, { discovery }: SideOfChange): string[] {
  const isBelow = (place: string) => place === submodule || place.startsWith(`${submodule}/`)
  return [
    ...discovery.sources.flatMap((source) =>
      isBelow(source.kind === 'helm' ? source.chart : source.root) ? [nameOfSource(source)] : [],
    ),
    ...[...discovery.kustomizations.values()].flatMap(({ folder, file, includes }) =>
      includes.some(({ text }) => isBelow(path.join(folder, text))) ? [file] : [],
    ),
  ]
}

/** Files that nothing known deploys; a script or a document may name one. */
export async function undeployed(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Witness> {
  const namers = await Promise.all(
    [head, base].map(({ discovery, checkout }) =>
      namingFiles(
        [...changed].filter((file) => discovery.ownership.get(file)?.deployed === false && manifestName.test(file)),
        checkout,
      ),
    ),
  )
  return (file) => {
    for (const { discovery, checkout } of [head, base]) {
      if (!checkout.tree.entries.has(file)) continue
      const owned = discovery.ownership.get(file)
      if (owned && !owned.deployed) {
        const reason = `it is ${owned.reason}`
        const namer = namers.flatMap((one) => one.get(file) ?? [])[0]
        return namer === undefined
          ? { state: 'not-deployed', cause: 'orphan', reason }
          : {
              state: 'not-deployed',
              cause: 'named-orphan',
              reason: `${reason}; ${namer} names it, so something else may deploy it`,
            }
      }
      if (owned)
        return {
          state: 'not-deployed',
          cause: 'not-taken',
          reason: `it is ${owned.reason}, and no known release or Kustomization uses it`,
        }
      if (checkout.tree.ignores(file))
        return {
          state: 'not-deployed',
          cause: 'ignored-file',
          reason: 'a glob of `ignore` excludes it, and nothing known deploys it',
        }
    }
    return undefined
  }
}

/** The files that are left: those with the name of a manifest that hold none, and all others. */
export function withoutObjects(was: AccountedSide, is: AccountedSide): Witness {
  let charts: ReadonlyMap<string, string> | undefined
  return (file) => {
    const text = is.texts.get(file) ?? was.texts.get(file)
    if (text !== undefined && mentionsKubernetes(text)) {
      if (![was, is].some(({ objects }) => objects.has(file))) return undefined
      return hasObjectsInside(text)
        ? {
            state: 'not-deployed',
            cause: 'not-taken',
            reason:
              'it has Kubernetes objects below keys of its own, as values have, and no known release uses it; declare the release under `helm:` in the config if there is one',
          }
        : { state: 'not-kubernetes', cause: 'no-object', reason: 'it contains no complete Kubernetes object' }
    }
    if (looksLikeValues(file))
      return {
        state: 'not-deployed',
        cause: 'not-taken',
        reason:
          'it looks like values, and no known release uses it, so only its blocks of an Ingress are judged; declare the release under `helm:` in the config if there is one',
      }
    charts ??= chartsByName([was.side, is.side])
    const chart = charts.get(chartNamedBy(file) ?? '')
    if (chart !== undefined)
      return {
        state: 'not-deployed',
        cause: 'not-taken',
        reason: `by its name it may be values of ${chart}, and no known release uses it; declare the release under \`helm:\` in the config if there is one`,
      }
    return manifestName.test(file)
      ? { state: 'not-kubernetes', cause: 'no-object', reason: 'it has no `apiVersion` and `kind`' }
      : { state: 'not-kubernetes', cause: 'no-manifest', reason: 'it is no YAML or JSON file' }
  }
}

/** Whether a text has the keys of an object below others, and not at the top. */
function hasObjectsInside(text: string): boolean {
  return !/^(?:apiVersion|kind):/m.test(text) && /^[ -]+apiVersion:/m.test(text) && /^ +kind:/m.test(text)
}

/** The folders of the charts of this repository, by their names. */
function chartsByName(sides: readonly SideOfChange[]): Map<string, string> {
  const files = sides.flatMap(({ checkout }) => [...checkout.tree.entries.keys()])
  const folders = files.filter((file) => path.basename(file) === 'Chart.yaml').map((file) => path.dirname(file))
  return new Map(folders.map((folder) => [path.basename(folder), folder]))
}
