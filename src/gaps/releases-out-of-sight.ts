import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { nameOfSource, type Source } from '../sources/source'

/**
 * Releases of Fleet and helmfile that were rendered at the base, are still declared, and cannot be rendered at the
 * head.
 */
export function releasesOutOfSight(base: SideOfChange, head: SideOfChange): Finding[] {
  const present = new Set(head.discovery.sources.map(({ id }) => id))
  const gone = base.discovery.sources.filter(({ id }) => /^(?:fleet|helmfile):/.test(id) && !present.has(id))
  const found = new Map<string, Finding>()
  for (const source of gone) {
    const cause = causeIn(head, base, source)
    if (!cause) continue
    const { path, region, reason } = cause
    const finding = gateFinding('source/unrendered', 'out-of-sight', 'error', {
      side: 'head',
      path,
      region,
      status: 'introduced',
      keys: [path, reason],
      text: `The objects that ${nameOfSource(source)} deploys can no longer be rendered, so this change to them cannot be checked: ${reason}.`,
    })
    found.set(JSON.stringify([path, reason]), finding)
  }
  return [...found.values()]
}

function causeIn(head: SideOfChange, base: SideOfChange, source: Source) {
  const { releases, unread } = head.discovery.fileDeployments
  const file = source.declaredAt.path
  // A helmfile that becomes a template gets another ending.
  const paths = [file, `${file}.gotmpl`]
  const name = source.kind === 'helm' ? source.release : undefined
  const remote = releases.find((one) => paths.includes(one.path) && one.name === name)
  if (remote) {
    const { path, chart, repository, object } = remote
    const from = repository && repository !== chart ? ` from ${repository}` : ''
    return { path, region: object.region, reason: `the chart ${chart}${from} is not in this repository` }
  }
  const before = base.discovery.fileDeployments.unread
  const known = new Set(before.map(({ reason }) => reason))
  // Its environment is gone: in the others it is rendered, as far as it was.
  const isRendered = head.discovery.sources.some(
    (one) => one.kind === 'helm' && one.release === name && paths.includes(one.declaredAt.path),
  )
  if (isRendered && before.some(({ path, names }) => path === file && names?.includes(name ?? ''))) return undefined
  const cause = unread.find(
    ({ path, release, names, reason }) =>
      paths.includes(path) &&
      (release === undefined || release === name) &&
      // A template that lists the releases that are not judged has no other.
      (!names?.length || names.includes(name ?? '')) &&
      !known.has(reason),
  )
  return cause
}
