import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { identityOf, type ObjectRef } from '../../manifest/manifest'
import { skimIdentities } from '../../manifest/skim'
import type { Checkout } from '../../revision/checkout'
import type { HelmSource } from '../../sources/source'
import { errorLinesIn, layOutChart, piecesIn, rendersAsInstalled, shortened, upgradeOf } from '../tools/helm'
import { type Running, template, valuesArguments, withUsableSchema } from '../tools/helm-template'
import type { Piece, Rendering } from '../tools/rendering'
import { type Outcome, runTool } from '../tools/tool'
import { type FoundObjects, pluralOf, type StubCluster } from './stub-api'
import type { StubServer } from './stub-server'

/** A cluster as a release may find it. */
export interface ClusterState {
  /** A few words for a reader; the same for both sides of a change. */
  readonly name: string
  /** The revision that an upgrade makes. */
  readonly revision: number
  readonly version: string
  /** The APIs that it serves, with their kinds. */
  readonly served: readonly string[]
  /** The paths at which `lookup` finds something; all of them. */
  readonly finds: readonly string[] | 'all'
  /**
   * Helm gets the version and the APIs as flags instead of from a server, which is many times faster; `lookup` finds
   * nothing.
   */
  readonly byFlags?: true
  /** Whether only some clusters are like it: another version, or older APIs. */
  readonly isOdd?: true
}

/** The objects that every cluster has around a release. */
export interface Surrounding {
  /** Identifies all that is found. */
  readonly digest: string
  readonly found: FoundObjects
  /** Kinds that `lookup` may ask for. */
  readonly kinds: readonly string[]
  /** The APIs of the objects that it renders to, with their kinds. */
  readonly own: readonly string[]
  /** The objects of the release, as YAML. */
  readonly manifest: string
  /** The output that no answer changes: the CRDs of `crds/`. */
  readonly fixed: readonly Piece[]
  /** Whether the release is rendered as an installation, as its chart refuses an upgrade. */
  readonly isInstalled: boolean
}

/** The output of helm for a cluster, and its questions. */
export type AskedRendering = {
  /** The paths that `lookup` asked for. */
  readonly questions: readonly string[]
} & (
  | { readonly pieces: readonly Piece[] }
  /** The reason for a missing rendering: the chart refuses, it asks too much, or helm did not end. */
  | { readonly fault: 'refused' | 'endless' | 'stopped' /** Helm's message. */; readonly reason?: string }
)

/** The number of times that helm is restarted, with the kinds that it did not know. */
const maxLessons = 4

