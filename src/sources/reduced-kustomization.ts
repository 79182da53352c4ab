import { splitDocuments } from '../manifest/documents'
import { gitCrypt, loadFile } from '../manifest/load'
import type { ObjectRef } from '../manifest/manifest'
import type { Checkout } from '../revision/checkout'
import { asciiJson } from './ascii-json'
import { inspectedContent } from './inspected-content'
import { closureOf, inside, type Kustomization } from './kustomization'
import { kustomizationShape } from './kustomize-fields'
import { isInline, readKustomizeText } from './kustomize-reader'
import type { Lack } from './lack'
import { objectsInFiles } from './objects-in-files'
import { realPlace } from './places'
import { isGeneratedInPart, reducedGenerator } from './reduced-generator'
import { isExact, replacementsOf, withPlaceholders } from './replaced-fields'
import type { KustomizeSource } from './source'
import { type Fields, fieldsOf, holds, listOf, textOf } from './untyped'

/** A Kustomization without its missing parts. */
export interface Reduced {
  readonly source: KustomizeSource
  /** The new texts of its files, by path. */
  readonly texts: ReadonlyMap<string, string>
  /** Whether the omitted parts may change objects that stay. */
  readonly changesOthers: boolean
  /** The patches that were left out, with the files that have them. */
  readonly patches: readonly LeftOutPatch[]
  /** The plugins that were left out, in the same way. */
  readonly plugins: readonly LeftOutPlugin[]
}

/** A patch for an object from elsewhere, which was left out. */
export interface LeftOutPatch {
  readonly path: string
  readonly text: string
}

/** The config of a plugin, which was left out. */
export interface LeftOutPlugin extends LeftOutPatch {
  /** The field that names it: `generators`, `transformers`, `validators`. */
  readonly field: string
}

/** Leaves out of a Kustomization, and of those it includes, the entries for objects from elsewhere. */
export async function reducedKustomization(
  source: KustomizeSource,
  lacks: readonly Lack[],
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<Reduced> {
  const kustomizations = [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, all))
  const reduction = new Reduction(lacks, kustomizations, checkout)
  await reduction.findUnread()
  for (const one of kustomizations) if (!one.made) await reduction.reduce(one)
  await reduction.fillReplaced(all)
  const overlay = source.overlay && (await reduction.overlay(source.overlay, source))
  return {
    source: overlay === source.overlay ? source : { ...source, ...(overlay ? { overlay } : {}) },
    texts: reduction.texts,
    changesOthers: reduction.changesOthers,
    patches: reduction.patches,
    plugins: reduction.plugins,
  }
}

/**
 * The objects that patches of a Kustomization are for and that are in none of its files: kustomize names one at a time. None
 * where its objects are not known without a build.
 */
