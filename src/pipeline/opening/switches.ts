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
  /** The template as the other side has it; an empty text where it has none; undefined where the whole chart is new. */
  readonly other?: string
}

/**
 * The paths of the switches of a chart: all with a default value, those of them of the templates that make its routes,
 * and those that have none.
 */
export interface Switches {
  readonly all: readonly string[]
  readonly ofRoutes: readonly string[]
  readonly withoutDefault: readonly string[]
  /** New ones that leave objects out where they are on: the change itself does not remove these, so they stay off. */
  readonly removing: ReadonlySet<string>
}

/**
 * Finds the switches that are off by default: keys that are false in the values of a side and that a condition of a
 * template names, of one that the change touches or that makes routes, certificates or permissions.
 *
 * @param sides the default values of each side, with those of the charts in its `charts/`
 * @param templates those of both sides
 */
export function switchesIn(sides: readonly (readonly unknown[])[], templates: readonly TemplateText[]): Switches {
  const values = sides.flat()
  const defined = new Map<string, ReadonlySet<string>>()
  for (const { text } of templates)
    for (const [name, paths] of pathsIn(actionsOf(text), new Map()).ofTemplates)
      defined.set(name, new Set([...(defined.get(name) ?? []), ...paths]))
  const before = sides.length > 1 ? sides[0] : undefined
  const isNew = (path: string) => before?.every((one) => isMissing(one, path)) ?? false
  const denied = templates.flatMap(({ text, above }) =>
    [...pathsIn(actionsOf(text), new Map()).denied].map((path) => [...above, path].join('.')),
  )
  const removing = new Set(denied.filter(isNew))
  const named = (isWanted: (template: TemplateText) => boolean) => {
    const found = templates.filter(isWanted).flatMap(({ text, above }) => {
      const { conditions } = pathsIn(actionsOf(text), defined)
      return [...conditions, ...(above.length > 0 ? ['enabled'] : [])].map((path) => [...above, path].join('.'))
    })
    return [...new Set(found)]
      .filter((path) => isPlain(path) && !removing.has(path) && values.some((one) => isOff(one, path)))
      .sort()
  }
  return {
    all: named(({ text, isChanged }) => isChanged || makes(text, [...routes, ...others])),
    ofRoutes: named(({ text }) => makes(text, routes)),
    withoutDefault: withoutDefaultIn(values, templates),
    removing,
  }
}

/**
 * The values that only conditions of a template of a route or a certificate that the change touches read, to ask whether
 * they are there: `if and .Values.a .Values.b`. A value that is also printed or compared is no switch.
 */
function withoutDefaultIn(values: readonly unknown[], templates: readonly TemplateText[]): string[] {
  const asked = new Set<string>()
  const read = new Set<string>()
  for (const { text, above, isChanged } of templates) {
    const paths = pathsIn(actionsOf(text), new Map())
    const whole = (path: string) => (path.startsWith('global.') ? path : [...above, path].join('.'))
    for (const path of paths.read) read.add(whole(path))
    const isWanted = isChanged && makes(text, [...routes, ...certificates])
    for (const path of paths.asked) (isWanted ? asked : read).add(whole(path))
  }
  const isOnly = (path: string) => {
    const others = [...read, ...asked].filter((one) => one !== path)
    return !read.has(path) && !others.some((one) => one.startsWith(`${path}.`))
  }
  return [...asked]
    .filter((path) => isPlain(path) && isOnly(path) && values.every((side) => isMissing(side, path)))
    .sort()
}

