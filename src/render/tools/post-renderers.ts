import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { splitDocuments } from '../../manifest/documents'
import { type LoadedObject, loadFile } from '../../manifest/load'
import { identityOf, Manifest } from '../../manifest/manifest'
import { asciiJson } from '../../sources/ascii-json'
import type { HelmSource, PostRenderers } from '../../sources/source'
import { type Fields, fieldsOf, listOf, textOf } from '../../sources/untyped'
import { shortened } from './helm'
import { errorOf, type Failure, type Piece } from './rendering'
import { type Limits, runTool } from './tool'

/** The program that builds Kustomizations, and the words before the folder. */
interface Building {
  readonly program: string
  readonly command: readonly string[]
  readonly home: string
  readonly limits: Limits
}

/** A document of helm's output, and its object. */
interface RenderedDocument {
  readonly piece: Piece
  readonly objects: readonly LoadedObject[]
}

/**
 * Applies the postRenderers of a HelmRelease to helm's output, as Flux does, or the patches of a release of helmfile:
 * each is built by kustomize over the output of the one before. An unchanged object keeps the text of its template.
 * https://fluxcd.io/flux/components/helm/helmreleases/#post-renderers
 */
export async function postRendered(
  pieces: readonly Piece[],
  { deployer, field, renderers, strategy, at }: PostRenderers,
  chart: HelmSource['chart'],
  { program, command, home, limits }: Building,
): Promise<{ readonly pieces: readonly Piece[] } | { readonly failure: Failure }> {
  const failed = (cause: Failure['cause'], reason: string) => ({
    failure: { cause, about: field, reason, ...at },
  })
  let all = pieces.flatMap((piece) => splitDocuments(piece.text).map(({ text }) => readDocument({ ...piece, text })))
  for (const [index, renderer] of renderers.entries()) {
    const laid = kustomizationOf(renderer, deployer)
    if (typeof laid === 'string') return failed('post-renderers', laid)
    const given = new Set(all.filter((one) => isGiven(one, strategy)))
    const folder = path.join(home, `post-renderer-${index}`)
    await mkdir(folder, { recursive: true })
    const documents = [...given].map(({ piece }) => piece.text.replace(/^---.*\n?/, '').trimEnd())
    await writeFile(path.join(folder, 'rendered.yaml'), `${documents.join('\n---\n')}\n`)
    await writeFile(
      path.join(folder, 'kustomization.yaml'),
      asciiJson({ ...laid, ...(given.size > 0 ? { resources: ['rendered.yaml'] } : {}) }),
    )
    const outcome = await runTool(program, [...command, '--', folder], { cwd: home, home, limits })
    if (outcome.stopped !== undefined)
      return failed('tool-stopped', `kustomize was stopped at its ${field} because ${outcome.stopped}`)
    if (outcome.status !== 0) {
      const words = shortened(errorOf(outcome.stderr), home)
      const effect = `so ${deployer} does not upgrade the release ${chart === '' ? '' : `of ${chart} `}either`
      return failed('post-renderers', `kustomize cannot run its ${field}: ${words}; ${effect}`)
    }
    all = laidOver(all, given, loadFile({ text: outcome.stdout }).objects)
  }
  return { pieces: all.map(({ piece }) => piece) }
}

function readDocument(piece: Piece): RenderedDocument {
  return { piece, objects: loadFile({ text: piece.text }).objects }
}

/** CRDs next to `templates/` are not rendered further; hooks are, unless the strategy leaves them out. */
function isGiven({ piece, objects }: RenderedDocument, strategy: string): boolean {
  if (objects.length === 0 || isCrdFile(piece.template)) return false
  return strategy !== 'nohooks' || !objects.some((object) => dataOf(object, 'metadata', 'annotations', 'helm.sh/hook'))
}

/** Whether a file is printed unchanged, because helm treats it as a CRD and not as a template. */
export function isCrdFile(template: string): boolean {
  return /^[^/]+\/(?:charts\/[^/]+\/)*crds\//.test(template)
}

/** The fields that Flux knows; the API server drops all others, and a newer Flux may know more. */
const fields = ['patches', 'images', 'patchesStrategicMerge', 'patchesJson6902']

/** A post-renderer as a Kustomization, or why it is not run. */
function kustomizationOf(renderer: unknown, deployer: PostRenderers['deployer']): Fields | string {
  // Those of helmfile are read where its release is.
  if (deployer === 'helmfile') return fieldsOf(fieldsOf(renderer).kustomize)
  const { kustomize, ...others } = fieldsOf(renderer)
  const written = fieldsOf(kustomize)
  const [other] = [...Object.keys(others), ...Object.keys(written).filter((key) => !fields.includes(key))]
  if (other !== undefined)
    return `its postRenderers have \`${other}\`, and only \`kustomize\` with \`patches\` and \`images\` is run; make the same change with a patch`
  const patches = [
    ...listOf(written.patchesStrategicMerge).map((patch) => ({ patch: inline(patch) })),
    ...[...listOf(written.patchesJson6902), ...listOf(written.patches)].map((one) => {
      const { patch, target } = fieldsOf(one)
      return { patch: inline(patch), ...(target === undefined ? {} : { target: fieldsOf(target) }) }
    }),
  ]
  const images = listOf(written.images).map((one) => {
    const { name, newName, newTag, digest } = fieldsOf(one)
    return { name, newName, newTag, digest }
  })
  return { patches, images }
}

function inline(patch: unknown): string {
  return typeof patch === 'object' ? JSON.stringify(patch) : textOf(patch)
}

function laidOver(
  all: readonly RenderedDocument[],
  given: ReadonlySet<RenderedDocument>,
  built: readonly LoadedObject[],
): RenderedDocument[] {
  const byIdentity = new Map(built.map((object) => [identityOf(object.ref), object]))
  const stayed = all.flatMap((one) => {
    if (!given.has(one)) return [one]
    const its = one.objects.flatMap((object) => {
      const is = byIdentity.get(identityOf(object.ref))
      byIdentity.delete(identityOf(object.ref))
      return is ? [{ was: object, is }] : []
    })
    if (its.length === one.objects.length && its.every(({ was, is }) => isDeepStrictEqual(dataOf(was), dataOf(is))))
      return [one]
    return its.map(({ is }) => ({ piece: { ...one.piece, text: is.content }, objects: [is] }))
  })
  // A patch may put an object into another namespace.
  const moved = [...byIdentity.values()].flatMap((object): RenderedDocument[] => {
    const { kind, name } = object.ref
    const likely =
      all.find(({ objects }) => objects.some(({ ref }) => ref.kind === kind && ref.name === name)) ?? all[0]
    return likely ? [{ piece: { ...likely.piece, text: object.content }, objects: [object] }] : []
  })
  return [...stayed, ...moved]
}

function dataOf(object: LoadedObject, ...keys: readonly string[]): unknown {
  return new Manifest(object, 'head', { kind: 'file', path: '' }, []).root.at(...keys).value
}
