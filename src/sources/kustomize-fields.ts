import { foldedKey } from './go-keys'

/**
 * The meaning of a string for kustomize:
 * - `resource`, `component`: a file, a folder or a repository to include
 * - `file`: a file; `values`: a file for helm; `folder`: a folder
 * - `data`: a file after a key, `app.conf=config/app.conf`; `env`: a file of variables
 * - `patch`: YAML, or else a file; `plugin`: YAML, or else like `resource`
 * - `chart`: the name of a chart below the folder of charts; `version`: a part of that folder's name
 * - `word`: an argument for helm
 * - `home`: a folder for helm's own files, which rendering does not need; `dropped`: not needed either
 * - `any`: no place
 */
export type Leaf =
  | 'resource'
  | 'component'
  | 'file'
  | 'values'
  | 'folder'
  | 'data'
  | 'env'
  | 'patch'
  | 'plugin'
  | 'chart'
  | 'version'
  | 'word'
  | 'home'
  | 'dropped'
  | 'any'

/** The allowed form of a value. */
export type Shape =
  | Leaf
  | { readonly list: Shape }
  /** A struct of kustomize's: `strict` where it refuses other keys. */
  | { readonly fields: ReadonlyMap<string, Shape>; readonly strict: boolean }
  /** A map whose keys kustomize matches exactly as written here. */
  | { readonly keys: ReadonlyMap<string, Shape> }
  /** A plugin's own file; its kind decides its fields. */
  | { readonly object: true }

function struct(fields: Readonly<Record<string, Shape>>): Shape {
  return { fields: new Map(Object.entries(fields)), strict: true }
}

/** Fields that hold no place, by name. */
function plain(names: string): Record<string, Shape> {
  return Object.fromEntries(names.split(' ').map((name): [string, Shape] => [name, 'any']))
}

function list(shape: Shape): Shape {
  return { list: shape }
}

/*
 * The fields of kustomize/api/types at api/v0.21.1 (kustomize 5.8), and those of earlier versions. The installed
 * kustomize refuses fields that it does not have, with its own message.
 * https://github.com/kubernetes-sigs/kustomize/tree/api/v0.21.1/api/types
 */
const gvk = plain('group version kind')
const selector = struct({ ...gvk, ...plain('name namespace annotationSelector labelSelector') })
const fieldSpec = struct({ ...gvk, ...plain('path create') })
const fieldOptions = struct(plain('delimiter index encoding create'))
const generatorOptions = struct(plain('labels annotations disableNameSuffixHash immutable'))

const generator: Record<string, Shape> = {
  ...plain('namespace name behavior literals'),
  files: list('data'),
  envs: list('env'),
  env: 'env',
  options: generatorOptions,
}

const patch: Record<string, Shape> = {
  path: 'file',
  patch: 'any',
  target: selector,
  // Before 5.8, a map with arbitrary keys.
  options: 'any',
}

const replacement = struct({
  path: 'file',
  sourceValue: 'any',
  source: struct({ ...gvk, ...plain('name namespace fieldPath'), options: fieldOptions }),
  targets: list(struct({ select: selector, reject: list(selector), fieldPaths: 'any', options: fieldOptions })),
})

const helmGlobals: Record<string, Shape> = { chartHome: 'folder', configHome: 'home' }

const helmChart: Record<string, Shape> = {
  ...plain('repo namespace valuesInline valuesMerge includeCRDs skipHooks apiVersions kubeVersion nameTemplate'),
  ...plain('skipTests debug devel'),
  name: 'chart',
  version: 'version',
  releaseName: 'word',
  valuesFile: 'values',
  additionalValuesFiles: list('values'),
}

/** The form of charts before `helmCharts`; kustomize ignores the dropped keys since its version 4. */
const helmChartBefore: Record<string, Shape> = {
  ...plain('chartRelease chartRepoUrl chartRepoName valuesLocal valuesMerge releaseNamespace'),
  chartName: 'chart',
  chartVersion: 'version',
  chartHome: 'folder',
  releaseName: 'word',
  values: 'values',
  helmHome: 'home',
  helmBin: 'dropped',
  extraArgs: 'dropped',
}

