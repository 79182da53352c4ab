import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import { splitDocuments } from '../../manifest/documents'
import type { Checkout } from '../checkout'
import { closureOf, type Kustomization, remoteIn } from '../kustomization'
import { urlOfPlugin } from '../outside'
import type { KustomizeSource } from '../source'
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
  const remote = remoteIn(kustomizations, checkout)
  if (remote) return { failure: remote }
  const files = kustomizeFiles(source, all, checkout)
  if (kustomizations.some(({ plugins }) => plugins)) {
    for (const [file, text] of await checkout.texts(files)) {
      const url = text.includes('builtin') ? urlOfPlugin(text) : undefined
      const reason = `it takes in ${url?.text}, which is not in this repository; vendor it and name the copy`
      if (url) return { failure: { reason, path: file, region: lineRegion(url.line) } }
    }
  }
  await checkout.layOut(files)
  const inflates = kustomizations.some(({ charts }) => charts.length > 0)
  if (inflates && !kustomize.helm)
    return { failure: { reason: 'it inflates charts', path: own.file, region: firstLine, missing: 'helm' } }
  const folder = await folderToBuild(source, checkout, home)
  const charts =
    inflates && kustomize.helm ? ['--enable-helm', '--helm-command', await onlyRendering(kustomize.helm, home)] : []
  const args = [...kustomize.command, ...charts, '--', folder]
  const outcome = await runTool(kustomize.program, args, { cwd: home, home, limits })
  if (outcome.status !== 0 || outcome.stopped) return { failure: failureOf(outcome, own, checkout) }
  const pieces = splitDocuments(outcome.stdout).map(
    ({ text }): Piece => ({ path: own.file, template: '', text: substituted(text, source.substitutions) }),
  )
  return { pieces }
}

/** A helm that renders and fetches nothing, whatever kustomize would have it do. Kustomize asks for helm 3; 4 renders as well. */
async function onlyRendering(helm: string, home: string): Promise<string> {
  const file = path.join(home, 'helm.sh')
  const quoted = `'${helm.replaceAll("'", `'\\''`)}'`
  const script = `#!/bin/sh
case "$1" in
  version) echo v3.99.0; exit ;;
  template) exec ${quoted} "$@" ;;
esac
echo "a chart that is not in the repository is not fetched" >&2
exit 1
`
  await writeFile(file, script, { mode: 0o700 })
  return file
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

function failureOf(outcome: Outcome, own: Kustomization, checkout: Checkout): Failure {
  const at = (reason: string, region = firstLine): Failure => ({ reason, path: own.file, region })
  if (outcome.broken) return { ...at(`kustomize cannot be run: ${outcome.broken}`), missing: 'kustomize' }
  if (outcome.stopped) return { ...at(`kustomize was ended, because ${outcome.stopped}`), ended: true }
  const said = outcome.stderr.replace(/^error: /im, '').trim()
  if (said === '') return { ...at(`kustomize ended with status ${outcome.status} and said nothing`), ended: true }
  const named = own.includes.find(({ text }) => text.length > 2 && said.includes(`'${text}'`))
  return at(`kustomize does not build it: ${shortened(said, checkout.folder)}`, named?.region)
}
