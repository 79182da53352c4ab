import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { splitDocuments } from '../../manifest/documents'
import type { Checkout } from '../checkout'
import {
  closureOf,
  type Kustomization,
  missingChart,
  type RemoteEntry,
  remoteEntries,
  withoutEntries,
} from '../kustomization'
import type { KustomizeSource } from '../source'
import { shortened } from './helm'
import { type Failure, firstLine, type Piece, type Rendering } from './rendering'
import { type Limits, type Outcome, runTool } from './tool'

/** The program that builds Kustomizations: kustomize itself, or kubectl with kustomize in it. */
export interface Kustomize {
  readonly program: string
  /** The words before the folder. */
  readonly command: readonly string[]
  /** For `helmCharts:`. */
  readonly helm: string | undefined
}

/** The files of the repository that a Kustomization is made of. */
export function kustomizeFiles(
  { root }: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string[] {
  const files = closureOf(root, all).flatMap(({ folder, leadsTo, charts }) => [
    ...checkout.below(folder),
    ...leadsTo.flatMap((place) => checkout.tree.at(place)),
    ...charts.flatMap((chart) => checkout.below(chart.folder)),
  ])
  return [...new Set(files)].sort()
}

/** Builds a Kustomization with the real kustomize. */
export async function renderKustomize(
  source: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  { kustomize, home, limits }: { kustomize: Kustomize; home: string; limits: Limits },
): Promise<Rendering> {
  const kustomizations = closureOf(source.root, all)
  const own = kustomizations[0]
  if (!own) return { failure: { reason: `there is no Kustomization in ${source.root || '.'}`, ...source.at } }
  const missing = missingChart(kustomizations, checkout)
  if (missing) return { failure: missing }
  await checkout.layOut(kustomizeFiles(source, all, checkout))
  const remote = kustomizations.flatMap((one) => remoteEntries(one, checkout))
  for (const { file } of kustomizations) await leaveOut(file, remote, checkout)
  const inflates = kustomizations.some(({ charts }) => charts.length > 0)
  if (inflates && !kustomize.helm)
    return { failure: { reason: 'it inflates charts', path: own.file, region: firstLine, missing: 'helm' } }
  const folder = await folderToBuild(source, checkout, home)
  const charts = inflates && kustomize.helm ? ['--enable-helm', '--helm-command', kustomize.helm] : []
  const args = [...kustomize.command, ...charts, '--', folder]
  const outcome = await runTool(kustomize.program, args, { cwd: home, home, limits })
  if (outcome.status !== 0 || outcome.stopped) {
    return { failure: { ...failureOf(outcome, kustomizations, checkout), ...(remote.length > 0 ? { remote } : {}) } }
  }
  const pieces = splitDocuments(outcome.stdout).map(
    ({ text }): Piece => ({ path: own.file, template: '', text: substituted(text, source.substitutions) }),
  )
  return { pieces, remote }
}

/** Takes what is not in this repository out of a Kustomization that is laid out, so that the rest of it can be built. */
async function leaveOut(file: string, remote: readonly RemoteEntry[], checkout: Checkout): Promise<void> {
  const entries = remote.filter(({ path }) => path === file)
  const place = checkout.placeOf(file)
  const text = entries.length > 0 ? await checkout.text(file) : undefined
  if (text !== undefined && place) await writeFile(place, withoutEntries(text, entries))
}

/** The Kustomization's folder, or one that lays over it what an Argo CD or Flux object adds. */
async function folderToBuild({ root, overlay }: KustomizeSource, checkout: Checkout, home: string): Promise<string> {
  const folder = path.join(checkout.folder, root)
  if (!overlay) return folder
  const over = path.join(checkout.folder, `.over-${path.basename(home)}`)
  await mkdir(over, { recursive: true })
  const resources = [path.relative(over, folder)]
  await writeFile(path.join(over, 'kustomization.yaml'), stringify({ ...overlay, resources }))
  return over
}

/** Flux's `${name}`, `${name:-default}` and `${name:=default}`; a name it was not given stays as it is written. */
export function substituted(text: string, substitutions: Readonly<Record<string, string>> | undefined): string {
  if (!substitutions) return text
  return text.replace(/\$?\$\{([A-Za-z_]\w*)(?::?[-=]([^}]*))?\}/g, (written, name: string, fallback?: string) => {
    if (written.startsWith('$$')) return written.slice(1)
    return Object.hasOwn(substitutions, name) ? (substitutions[name] ?? '') : (fallback ?? written)
  })
}

/** Kustomize's own words, at the entry of the innermost Kustomization that they name. */
function failureOf(outcome: Outcome, kustomizations: readonly Kustomization[], checkout: Checkout): Failure {
  const own = kustomizations[0]
  const at = (reason: string, path = own?.file ?? '', region = firstLine): Failure => ({ reason, path, region })
  if (outcome.stopped) return at(`kustomize was ended, because ${outcome.stopped}`)
  const said = outcome.stderr.replace(/^error: /im, '').trim() || `it ended with status ${outcome.status}`
  const named = kustomizations
    .flatMap(({ file, includes }) =>
      includes.map(({ text, region }) => ({ file, region, place: said.lastIndexOf(`'${text}'`) })),
    )
    .filter(({ place }) => place !== -1)
    .sort((a, b) => b.place - a.place)[0]
  // What comes before tells by which Kustomizations it was taken in, which differs for each of them.
  const words = said.slice(Math.max(0, said.lastIndexOf('accumulating resources from ')))
  return at(`kustomize does not build it: ${shortened(words, checkout.folder)}`, named?.file, named?.region)
}
