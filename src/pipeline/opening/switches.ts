import { fieldsOf } from '../../sources/untyped'
import { type Action, actionsOf, type Word } from '../../template/template-actions'

/** A template of a chart, on one side of a change. */
export interface TemplateText {
  /** Its path in the chart. */
  readonly file: string
  readonly text: string
  /** The keys of the chart's values above its own, for a template of a chart in its `charts/`. */
  readonly above: readonly string[]
  readonly isChanged: boolean
}

/** The paths of the switches of a chart: all, and those of the templates that make its routes. */
export interface Switches {
  readonly all: readonly string[]
  readonly ofRoutes: readonly string[]
}

/**
 * Finds the switches that are off by default: keys that are false in the values of a side and that a condition of a
 * template names, of one that the change touches or that makes routes, certificates or permissions.
 *
 * @param values the default values, of each side
 * @param templates those of both sides
 */
export function switchesIn(values: readonly unknown[], templates: readonly TemplateText[]): Switches {
  const defined = new Map<string, ReadonlySet<string>>()
  for (const { text } of templates)
    for (const [name, paths] of pathsIn(actionsOf(text), new Map()).ofTemplates)
      defined.set(name, new Set([...(defined.get(name) ?? []), ...paths]))
  const named = (isWanted: (template: TemplateText) => boolean) => {
    const found = templates.filter(isWanted).flatMap(({ text, above }) => {
      const { conditions } = pathsIn(actionsOf(text), defined)
      return [...conditions, ...(above.length > 0 ? ['enabled'] : [])].map((path) => [...above, path].join('.'))
    })
    return [...new Set(found)].filter((path) => isPlain(path) && values.some((side) => isOff(side, path))).sort()
  }
  return {
    all: named(({ text, isChanged }) => isChanged || makes(text, [...routes, ...others])),
    ofRoutes: named(({ text }) => makes(text, routes)),
  }
}

/** Kinds of routes, and those of certificates and permissions. */
const routes = ['Ingress', 'IngressClass', 'IngressRoute', 'Gateway', 'GatewayClass', 'VirtualService', 'HTTPProxy']
const others = ['Certificate', 'Issuer', 'ClusterIssuer', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']

export function isRoute(template: string): boolean {
  return makes(template, routes)
}

/** Whether a template makes a route, a certificate or a Service. */
export function isRouted(template: string): boolean {
  return makes(template, [...routes, 'Certificate', 'Issuer', 'ClusterIssuer', 'Service'])
}

function makes(template: string, kinds: readonly string[]): boolean {
  return template.split('\n').some((line) => {
    const [key, value = ''] = line.trim().split(':')
    const kind = value.trim().replaceAll('"', '').replaceAll("'", '')
    return key === 'kind' && (kinds.includes(kind) || kind.endsWith('Route'))
  })
}

/** Whether each key of a path can be given to helm without an escape. */
function isPlain(path: string): boolean {
  return /^[\w-]+(?:\.[\w-]+)*$/.test(path)
}

function isOff(values: unknown, path: string): boolean {
  const keys = path.split('.')
  return (
    keys.reduce(
      (value: unknown, key) => (Object.hasOwn(fieldsOf(value), key) ? fieldsOf(value)[key] : undefined),
      values,
    ) === false
  )
}

/** Whether a condition asks that a value is off: `not .Values.a`, `not (index .Values "a")`. */
function isDenied(words: readonly Word[], at: number): boolean {
  const before = words.slice(0, at).map(({ text }) => text)
  return before.at(-1) === 'not' || before.slice(-3).join(' ') === 'not ( index'
}

interface NamedPaths {
  /** The values that conditions name, other than to ask whether they are off. */
  readonly conditions: ReadonlySet<string>
  /** The values that named templates read, by the names of these. */
  readonly ofTemplates: ReadonlyMap<string, ReadonlySet<string>>
}

/** A block of a template that an `end` closes, with the values that its dot is. */
interface Block {
  readonly dot: string | undefined
  readonly defines: string | undefined
}

/** Reads the values that a template names, in `with` and by variables, too. */
function pathsIn(actions: readonly Action[], defined: NamedPaths['ofTemplates']): NamedPaths {
  const conditions = new Set<string>()
  const ofTemplates = new Map<string, Set<string>>()
  const variables = new Map<string, string>()
  const open: Block[] = []
  for (const { words } of actions) {
    const [first, second] = words.map(({ text }) => text)
    if (first === 'end') {
      open.pop()
      continue
    }
    const dot = open.at(-1)?.dot
    const paths = words.map(({ text }, at) => indexedBy(words, at) ?? pathOf(text, dot, variables))
    const template = open.findLast(({ defines }) => defines !== undefined)?.defines
    for (const path of paths) if (path !== undefined && template !== undefined) ofTemplates.get(template)?.add(path)
    const isCondition = first === 'if' || (first === 'else' && second === 'if')
    words.forEach(({ text }, at) => {
      const path = paths[at]
      if (isCondition && path !== undefined && !isDenied(words, at)) conditions.add(path)
      if (isCondition && text === 'include')
        for (const its of defined.get((words[at + 1]?.text ?? '').slice(1, -1)) ?? []) conditions.add(its)
    })
    const named = paths.find((path) => path !== undefined)
    if (second === ':=' && first?.startsWith('$') && named !== undefined) variables.set(first, named)
    if (first === 'if') open.push({ dot, defines: undefined })
    if (first === 'with' || first === 'range')
      open.push({ dot: first === 'with' && words.length === 2 ? paths[1] : undefined, defines: undefined })
    if (first === 'define' || first === 'block') {
      const name = (second ?? '').slice(1, -1)
      ofTemplates.set(name, ofTemplates.get(name) ?? new Set())
      open.push({ dot: undefined, defines: name })
    }
  }
  return { conditions, ofTemplates }
}

/** `cert-manager.enabled` of `index .Values "cert-manager" "enabled"`, at the word `.Values`. */
function indexedBy(words: readonly Word[], at: number): string | undefined {
  const [, above = ''] = /^\$?\.Values(?:\.(.+))?$/.exec(words[at]?.text ?? '') ?? []
  if (words[at - 1]?.text !== 'index') return undefined
  const keys = above === '' ? [] : [above]
  for (const { text } of words.slice(at + 1)) {
    if (!text.startsWith('"')) break
    keys.push(text.slice(1, -1))
  }
  return keys.length > 0 ? keys.join('.') : undefined
}

/** `ingress.enabled` of `.Values.ingress.enabled`; of `.enabled` and `$ingress.enabled`, where these are known. */
function pathOf(word: string, dot: string | undefined, variables: ReadonlyMap<string, string>): string | undefined {
  const whole = word.replace(/^\$(?=\.)/, '')
  if (whole.startsWith('.Values.')) return whole.slice('.Values.'.length)
  if (word.startsWith('.')) return dot !== undefined && word.length > 1 ? `${dot}${word}` : undefined
  const [name = '', ...rest] = word.split('.')
  const known = variables.get(name)
  return known !== undefined && rest.length > 0 ? [known, ...rest].join('.') : undefined
}
