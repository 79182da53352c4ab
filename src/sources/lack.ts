/** Something from elsewhere without which a source does not build. */
export interface Lack {
  /**
   * - `object`: an object that a patch, a replacement or a count of replicas is for
   * - `source`: an object that a replacement takes a value of; `field`: a field that one puts it into
   * - `variable`: a variable of `vars`; `data`: a ConfigMap or Secret that a generator completes
   * - `encrypted`: a file that git-crypt encrypts
   * - `ignored`: a file that Git ignores, as its path from the repository's root
   * - `plugin`: a plugin that kustomize does not have; `place`: an entry that leads out of the repository
   * - `chart`, `dependency`: a chart that is not in the repository
   * - `value`: a value that only the releases of a chart have, as its path; `schema`: a part of the schema of its values, or
   *   empty where the known values do not meet it
   * - `refusal`: the values without which the templates of a chart refuse to be rendered, by `required` and `fail`
   * - `template`: a template that does not render with the values that are known
   * - `version`: the version of a chart, where its `Chart.yaml` leaves it to a tool that packs the chart
   * - `post-renderers`: those of a HelmRelease, which cannot be run
   */
  readonly what:
    | 'object'
    | 'source'
    | 'field'
    | 'variable'
    | 'data'
    | 'encrypted'
    | 'ignored'
    | 'plugin'
    | 'place'
    | 'chart'
    | 'dependency'
    | 'value'
    | 'schema'
    | 'refusal'
    | 'template'
    | 'version'
    | 'post-renderers'
  /** `Deployment/web`, the path of a field, a name, or a place in its original form. */
  readonly about: string
  /** The file that has the entry. */
  readonly path?: string
}

export function isSameLack(one: Lack, other: Lack): boolean {
  return one.what === other.what && one.about === other.about && one.path === other.path
}

/** Whether the known values do not meet the schema of their chart. */
export function isUnmetSchema({ what, about }: Lack): boolean {
  return what === 'schema' && about === ''
}

/** The name of a missing part, for a reader. */
export function nameOfLack({ what, about }: Lack): string {
  const object = about.replace('/', ' ')
  switch (what) {
    case 'object':
      return `patches of ${object}`
    case 'source':
      return `the replacement from ${object}`
    case 'field':
      return `the replacement of ${about}`
    case 'variable':
      return `the variable ${about}`
    case 'data':
      return `additions to ${object}`
    case 'encrypted':
      return `the encrypted file ${about}`
    case 'ignored':
      return `${about}, which Git ignores`
    case 'plugin':
      return `the plugin ${about}`
    case 'place':
      return about
    case 'chart':
      return `the chart ${about}`
    case 'post-renderers':
      return `its ${about}`
    case 'dependency':
      return `the dependency ${about}`
    case 'value':
      return `the value ${about}`
    case 'schema':
      return about === ''
        ? 'the schema of its values, which they do not meet'
        : `the schema of its values, which takes in ${about}`
    case 'refusal':
      return 'the values that its templates require'
    case 'version':
      return 'its version, which a tool fills in'
    case 'template':
      return `the template ${about}`
  }
}

/**
 * `Deployment.v1.apps/web.shop`, as kustomize writes an object: a group and a name may have dots, a namespace has none.
 */
const id = '([^.\\s"]+)\\.[^/\\s"]+/([^\\s;"]+?)\\.(?:\\[noNs\\]|[^.\\s;":]+)(?=[;"\\s]|:\\w|$)'

const messages: readonly (readonly [RegExp, Lack['what']])[] = [
  [new RegExp(`no matches for Id ${id}`), 'object'],
  [/resource with name (\S+) does not match a config/, 'object'],
  [new RegExp(`nothing selected by ${id}`), 'source'],
  [new RegExp(`is missing for replacement source ${id}`), 'source'],
  [/unable to find field "([^"]+)" in replacement target/, 'field'],
  [/var '\{?([^\s']+)(?:\s[^']*)?' cannot be mapped to a field/, 'variable'],
  [
    /Kind:"(ConfigMap|Secret)"(?:, isClusterScoped:(?:true|false))?\}, Name:"([^"]+)", Namespace:"[^"]*"\} does not exist; cannot merge or replace/,
    'data',
  ],
  [/env source files: \[([^[\]]+)\]: line \[0 71 73 84 67 82 89 80 84 0 /, 'encrypted'],
  [/control characters are not allowed in File: (\S+)/, 'encrypted'],
  [/unable to load external plugin '([^']*)'/, 'plugin'],
]

/** The missing part in an error message of kustomize. */
export function lackIn(message: string): Lack | undefined {
  for (const [words, what] of messages) {
    const [, ...about] = words.exec(message) ?? []
    if (about.length > 0) return { what, about: about.join('/') }
  }
  return undefined
}

/** The missing part in an error message of helm. */
export function lackOfHelm(message: string): Lack | undefined {
  const value = isOutOfScope(message) ? undefined : (nilValue.exec(message)?.[1] ?? indexedValue(message))
  if (value !== undefined) return { what: 'value', about: value }
  const schema = /failing loading\s+"((?:https?|file):[^"]+)"/.exec(message)?.[1]
  if (schema !== undefined) return { what: 'schema', about: schema }
  if (message.startsWith("values don't meet the specifications of the schema")) return { what: 'schema', about: '' }
  if (versionFault.test(message)) return { what: 'version', about: '' }
  return message.startsWith('execution error at (') ? { what: 'refusal', about: '' } : undefined
}

/** `cluster.host` of `<index .Values.cluster "host">: error calling index: index of untyped nil`. */
function indexedValue(message: string): string | undefined {
  const [before = ''] = message.split('>: error calling index: index of untyped nil')
  if (before === message) return undefined
  const [map = '', ...keys] = before.slice(before.lastIndexOf('<index ') + '<index '.length).split(' ')
  const [, path] = map.split('.Values.')
  const names = keys.map((key) => key.replaceAll('"', ''))
  const isKnown = keys.every((key, at) => key === `"${names[at]}"` && !key.includes('.'))
  return path !== undefined && isKnown && keys.length > 0 ? [path, ...names].join('.') : undefined
}

const versionFault =
  /Go struct field Metadata\.(?:app)?[vV]ersion of type string|chart\.metadata\.version "[^"]*" is invalid/
const nilValue = /<\$?\.Values\.([\w.]+)>:\s+nil pointer evaluating interface \{\}\./
const nilField = /<\$?\.(?:Values|Release|Chart)\.([\w.]+)>:\s+nil pointer evaluating interface \{\}\.(\w+)/

/**
 * Whether a template reads the values, the release or the chart where they are not: in a `range` or `with`, or in a named
 * template that gets another argument. No values help.
 */
export function isOutOfScope(message: string): boolean {
  const [, read = '', missing] = nilField.exec(message) ?? []
  const [first, second] = read.split('.')
  return missing === first && second !== first
}
