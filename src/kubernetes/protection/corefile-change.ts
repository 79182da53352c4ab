import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { type Corefile, readCorefile } from './corefile'

/** The key by which CoreDNS's manifests name their configuration. */
const key = 'Corefile'

/** The loss in a Corefile: it can no longer be read, or servers and plugins that answer are removed. */
export interface CorefileLoss {
  readonly at: readonly Cursor[]
  readonly fault?: string
  readonly lack?: string
}

/** The reasons why a Corefile stops answering with a change; undefined if there are none. */
export function lostInCorefile(before: Manifest | undefined, after: Manifest): CorefileLoss | undefined {
  const [was, is] = [before?.root.at('data', key), after.root.at('data', key)]
  const ends = was?.exists ? [is, was] : [is]
  if (is.string === undefined) {
    const others = [...after.root.at('data').entries()]
    return was?.string && others.length > 0 ? { at: ends, lack: 'no content' } : undefined
  }
  const [had, has] = [was?.string === undefined ? undefined : readCorefile(was.string), readCorefile(is.string)]
  if ('fault' in has) return had && 'fault' in had ? undefined : { at: ends, fault: has.fault }
  const lack = lackOf(has, after)
  if (lack && (!had || lackOfAny(had, before) !== lack)) return { at: ends, lack }
  // The plugin that answers for the Services of the cluster.
  const answered = had && !('fault' in had) && answers(had)
  return answered && !lack && !answers(has) && has.imports.length === 0
    ? { at: ends, lack: 'no plugin kubernetes' }
    : undefined
}

type Readable = Exclude<Corefile, { fault: string }>

function lackOfAny(corefile: Corefile, holder: Manifest | undefined): string | undefined {
  return 'fault' in corefile || !holder ? undefined : lackOf(corefile, holder)
}

/** A file that is imported counts if it is another key of the ConfigMap, or if servers are there in any case. */
function lackOf({ blocks, imports }: Readable, holder: Manifest): string | undefined {
  if (blocks.length > 0)
    return blocks.some(({ plugins }) => plugins.length > 0) ? undefined : 'no plugin in any server block'
  const others = [...holder.root.at('data').entries()].filter(([name]) => name !== key)
  const isHere = imports.some((name) => others.some(([other]) => matches(name, other)))
  if (isHere) return undefined
  return imports.length > 0
    ? 'no server block of its own, only imports of files that nothing here provides'
    : 'no server block'
}

/** Whether an import names a file, with `*` for any part of its name. */
function matches(pattern: string, file: string): boolean {
  const parts = pattern.slice(pattern.lastIndexOf('/') + 1).split('*')
  const [first = '', ...rest] = parts
  const last = rest.at(-1)
  return last === undefined ? file === first : file.startsWith(first) && file.endsWith(last)
}

function answers({ blocks }: Readable): boolean {
  return blocks.some(({ plugins }) => plugins.includes('kubernetes') || plugins.includes('import'))
}
