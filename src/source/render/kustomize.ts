import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { splitDocuments } from '../../manifest/documents'
import type { Checkout } from '../checkout'
import { closureOf, type Kustomization, remoteIn } from '../kustomization'
import type { KustomizeSource } from '../source'
import { substituted } from '../substitution'
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
  { root, components = [] }: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string[] {
  const files = [root, ...components]
    .flatMap((start) => closureOf(start, all))
    .flatMap(({ folder, made, leadsTo, charts }) => [
      ...(made ? [] : checkout.below(folder)),
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
  const kustomizations = [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, all))
  const own = kustomizations[0]
  if (!own) return { failure: { reason: `there is no Kustomization in ${source.root || '.'}`, ...source.at } }
  const remote = remoteIn(kustomizations, checkout)
  if (remote) return { failure: remote }
  await checkout.layOut(kustomizeFiles(source, all, checkout))
  const inflates = kustomizations.some(({ charts }) => charts.length > 0)
  if (inflates && !kustomize.helm)
    return { failure: { reason: 'it inflates charts', path: own.file, region: firstLine, missing: 'helm' } }
  await writeMade(kustomizations, checkout)
  const folder = await folderToBuild(source, checkout, home)
  const charts = inflates && kustomize.helm ? ['--enable-helm', '--helm-command', kustomize.helm] : []
  const args = [...kustomize.command, ...charts, '--', folder]
  const outcome = await runTool(kustomize.program, args, { cwd: home, home, limits })
  if (outcome.status !== 0 || outcome.stopped) return { failure: failureOf(outcome, own, checkout) }
  const pieces = splitDocuments(outcome.stdout).map(
    ({ text }): Piece => ({ path: own.file, template: '', text: substituted(text, source.substitutions) }),
  )
  return { pieces }
}

/** The Kustomization's folder, or one that lays over it what an Argo CD or Flux object adds. */
async function folderToBuild(
  { root, overlay, components }: KustomizeSource,
  checkout: Checkout,
  home: string,
): Promise<string> {
  const folder = path.join(checkout.folder, root)
  if (!overlay && !components) return folder
  // Beside the files, not among them: kustomize takes nothing in that lies above the folder it builds.
  const over = path.join(home, 'over')
  await mkdir(over, { recursive: true })
  const resources = [path.relative(over, folder)]
  const laid = components
    ? { components: components.map((one) => path.relative(over, path.join(checkout.folder, one))) }
    : {}
  await writeFile(path.join(over, 'kustomization.yaml'), stringify({ ...overlay, ...laid, resources }))
  return over
}

/** Writes what Flux makes where a folder has no `kustomization.yaml`. */
async function writeMade(kustomizations: readonly Kustomization[], checkout: Checkout): Promise<void> {
  for (const { made, folder, includes } of kustomizations) {
    const place = checkout.placeOf(path.posix.join(folder, 'kustomization.yaml'))
    if (made && place) await writeFile(place, stringify({ resources: includes.map(({ text }) => text) }))
  }
}

function failureOf(outcome: Outcome, own: Kustomization, checkout: Checkout): Failure {
  const at = (reason: string, region = firstLine): Failure => ({ reason, path: own.file, region })
  if (outcome.stopped) return at(`kustomize was ended, because ${outcome.stopped}`)
  const said = outcome.stderr.replace(/^error: /im, '').trim() || `it ended with status ${outcome.status}`
  const named = own.includes.find(({ text }) => text.length > 2 && said.includes(`'${text}'`))
  return at(`kustomize does not build it: ${shortened(said, checkout.folder)}`, named?.region)
}