export async function missingObjects(
  source: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<readonly Lack[]> {
  const kustomizations = [source.root, ...(source.components ?? [])].flatMap((start) => closureOf(start, all))
  if (kustomizations.some(({ words }) => words.has('generators'))) return []
  const objects = await objectsInFiles(source, all, checkout)
  if (!objects) return []
  const present = new Set(objects.map(idOf))
  const reduction = new Reduction([], kustomizations, checkout, present)
  for (const one of kustomizations) if (!one.made) await reduction.reduce(one)
  const missing = reduction.patches
    .toReversed()
    .flatMap(({ text }) => loadFile({ text }).objects.map(({ ref }) => idOf(ref)))
  return [...new Set(missing)].map((about) => ({ what: 'object', about }))
}

function idOf({ kind, name }: ObjectRef): string {
  return `${kind}/${name}`
}

/** The kinds of the objects that a Kustomization may generate, by the field. */
const generators: ReadonlyMap<string, string> = new Map([
  ['configMapGenerator', 'ConfigMap'],
  ['secretGenerator', 'Secret'],
])
const generated: ReadonlySet<string> = new Set(generators.values())

/** The object that a replacement takes a value of. */
function sourceOf(source: unknown): string {
  const { kind, name } = fieldsOf(source)
  return `${textOf(kind)}/${textOf(name)}`
}

/** The place of the entries of a field. */
interface FieldPlace {
  readonly folder: string
  readonly file: string
}

class Reduction {
  readonly texts = new Map<string, string>()
  readonly patches: LeftOutPatch[] = []
  readonly plugins: LeftOutPlugin[] = []
  changesOthers = false
  /** The folders that plugins are taken from. */
  private readonly pluginFolders: ReadonlySet<string | undefined>
  /** The objects that are generated from a file that Git ignores. */
  private readonly unread = new Set<string>()
  /** The replacements that were left out for those, with the folders of their Kustomizations. */
  private readonly replacements: { readonly folder: string; readonly replacement: Fields }[] = []

  constructor(
    private readonly lacks: readonly Lack[],
    private readonly kustomizations: readonly Kustomization[],
    private readonly checkout: Checkout,
    /** The objects that are known to be there, where what is not among them is missing. */
    private readonly present?: ReadonlySet<string>,
  ) {
    this.pluginFolders = new Set(
      kustomizations.flatMap(({ folder, pluginPlaces }) => pluginPlaces.map(({ text }) => inside(folder, text))),
    )
  }

  /** Finds the generated objects whose data only those who deploy them have: replacements take values of them. */
  async findUnread(): Promise<void> {
    if (!this.lacks.some(({ what }) => what === 'ignored')) return
    for (const { folder, file, made } of this.kustomizations) {
      const fields = made ? {} : await this.fieldsIn(file)
      for (const [field, kind] of generators)
        for (const generator of listOf(fields[field]).map(fieldsOf))
          if (isGeneratedInPart(generator, (written) => this.isIgnored(written, { folder, file })))
            this.unread.add(`${kind}/${textOf(generator.name)}`)
    }
  }

  /** The inspected content of a Kustomization, which has no anchors that an omitted entry could define. */
  private async fieldsIn(file: string): Promise<Fields> {
    const text = await this.checkout.text(file)
    const written = text === undefined ? '' : readKustomizeText(text, kustomizationShape).written
    return written === '' ? {} : fieldsOf(inspectedContent(written))
  }

  /** Puts placeholders where replacements put values that only those who deploy have. */
  async fillReplaced(all: ReadonlyMap<string, Kustomization>): Promise<void> {
    for (const { folder, replacement } of this.replacements) {
      // A component changes the objects of the Kustomization that includes it.
      const its = all.get(folder)?.component ? this.kustomizations : closureOf(folder, all)
      let isFilled = false
      for (const file of new Set(its.flatMap((one) => this.manifestsOf(one)))) {
        const text = this.texts.get(file) ?? (await this.checkout.text(file)) ?? ''
        const filled = withPlaceholders(text, [replacement])
        if (filled === text) continue
        this.texts.set(file, filled)
        isFilled = true
      }
      // Its targets may be objects that are in no file.
      if (!isFilled && its.some(({ charts, plugins }) => charts.length > 0 || plugins)) this.changesOthers = true
    }
  }

  /** The files of the objects and patches of a Kustomization. */
  private manifestsOf({ folder, file, includes, patches }: Kustomization): string[] {
    const included = includes.flatMap(
      ({ text }) => this.checkout.inPlaceOf.get(text) ?? this.fileAt(text, { folder, file }) ?? [],
    )
    return [...included, ...patches].map((one) => this.real(one)).filter((one) => this.checkout.has(one))
  }

  async reduce({ folder, file }: Kustomization): Promise<void> {
    const reduced: [string, unknown][] = []
    let isReduced = false
    for (const [key, value] of Object.entries(await this.fieldsIn(file))) {
      const kept: unknown[] = []
      // The last ones first, as kustomize names the first of them.
      for (const entry of listOf(value).toReversed()) {
        const left = await this.left(key, entry, { folder, file })
        isReduced ||= left !== 'whole'
        if (left !== undefined) kept.unshift(left === 'whole' ? entry : left)
      }
      reduced.push([key, Array.isArray(value) ? kept : value])
    }
    if (isReduced) this.texts.set(this.real(file), asciiJson(Object.fromEntries(reduced)))
  }

  /** The overlay of an Argo CD or Flux object, with the patches that meet something. */
  async overlay(overlay: Fields, { root, declaredAt }: KustomizeSource): Promise<Fields> {
    const written = listOf(overlay.patches)
    const patches: unknown[] = []
    for (const patch of written) {
      const left = await this.left('patches', patch, { folder: root, file: declaredAt.path })
      if (left !== undefined) patches.push(left === 'whole' ? patch : left)
    }
    return patches.every((patch, index) => patch === written[index]) && patches.length === written.length
      ? overlay
      : { ...overlay, patches }
  }

  private has(what: Lack['what'], about: string): boolean {
    return this.lacks.some((lack) => lack.what === what && lack.about === about)
  }

  private isMissing(ref: ObjectRef): boolean {
    const isAbsent = this.present !== undefined && !generated.has(ref.kind) && !this.present.has(idOf(ref))
    return isAbsent || this.has('object', idOf(ref))
  }

  /** The rest of an entry of a list: the whole entry, another one in its place, or nothing. */
  private async left(field: string, entry: unknown, place: FieldPlace): Promise<unknown> {
    const fields = fieldsOf(entry)
    const name = textOf(fields.name)
    if (this.leadsOut(entry, place)) return this.dropped(field)
    switch (field) {
      case 'patchesStrategicMerge':
        return this.patch(textOf(entry), place, (text) => text)
      case 'patches': {
        const isIgnored = this.isIgnored(textOf(fields.path), place)
        if (Object.keys(fieldsOf(fields.target)).length > 0 && !isIgnored) return 'whole'
        const inline = textOf(fields.patch)
        return this.patch(inline || textOf(fields.path), place, (patch) => ({ ...fields, patch }), inline !== '')
      }
      case 'replacements':
        return (await this.isReplacing(entry, place)) ? 'whole' : undefined
      case 'vars':
        return this.has('variable', name) ? this.dropped(field) : 'whole'
      case 'configMapGenerator':
      case 'secretGenerator': {
        const kind = field === 'secretGenerator' ? 'Secret' : 'ConfigMap'
        const completes = ['merge', 'replace'].includes(textOf(fields.behavior))
        return completes && this.has('data', `${kind}/${name}`)
          ? undefined
          : reducedGenerator(fields, {
              isIgnored: (written) => this.isIgnored(written, place),
              isEncrypted: (written) => this.isEncrypted(written, place),
            })
      }
      case 'replicas':
        return this.has('object', name) ? undefined : 'whole'
      case 'helmCharts':
        return textOf(fields.repo) === '' && this.has('chart', name) ? undefined : 'whole'
      case 'generators':
      case 'transformers':
      case 'validators':
        return this.plugin(field, textOf(entry), place)
      case 'resources':
        if (this.isIgnored(textOf(entry), place) || (await this.isEncrypted(textOf(entry), place))) return undefined
        return this.pluginFolders.has(place.folder) ? this.plugin('generators', textOf(entry), place) : 'whole'
      default:
        return 'whole'
    }
  }

  /** Whether Git ignores a file that is not here. */
  private isIgnored(written: string, { folder }: FieldPlace): boolean {
    const file = inside(folder, written)
    return file !== undefined && this.has('ignored', file)
  }

  /** Whether git-crypt encrypts a file: the tools that deploy it see its text. */
  private async isEncrypted(written: string, place: FieldPlace): Promise<boolean> {
    if (!this.lacks.some(({ what }) => what === 'encrypted')) return false
    const file = this.fileAt(written, place)
    return file !== undefined && (await this.checkout.text(file))?.startsWith(gitCrypt) === true
  }

  private dropped(field: string): undefined {
    if (['transformers', 'replacements', 'vars', 'configurations'].includes(field)) this.changesOthers = true
    return undefined
  }

  private leadsOut(entry: unknown, { file }: FieldPlace): boolean {
    const places = this.lacks.flatMap(({ what, about, path }) => (what === 'place' && path === file ? [about] : []))
    return places.some((about) => holds(entry, about))
  }

  /** @param inline makes an entry with another text in it */
  private async patch(
    written: string,
    place: FieldPlace,
    inline: (text: string) => unknown,
    isText = isInline(written),
  ): Promise<unknown> {
    if (!isText && this.isIgnored(written, place)) {
      this.changesOthers = true
      return undefined
    }
    const file = isText ? undefined : this.fileAt(written, place)
    const text = isText ? written : file && (await this.checkout.text(file))
    if (text === undefined) return 'whole'
    const documents = splitDocuments(text).map((document) => document.text)
    const lacking = documents.filter((document) =>
      loadFile({ text: document }).objects.some(({ ref }) => this.isMissing(ref)),
    )
    if (lacking.length === 0) return 'whole'
    for (const patch of lacking) this.patches.push({ path: file ?? place.file, text: patch })
    const rest = documents.filter((document) => !lacking.includes(document))
    if (!rest.some((document) => loadFile({ text: document }).objects.length > 0)) return undefined
    if (file === undefined) return inline(rest.join('---\n'))
    this.texts.set(this.real(file), rest.join('---\n'))
    return 'whole'
  }

  /** Whether the replacements of an entry are kept: they are left out together. */
  private async isReplacing(entry: unknown, { folder }: FieldPlace): Promise<boolean> {
    const replacements = await replacementsOf(entry, folder, this.checkout)
    const isLacking = replacements.some(({ source, targets }) => {
      const paths = listOf(targets).flatMap((target) => listOf(fieldsOf(target).fieldPaths).map(textOf))
      return this.has('source', sourceOf(source)) || paths.some((path) => this.has('field', path))
    })
    // One whose targets are unknown may change nothing.
    const isUnread = replacements.some(({ source }) => this.unread.has(sourceOf(source))) && replacements.every(isExact)
    if (isLacking) this.dropped('replacements')
    else if (isUnread) this.replacements.push(...replacements.map((replacement) => ({ folder, replacement })))
    return !isLacking && !isUnread
  }

  /** Plugins that kustomize does not have itself. */
  private async plugin(field: string, written: string, place: FieldPlace): Promise<unknown> {
    if (!this.lacks.some(({ what }) => what === 'plugin')) return 'whole'
    const file = isInline(written) ? undefined : this.fileAt(written, place)
    const text = isInline(written) ? written : file && (await this.checkout.text(file))
    if (text === undefined) return 'whole'
    const documents = splitDocuments(text).map((document) => document.text)
    const own = documents.filter((document) =>
      loadFile({ text: document }).objects.every(({ apiVersion }) => apiVersion === 'builtin'),
    )
    if (own.length === documents.length) return 'whole'
    const others = documents.filter((document) => !own.includes(document))
    this.plugins.push({ path: file ?? place.file, text: others.join('---\n'), field })
    const rest = own.filter((document) => loadFile({ text: document }).objects.length > 0).join('---\n')
    if (rest === '') return this.dropped(field)
    if (field === 'transformers') this.changesOthers = true
    if (file === undefined) return rest
    this.texts.set(this.real(file), rest)
    return 'whole'
  }

  private fileAt(written: string, { folder }: FieldPlace): string | undefined {
    const place = inside(folder, written)
    const real = place === undefined ? undefined : this.real(place)
    return real !== undefined && this.checkout.has(real) ? real : undefined
  }

  private real(place: string): string {
    return realPlace(this.checkout.tree, place)
  }
}
