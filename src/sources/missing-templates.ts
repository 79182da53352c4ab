/** The name of a template that a file defines. */
const defined = /\{\{-?\s*(?:define|block)\s+["`]([^"`]+)["`]/g
/** The name of one that it includes, with the functions that take its output. */
const included = /\b(?:include|template)\s+"([^"]+)"([^{}]*)/g
/** Functions that indent fields, or read them. */
const takesFields = /\|\s*(?:n?indent|from(?:Yaml|Json)(?:Array)?)\b/

/** An include of a named template. */
interface Include {
  readonly name: string
  /** Whether its output is taken for fields. */
  readonly isOfFields: boolean
  /** The named template that includes it and writes nothing else on the line. */
  readonly by: string | undefined
}

/**
 * Definitions of the named templates that a chart includes and does not have: those of a library that is not here. A name
 * becomes a placeholder, which rules take for unknown, and a block of fields is left empty.
 *
 * @param texts the templates of the chart and of the charts in it
 * @param packed those of packed charts, which miss nothing
 * @returns undefined if nothing is missing
 */
export function definitionsOfMissing(texts: readonly string[], packed: readonly string[] = []): string | undefined {
  const namesIn = (some: readonly string[]) =>
    some.flatMap((text) => [...text.matchAll(defined)].map(([, name = '']) => name))
  const known = new Set(namesIn([...texts, ...packed]))
  // What a packed chart does not define under its own name nothing defines.
  const present = new Set(namesIn(packed).map(chartOf))
  const includes = texts.flatMap(includesIn)
  const fields = new Set(includes.flatMap(({ name, isOfFields }) => (isOfFields ? [name] : [])))
  const missing = new Map<string, string>()
  for (const { name, isOfFields, by } of includes) {
    // A name with a slash is that of a file; with a brace it is no name: `kubectl get --template "{{ range … }}"`.
    if (known.has(name) || present.has(chartOf(name)) || /[{}/]/.test(name)) continue
    const isEmpty = isOfFields || (by !== undefined && fields.has(by)) || missing.get(name) === ''
    missing.set(name, isEmpty ? '' : `<${name}>`)
  }
  if (missing.size === 0) return undefined
  return [...missing]
    .map(([name, value]) => `{{- define "${name}" -}}${ofBitnami(name) ?? value}{{- end -}}\n`)
    .join('')
}

/** `common` of `common.names.fullname`. */
function chartOf(name: string): string {
  return name.split('.', 1)[0] ?? ''
}

function includesIn(text: string): Include[] {
  const definitions = [...text.matchAll(defined)]
  return [...text.matchAll(included)].map(({ index, 1: name = '', 2: functions = '' }) => ({
    name,
    isOfFields: takesFields.test(functions),
    by: isAlone(text, index) ? definitions.findLast((one) => one.index < index)?.[1] : undefined,
  }))
}

/** Whether nothing but the opening of its action comes before a word on its line. */
function isAlone(text: string, at: number): boolean {
  return /^\s*\{\{-?\s*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))
}

/**
 * The templates of Bitnami's library on which the kind of an object or a value of the user depends. Source:
 * https://github.com/bitnami/charts, bitnami/common/templates: _capabilities.tpl, _ingress.tpl, _tplvalues.tpl
 */
function ofBitnami(name: string): string | undefined {
  if (name === 'common.tplvalues.render')
    return '{{- $text := typeIs "string" .value | ternary .value (toYaml .value) -}}{{- if contains "{{" $text -}}{{- tpl $text .context -}}{{- else -}}{{- $text -}}{{- end -}}'
  if (name === 'common.ingress.backend')
    return 'service:\n  name: {{ .serviceName }}\n  port:\n    {{ typeIs "string" .servicePort | ternary "name" "number" }}: {{ .servicePort }}'
  if (/^common\.ingress\.supports\w+$/.test(name)) return 'true'
  const kind = /^common\.capabilities\.(\w+)\.apiVersion$/.exec(name)?.[1]
  return kind === undefined ? undefined : (versions.get(kind) ?? 'v1')
}

const versions: ReadonlyMap<string, string> = new Map([
  ['cronjob', 'batch/v1'],
  ['daemonset', 'apps/v1'],
  ['deployment', 'apps/v1'],
  ['hpa', 'autoscaling/v2'],
  ['ingress', 'networking.k8s.io/v1'],
  ['job', 'batch/v1'],
  ['networkPolicy', 'networking.k8s.io/v1'],
  ['policy', 'policy/v1'],
  ['rbac', 'rbac.authorization.k8s.io/v1'],
  ['statefulset', 'apps/v1'],
  ['vpa', 'autoscaling.k8s.io/v1'],
])
