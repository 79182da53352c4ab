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
import { urlOfPlugin } from '../outside'
import type { KustomizeSource } from '../source'
import { substituted } from '../substitution'
import { shortened } from './helm'
import { type Failure, firstLine, lineRegion, type Piece, type Rendering } from './rendering'
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
  const outside = kustomizations.flatMap((one) => one.outside.map((mention) => ({ ...mention, path: one.file })))[0]
  if (outside) {
    const reason = `it takes in ${outside.text}, which is not in this repository; vendor it and name the copy`
    return { failure: { reason, path: outside.path, region: outside.region } }
  }
  const missing = missingChart(kustomizations, checkout)
  if (missing) return { failure: missing }
  const files = kustomizeFiles(source, all, checkout)
  let inflates = kustomizations.some(({ charts }) => charts.length > 0)
  if (kustomizations.some(({ plugins }) => plugins)) {
    for (const [file, text] of await checkout.texts(files)) {
      inflates ||= text.includes('HelmChartInflationGenerator')
      const url = text.includes('builtin') ? urlOfPlugin(text) : undefined
      if (!url) continue
      const place = { path: file, region: lineRegion(url.line) }
      const reason = `it takes in ${url.text}, which is not in this repository; vendor it and name the copy`
      return { failure: { reason, ...place, remote: [{ text: url.text, ...place }] } }
    }
  }
  await checkout.layOut(files)
  const remote = kustomizations.flatMap((one) => remoteEntries(one, checkout))
  for (const { file } of kustomizations) await leaveOut(file, remote, checkout)
  if (inflates && !kustomize.helm)
    return { failure: { reason: 'it inflates charts', path: own.file, region: firstLine, missing: 'helm' } }
  await writeMade(kustomizations, checkout)
  const folder = await folderToBuild(source, checkout, home)
  const charts =
    inflates && kustomize.helm ? ['--enable-helm', '--helm-command', await onlyRendering(kustomize.helm, home)] : []
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

const notFetched = 'a chart that is not in the repository is not fetched'

/** A helm that renders and fetches nothing, whatever kustomize would have it do. Kustomize asks for helm 3; 4 renders as well. */
async function onlyRendering(helm: string, home: string): Promise<string> {
  const file = path.join(home, 'helm.sh')
  const quoted = `'${helm.replaceAll("'", `'\\''`)}'`
  const script = `#!/bin/sh
case "$1" in
  version) echo v3.99.0; exit ;;
  template) exec ${quoted} "$@" ;;
esac
echo "${notFetched}" >&2
exit 1
`
  await writeFile(file, script, { mode: 0o700 })
  return file
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

/** Kustomize's own words, at the entry of the innermost Kustomization that they name. */
function failureOf(outcome: Outcome, kustomizations: readonly Kustomization[], checkout: Checkout): Failure {
  const own = kustomizations[0]
  const at = (reason: string, path = own?.file ?? '', region = firstLine): Failure => ({ reason, path, region })
  if (outcome.broken) return { ...at(`kustomize cannot be run: ${outcome.broken}`), missing: 'kustomize' }
  if (outcome.stopped) return { ...at(`kustomize was ended, because ${outcome.stopped}`), ended: true }
  // What it says of deprecated fields comes first.
  const said = outcome.stderr
    .replace(/^# Warning: .*$/gm, '')
    .replace(/^error: /im, '')
    .trim()
  if (said === '') return { ...at(`kustomize ended with status ${outcome.status} and said nothing`), ended: true }
  if (said.includes(notFetched)) {
    // Without its version, so that a new one is no other failure.
    const [url = 'elsewhere'] = said.match(/\b(?:oci|https?):\/\/[^\s'"]+/) ?? []
    return at(`it inflates a chart of ${url}, which is not in this repository; run \`helm pull --untar\` and commit it`)
  }
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
