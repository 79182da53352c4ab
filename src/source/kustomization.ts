import path from 'node:path/posix'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'
import type { Region } from '../manifest/manifest'
import type { Checkout } from './checkout'
import { firstLine } from './render/rendering'

/** The names kustomize takes for its file, in its order. */
const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** A string of a Kustomization, and where it stands. */
export interface Mention {
  readonly text: string
  readonly region: Region
}

/** A folder that kustomize builds. */
export interface Kustomization {
  readonly folder: string
  /** Where it is written; for one that Flux makes, the object that has it made. */
  readonly file: string
  /** It stands in no file: Flux makes it of what it finds in the folder. */
  readonly made?: true
  /** Included by others, never deployed by itself. */
  readonly component: boolean
  /** `resources`, `bases` and `components`, as written. */
  readonly includes: readonly Mention[]
  /** Paths of the repository that any string in it leads to: files and folders. */
  readonly leadsTo: readonly string[]
  /** Charts it inflates, with the folder each has to be vendored in. */
  readonly charts: readonly { readonly name: string; readonly folder: string; readonly region: Region }[]
  readonly namespace: string
}

/** Every Kustomization of a revision, by folder. */
export async function readKustomizations(checkout: Checkout): Promise<Map<string, Kustomization>> {
  const files = new Map<string, string>()
  for (const name of [...names].reverse()) {
    for (const file of checkout.tree.entries.keys()) {
      if (path.basename(file) === name && checkout.has(file) && !checkout.tree.ignores(file))
        files.set(folderOf(file), file)
    }
  }
  const texts = await checkout.texts([...files.values()])
  const found = new Map<string, Kustomization>()
  for (const [folder, file] of files) {
    const text = texts.get(file)
    if (text === undefined || isFlux(text)) continue
    found.set(folder, parse(folder, file, text, checkout))
  }
  return found
}

/** Flux has a kind of that name too, and people keep it in files of that name. */
function isFlux(text: string): boolean {
  return /^apiVersion:\s*["']?kustomize\.toolkit\.fluxcd\.io\//m.test(text)
}

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}

function parse(folder: string, file: string, text: string, checkout: Checkout): Kustomization {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent', version: '1.1' })
  const regionOf = (node: Node): Region => {
    const [from, to] = node.range ?? [0, 0]
    const [start, end] = [lines.linePos(from), lines.linePos(to)]
    return { startLine: start.line, startColumn: start.col, endLine: end.line, endColumn: end.col }
  }
  const root = isMap(document.contents) ? document.contents : undefined
  const includes: Mention[] = ['resources', 'bases', 'components'].flatMap((key) => {
    const list = root?.get(key)
    return isSeq(list)
      ? list.items.flatMap((item) =>
          isScalar(item) && typeof item.value === 'string' ? [{ text: item.value, region: regionOf(item) }] : [],
        )
      : []
  })
  const leadsTo = new Set<string>()
  visit(document, {
    Scalar(_, { value }) {
      if (typeof value !== 'string' || value.includes('\n') || value.length > 500) return
      // `files: [app.conf=config/app.conf]` names a file behind its key.
      for (const written of [value, value.slice(value.indexOf('=') + 1)]) {
        const place = inside(folder, written)
        if (place !== undefined && checkout.tree.at(place).length > 0) leadsTo.add(place)
      }
    },
  })
  const globals = root?.get('helmGlobals')
  const home = isMap(globals) ? String(globals.get('chartHome') ?? 'charts') : 'charts'
  const charts = root?.get('helmCharts')
  return {
    folder,
    file,
    component: String(root?.get('kind') ?? '') === 'Component',
    includes,
    leadsTo: [...leadsTo].sort(),
    charts: isSeq(charts)
      ? charts.items.flatMap((item) =>
          isMap(item)
            ? [
                {
                  name: String(item.get('name') ?? ''),
                  folder: path.join(folder, home, String(item.get('name') ?? '')),
                  region: regionOf(item),
                },
              ]
            : [],
        )
      : [],
    namespace: String(root?.get('namespace') ?? ''),
  }
}

/** A path as a file in a folder writes it, from the repository's root; undefined when it leads out of it. */
export function inside(folder: string, written: string): string | undefined {
  if (written === '' || path.isAbsolute(written) || written.includes('://')) return undefined
  const place = path.normalize(path.join(folder, written)).replace(/\/$/, '')
  if (place === '..' || place.startsWith('../')) return undefined
  return place === '.' ? '' : place
}

/** Whether an entry of `resources:` names something outside the repository, in the forms kustomize takes. */
export function isRemote(written: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|git::|git@|[^/]+@[^/]+:|(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org)[/:])|[?&]ref=/i.test(
    written,
  )
}

/** The Kustomizations that one takes in, itself first. */
export function closureOf(start: string, all: ReadonlyMap<string, Kustomization>): Kustomization[] {
  const found = new Map<string, Kustomization>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const kustomization = all.get(folder)
    if (!kustomization || found.has(folder)) continue
    found.set(folder, kustomization)
    open.push(...kustomization.leadsTo.filter((place) => all.has(place)).reverse())
  }
  return [...found.values()]
}

/** The folders that no other Kustomization includes, components aside. */
export function rootsOf(all: ReadonlyMap<string, Kustomization>): Set<string> {
  const included = new Set(
    [...all.values()].flatMap(({ folder, includes }) =>
      includes.flatMap(({ text }) => inside(folder, text) ?? []).filter((place) => place !== folder),
    ),
  )
  return new Set(
    [...all.values()]
      .filter(({ folder, component }) => !component && !included.has(folder))
      .map(({ folder }) => folder),
  )
}

/** Why something of a Kustomization cannot be had without the network, and where it is written. */
export function remoteIn(
  kustomizations: readonly Kustomization[],
  checkout: Checkout,
): { reason: string; path: string; region: Region } | undefined {
  for (const { file, includes, charts, folder } of kustomizations) {
    for (const { text, region } of includes) {
      const place = inside(folder, text)
      if (isRemote(text) && !(place !== undefined && checkout.tree.at(place).length > 0))
        return {
          reason: `it takes in ${text}, which is not in this repository; vendor it and name the copy`,
          path: file,
          region,
        }
    }
    for (const chart of charts) {
      if (!checkout.has(path.join(chart.folder, 'Chart.yaml')))
        return {
          reason: `its chart ${chart.name} is not in ${chart.folder}; run \`helm pull --untar\` into ${path.dirname(chart.folder)} and commit it`,
          path: file,
          region: chart.region ?? firstLine,
        }
    }
  }
  return undefined
}