/** Kinds of routes, and those of certificates and permissions. */
const routes = ['Ingress', 'IngressClass', 'IngressRoute', 'Gateway', 'GatewayClass', 'VirtualService', 'HTTPProxy']
const certificates = ['Certificate', 'Issuer', 'ClusterIssuer']
const others = [...certificates, 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']

export function isRoute(template: string): boolean {
  return makes(template, routes)
}

/** Whether a template makes a route, a certificate or a Service. */
export function isRouted(template: string): boolean {
  return makes(template, [...routes, ...certificates, 'Service'])
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

/** Whether values have nothing at a path, and only maps above it. */
function isMissing(values: unknown, path: string): boolean {
  let value = values
  for (const key of path.split('.')) {
    if (value === undefined || value === null) return true
    if (typeof value !== 'object' || Array.isArray(value)) return false
    value = fieldsOf(value)[key]
  }
  return value === undefined || value === null
}

/** Whether a condition asks that a value is off: `not .Values.a`, `not (index .Values "a")`. */
function isDenied(words: readonly Word[], at: number): boolean {
  const before = words.slice(0, at).map(({ text }) => text)
  return before.at(-1) === 'not' || before.slice(-3).join(' ') === 'not ( index'
}

/** Whether a word of a condition is a value that it only asks for: `if .a`, `if and .a (or .b .c)`, `if (index .a "b")`. */
function isAsked(words: readonly Word[], at: number): boolean {
  const opening = ['if', '(', '|']
  let start = at
  for (let closed = 0; start > 0; start--) {
    const before = words[start - 1]?.text ?? ''
    if (before === ')') closed++
    else if (closed > 0) closed -= Number(before === '(')
    else if (opening.includes(before)) break
  }
  const name = words[start]?.text ?? ''
  const isPiped = words.slice(at + 1).some(({ text }) => text === '|')
  if (start === at || ['and', 'or'].includes(name)) return !isPiped
  // What is asked of the value that `index` finds is asked in the block around it.
  const around = words[start - 1]?.text === '(' ? isAsked(words, start - 1) : words[start - 1]?.text === 'if'
  return name === 'index' && at === start + 1 && !isPiped && around
}

interface NamedPaths {
  /** The values that conditions name, other than to ask whether they are off. */
  readonly conditions: ReadonlySet<string>
  /** The values that conditions ask to be off. */
  readonly denied: ReadonlySet<string>
  /** The values that conditions only ask for. */
  readonly asked: ReadonlySet<string>
  /** All values that are read in other ways. */
  readonly read: ReadonlySet<string>
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
  const denied = new Set<string>()
  const asked = new Set<string>()
  const read = new Set<string>()
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
      if (isCondition && path !== undefined) (isDenied(words, at) ? denied : conditions).add(path)
      if (path !== undefined) (isCondition && isAsked(words, at) ? asked : read).add(path)
      if (isCondition && text === 'include')
        for (const its of defined.get((words[at + 1]?.text ?? '').slice(1, -1)) ?? []) conditions.add(its)
    })
    const named = paths.find((path) => path !== undefined)
    if (second === ':=' && first?.startsWith('$') && named !== undefined) variables.set(first, named)
    if (first === 'if') open.push({ dot, defines: undefined })
    if (first === 'with' || first === 'range')
      open.push({
        dot: first === 'with' && words.length === 2 ? dotOf(second, paths[1]) : undefined,
        defines: undefined,
      })
    if (first === 'define' || first === 'block') {
      const name = (second ?? '').slice(1, -1)
      ofTemplates.set(name, ofTemplates.get(name) ?? new Set())
      open.push({ dot: undefined, defines: name })
    }
  }
  return { conditions, denied, asked, read, ofTemplates }
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

/** The dot of a block `with`; all values are the path that is empty. */
function dotOf(word: string | undefined, path: string | undefined): string | undefined {
  return word === '.Values' || word === '$.Values' ? '' : path
}

/** `ingress.enabled` of `.Values.ingress.enabled`; of `.enabled` and `$ingress.enabled`, where these are known. */
function pathOf(word: string, dot: string | undefined, variables: ReadonlyMap<string, string>): string | undefined {
  const whole = word.replace(/^\$(?=\.)/, '')
  if (whole.startsWith('.Values.')) return whole.slice('.Values.'.length)
  if (word.startsWith('.') && dot === '') return word.slice(1) || undefined
  if (word.startsWith('.')) return dot !== undefined && word.length > 1 ? `${dot}${word}` : undefined
  const [name = '', ...rest] = word.split('.')
  const known = variables.get(name)
  return known !== undefined && rest.length > 0 ? [known, ...rest].join('.') : undefined
}