/** Renders a release as helm does for a cluster, which is served to it. */
export async function renderAsked(
  source: HelmSource,
  checkout: Checkout,
  running: Running,
  { state, surrounding, server }: { state: ClusterState; surrounding: Surrounding; server: StubServer },
  postRender: (pieces: readonly Piece[]) => Promise<Rendering>,
): Promise<AskedRendering> {
  const chart = await layOutChart(source, checkout, running.network)
  if ('failure' in chart) return { questions: [], fault: 'refused' }
  if (rendersAsInstalled(source) || state.byFlags) {
    const { version, served } = state
    const names = served.flatMap((api) => [api.replace(/\/$/, ''), api.split('/').slice(0, -1).join('/')])
    const apiVersions = [...new Set([...(source.apiVersions ?? []), ...names])]
    const flagged = { ...source, kubeVersion: source.kubeVersion ?? version, apiVersions }
    const options = surrounding.isInstalled ? [] : upgradeOf(source)
    const outcome = await template(flagged, chart.folder, checkout, running, options)
    if (outcome.stopped !== undefined) return { questions: [], fault: 'stopped' }
    if (outcome.status !== 0) return { questions: [], ...refusal(outcome, checkout) }
    return laid([], piecesIn(outcome.stdout, source, chart, checkout), postRender)
  }
  const learned = new Set([...state.served, ...surrounding.own])
  for (let lesson = 0; lesson < maxLessons; lesson++) {
    // Helm keeps the results of discovery in its home.
    const home = await mkdtemp(path.join(running.home, 'asked-'))
    const found = new Set(state.finds)
    const cluster: StubCluster = {
      version: state.version,
      served: learned,
      kinds: new Set(surrounding.kinds),
      finds: (place) => state.finds === 'all' || found.has(place),
      found: surrounding.found,
      release: {
        name: source.release,
        namespace: source.namespace,
        revision: surrounding.isInstalled ? 1 : state.revision,
        manifest: surrounding.manifest,
      },
    }
    const session = server.serve(cluster)
    try {
      const config = path.join(home, 'kubeconfig')
      await writeFile(config, kubeconfig(session.url), { mode: 0o600 })
      const values = await valuesArguments(source, checkout, home)
      const args = [
        ...[surrounding.isInstalled ? 'install' : 'upgrade', '--namespace', source.namespace],
        ...['--kubeconfig', config, '--dry-run=server', '--disable-openapi-validation', '--output', 'json'],
        ...values,
      ]
      const limits = { ...running.limits, isolation: server.isolation }
      const outcome = await withUsableSchema({ source, chart: chart.folder, values }, (options) =>
        runTool(running.program, [...args, ...options, '--', source.release, chart.folder], {
          cwd: home,
          home,
          limits,
        }),
      )
      const questions = [...session.asked.keys()].sort()
      if (session.isOver()) return { questions, fault: 'endless' }
      if (outcome.stopped !== undefined || outcome.broken) return { questions, fault: 'stopped' }
      if (outcome.status === 0) {
        const { manifest, hooks } = outputIn(outcome.stdout)
        // An installation creates all objects, an upgrade those that the release did not have.
        const placed = (one: ObjectRef) => identityOf({ ...one, namespace: one.namespace || source.namespace })
        const had = new Set(surrounding.isInstalled ? [] : skimIdentities(surrounding.manifest).map(placed))
        const objects = skimIdentities(manifest).filter((one) => !had.has(placed(one)))
        const pieces = [...surrounding.fixed, ...piecesIn(manifest + hooks, source, chart, checkout)]
        const asked = questions.filter((one) => !isOwn(one, session.asked.get(one), objects))
        return laid(asked, pieces, postRender)
      }
      const unknown = unknownKinds(outcome.stderr).filter((one) => !learned.has(one))
      if (unknown.length === 0) return { questions, ...refusal(outcome, checkout) }
      for (const one of unknown) learned.add(one)
    } finally {
      session.close()
    }
  }
  return { questions: [], fault: 'stopped' }
}

function refusal(outcome: Outcome, checkout: Checkout) {
  const [message = '', ...why] = errorLinesIn(outcome)
  const said = message.replace(/^(?:INSTALLATION|UPGRADE) FAILED: /, '')
  return { fault: 'refused' as const, reason: shortened([said, ...why].join(' '), checkout.folder) }
}

async function laid(
  questions: readonly string[],
  pieces: readonly Piece[],
  postRender: (pieces: readonly Piece[]) => Promise<Rendering>,
): Promise<AskedRendering> {
  const rendering = await postRender(pieces)
  return 'failure' in rendering
    ? { questions, fault: 'refused', reason: rendering.failure.reason }
    : { questions, pieces: rendering.pieces }
}

/** The address has the secret of the rendering in it: helm sends no token to an address without TLS. */
function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'asked', cluster: { server } }],
    users: [{ name: 'asked', user: {} }],
    contexts: [{ name: 'asked', context: { cluster: 'asked', user: 'asked' } }],
    'current-context': 'asked',
  })
}

interface PrintedRelease {
  readonly manifest?: unknown
  readonly hooks?: readonly { readonly path?: unknown; readonly manifest?: unknown }[] | null
}

/** The output of templates, as `helm template` prints it. */
function outputIn(stdout: string): { readonly manifest: string; readonly hooks: string } {
  const { manifest, hooks } = JSON.parse(stdout) as PrintedRelease
  const ofHooks = (hooks ?? []).map((hook) => ended(`---\n# Source: ${hook.path}\n${hook.manifest}`))
  return { manifest: ended(`${manifest ?? ''}`), hooks: ofHooks.join('') }
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** The kinds that helm does not know: `no matches for kind "Certificate" in version "cert-manager.io/v1"`. */
function unknownKinds(message: string): string[] {
  const named = message.matchAll(/no matches for kind "([^"]{1,200})" in version "([^"]{1,200})"/g)
  return [...named].map(([, kind, api]) => `${api}/${kind}`)
}

/** Whether helm itself asks at a path, once, before it would create an object. */
function isOwn(question: string, times: number | undefined, objects: readonly ObjectRef[]): boolean {
  const [name, resource] = question.split('/').reverse()
  return times === 1 && objects.some((one) => one.name === name && pluralOf(one.kind) === resource)
}