const metadata = struct(plain('name namespace labels annotations'))

/** A kustomization.yaml. */
export const kustomizationShape: Shape = struct({
  ...plain('kind apiVersion namePrefix nameSuffix namespace commonLabels commonAnnotations buildMetadata inventory'),
  metadata,
  openapi: { keys: new Map<string, Shape>([['path', 'file']]) },
  labels: list(
    struct({
      ...plain('pairs includeSelectors includeTemplates includeVolumeClaimTemplates'),
      fields: list(fieldSpec),
    }),
  ),
  patchesStrategicMerge: list('patch'),
  patchesJson6902: list(struct(patch)),
  patches: list(struct(patch)),
  images: list(struct(plain('name newName tagSuffix newTag digest'))),
  imageTags: list(struct(plain('name newName tagSuffix newTag digest'))),
  replacements: list(replacement),
  replicas: list(struct(plain('name count'))),
  vars: list(
    struct({
      name: 'any',
      objref: struct({ ...gvk, ...plain('apiVersion name namespace') }),
      fieldref: struct(plain('fieldPath')),
    }),
  ),
  sortOptions: struct({ order: 'any', legacySortOptions: struct(plain('orderFirst orderLast')) }),
  resources: list('resource'),
  bases: list('resource'),
  components: list('component'),
  crds: list('file'),
  configurations: list('file'),
  generators: list('plugin'),
  transformers: list('plugin'),
  validators: list('plugin'),
  configMapGenerator: list(struct(generator)),
  secretGenerator: list(struct({ ...generator, type: 'any' })),
  generatorOptions,
  helmGlobals: struct(helmGlobals),
  helmCharts: list(struct(helmChart)),
  helmChartInflationGenerator: list(struct(helmChartBefore)),
})

/** In the file of a plugin, kustomize ignores unknown keys. */
function config(fields: Readonly<Record<string, Shape>>): Shape {
  return { fields: new Map(Object.entries(fields)), strict: false }
}

/**
 * The plugins of kustomize's own that take places, by kind.
 * https://github.com/kubernetes-sigs/kustomize/tree/api/v0.21.1/api/internal/builtins
 */
export const pluginShapes: ReadonlyMap<string, Shape> = new Map(
  Object.entries<Shape>({
    ConfigMapGenerator: config(generator),
    SecretGenerator: config(generator),
    HelmChartInflationGenerator: config({ ...helmChartBefore, ...helmGlobals, ...helmChart }),
    PatchTransformer: config(patch),
    PatchJson6902Transformer: config({ path: 'file' }),
    PatchStrategicMergeTransformer: config({ paths: list('patch') }),
    ReplacementTransformer: config({ replacements: list({ fields: new Map([['path', 'file']]), strict: false }) }),
    ValueAddTransformer: config({ targetFilePath: 'file' }),
  }),
)

/** Any other object in a file of plugins; a list has them in its items. */
export const otherObject: Shape = config({ items: list({ object: true }) })

/** The name of the field that kustomize takes a key for; undefined where it has none, or compares keys exactly. */
export function documentedIn(shape: Shape, key: string): string | undefined {
  if (typeof shape === 'string' || !('fields' in shape)) return undefined
  if (shape.fields.has(key)) return key
  const folded = foldedKey(key)
  return [...shape.fields.keys()].find((name) => foldedKey(name) === folded)
}

/** The shape of the value of a documented key. */
export function shapeOf(key: string, shape: Shape): Shape {
  if (typeof shape === 'string' || !('keys' in shape || 'fields' in shape)) return 'any'
  return ('keys' in shape ? shape.keys : shape.fields).get(key) ?? 'any'
}

/** Whether a place can be written somewhere in it. */
export function holdsPlaces(shape: Shape): boolean {
  if (typeof shape === 'string') return shape !== 'any'
  if ('list' in shape) return holdsPlaces(shape.list)
  return 'object' in shape || [...('keys' in shape ? shape.keys : shape.fields).values()].some(holdsPlaces)
}
