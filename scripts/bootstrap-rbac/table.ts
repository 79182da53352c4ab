import type { Answer, Objects, WrittenBinding, WrittenRole, WrittenRule } from './kubernetes'

/** One permission of a role, as the text of a JSON list: group, resource, name, URL, verb. */
type Single = string

interface RoleOfRelease {
  readonly always: ReadonlySet<Single>
  readonly gated: ReadonlySet<Single>
  readonly labels: readonly string[]
  readonly gathers: readonly string[]
}

interface BindingOfRelease {
  readonly role: string
  readonly states: readonly (readonly string[])[]
}

interface Key {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** Lines of `facts/bootstrap-rbac.yaml`: each object once, with the releases of the parts that not all have. */
export function tableLines(answers: ReadonlyMap<string, Answer>): string[] {
  const minors = [...answers.keys()]
  const roles = byKey([...answers].map(([minor, answer]) => [minor, rolesOf(answer)] as const))
  const bindings = byKey([...answers].map(([minor, answer]) => [minor, bindingsOf(answer)] as const))
  return [
    'roles:',
    ...sorted(roles).flatMap(([key, releases]) => roleLines(JSON.parse(key), releases, minors)),
    'bindings:',
    ...sorted(bindings).flatMap(([key, releases]) => bindingLines(JSON.parse(key), releases)),
  ]
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The values of each release under each key. */
function byKey<T>(releases: readonly (readonly [string, ReadonlyMap<string, T>])[]): Map<string, Map<string, T>> {
  const all = new Map<string, Map<string, T>>()
  for (const [minor, objects] of releases) {
    for (const [key, object] of objects) all.set(key, (all.get(key) ?? new Map()).set(minor, object))
  }
  return all
}

function rolesOf({ released, on, off }: Answer): Map<string, RoleOfRelease> {
  const [first, ...others] = [released, on, off].map(writtenRoles)
  const all = new Map([first, ...others].flatMap((roles) => [...(roles ?? [])]))
  return new Map(
    [...all].map(([key, { metadata, aggregationRule }]) => {
      const states = [first, ...others].map((roles) => singlesOf(roles?.get(key)?.rules ?? []))
      const union = new Set(states.flatMap((state) => [...state]))
      const always = new Set([...union].filter((single) => states.every((state) => state.has(single))))
      const labels = Object.keys(metadata.labels ?? {}).filter((label) => label.includes('/aggregate-to-'))
      const gathers = (aggregationRule?.clusterRoleSelectors ?? []).flatMap((one) => Object.keys(one.matchLabels))
      const gated = new Set([...union].filter((single) => !always.has(single)))
      return [key, { always, gated, labels, gathers }]
    }),
  )
}

function writtenRoles({ ClusterRoles, Roles }: Objects): Map<string, WrittenRole> {
  return new Map([
    ...ClusterRoles.map((role) => [keyOf({ kind: 'ClusterRole', name: role.metadata.name }), role] as const),
    ...Object.entries(Roles).flatMap(([namespace, roles]) =>
      roles.map((role) => [keyOf({ kind: 'Role', namespace, name: role.metadata.name }), role] as const),
    ),
  ])
}

/** Each binding, with its subjects in each state of the feature gates in which it is there. */
function bindingsOf({ released, on, off }: Answer): Map<string, BindingOfRelease> {
  const bindings = new Map<string, BindingOfRelease>()
  for (const { ClusterRoleBindings, RoleBindings } of [released, on, off]) {
    const add = (key: Key, { roleRef, subjects }: WrittenBinding) => {
      const names = (subjects ?? []).map(
        ({ kind, namespace, name }) => `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
      )
      const known = bindings.get(keyOf(key))?.states ?? []
      bindings.set(keyOf(key), { role: `${roleRef.kind} ${roleRef.name}`, states: [...known, names] })
    }
    for (const one of ClusterRoleBindings) add({ kind: 'ClusterRoleBinding', name: one.metadata.name }, one)
    for (const [namespace, all] of Object.entries(RoleBindings)) {
      for (const one of all) add({ kind: 'RoleBinding', namespace, name: one.metadata.name }, one)
    }
  }
  return bindings
}

function keyOf(key: Key): string {
  return JSON.stringify(key)
}

function singlesOf(rules: readonly WrittenRule[]): Set<Single> {
  const singles = new Set<Single>()
  const add = (...parts: string[]) => singles.add(JSON.stringify(parts))
  for (const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } of rules) {
    for (const verb of verbs) {
      for (const url of nonResourceURLs ?? []) add('', '', '', url, verb)
      for (const group of apiGroups ?? [])
        for (const resource of resources ?? [])
          for (const name of resourceNames?.length ? resourceNames : ['']) add(group, resource, name, '', verb)
    }
  }
  return singles
}

function roleLines(key: Key, releases: ReadonlyMap<string, RoleOfRelease>, minors: readonly string[]): string[] {
  const having = [...releases.keys()]
  const [first, ...others] = releases.values()
  if (!first || others.some((one) => labelsOf(one) !== labelsOf(first))) {
    throw new Error(`The labels of ${keyOf(key)} differ between releases, which the table cannot hold.`)
  }
  const singles = new Set([...releases.values()].flatMap(({ always, gated }) => [...always, ...gated]))
  const spans = grouped(singles, (single) => {
    const always = having.filter((minor) => releases.get(minor)?.always.has(single))
    const gated = having.filter((minor) => releases.get(minor)?.gated.has(single))
    return [
      always.length > 0 && always.length < having.length ? `in: ${spanOf(always, minors)}` : '',
      gated.length > 0 ? `gated: ${spanOf(gated, minors)}` : '',
    ]
      .filter(Boolean)
      .join(', ')
  })
  const rules = sorted(spans).flatMap(([span, group]) => rulesOf(group).map((rule) => `${rule}${span && `, ${span}`}`))
  return [
    ...headLines(key),
    ...(having.length < minors.length ? [`    in: ${spanOf(having, minors)}`] : []),
    ...(first.labels.length > 0 ? [`    labels: ${list(first.labels)}`] : []),
    ...(first.gathers.length > 0 ? [`    gathers: ${list(first.gathers)}`] : []),
    ...(rules.length > 0 ? ['    rules:', ...rules.sort().map((rule) => `      - { ${rule} }`)] : []),
  ]
}

function labelsOf({ labels, gathers }: RoleOfRelease): string {
  return JSON.stringify([labels, gathers])
}

function bindingLines(key: Key, releases: ReadonlyMap<string, BindingOfRelease>): string[] {
  const roles = [...new Set([...releases.values()].map(({ role }) => role))]
  const states = [...releases.values()].flatMap((one) => one.states)
  const all = [...new Set(states.flat())]
  const always = all.filter((name) => states.every((names) => names.includes(name)))
  const [role = '', ...others] = roles
  if (others.length > 0)
    throw new Error(`${keyOf(key)} gives other roles in other releases, which the table cannot hold.`)
  const sometimes = all.filter((name) => !always.includes(name))
  return [
    ...headLines(key),
    `    role: ${quoted(role)}`,
    `    subjects: ${list(always)}`,
    ...(sometimes.length > 0 ? [`    sometimes: ${list(sometimes)}`] : []),
  ]
}

function headLines({ kind, namespace, name }: Key): string[] {
  return [`  - kind: ${kind}`, ...(namespace ? [`    namespace: ${namespace}`] : []), `    name: ${quoted(name)}`]
}

/** `1.20-1.23 1.27-`: from one release to another, or to the newest. */
function spanOf(having: readonly string[], minors: readonly string[]): string {
  const at = having.map((minor) => minors.indexOf(minor)).sort((a, b) => a - b)
  const starts = at.filter((index) => !at.includes(index - 1))
  const ends = at.filter((index) => !at.includes(index + 1))
  return starts
    .map((start, i) => `${minors[start]}-${ends[i] === minors.length - 1 ? '' : minors[ends[i] ?? start]}`)
    .join(' ')
}

/** The fewest rules that this finds for single permissions. */
function rulesOf(singles: readonly Single[]): string[] {
  const parsed = singles.map((single): string[] => JSON.parse(single))
  // Merges what differs in one part alone: the verbs, then the names, the resources, the groups, the URLs.
  let boxes = parsed.map((parts) => parts.map((part) => [part]))
  for (const part of [4, 2, 1, 0, 3]) {
    const same = grouped(boxes, (box) => JSON.stringify(box.map((values, i) => (i === part ? [] : values))))
    boxes = [...same.values()].map((group) =>
      (group[0] ?? []).map((values, i) =>
        i === part ? [...new Set(group.flatMap((box) => box[i] ?? []))].sort() : values,
      ),
    )
  }
  return boxes.map(([groups = [], resources = [], names = [], urls = [], verbs = []]) =>
    [
      ...(urls[0] === '' ? [`apiGroups: ${list(groups)}`, `resources: ${list(resources)}`] : []),
      ...(names[0] === '' ? [] : [`resourceNames: ${list(names)}`]),
      ...(urls[0] === '' ? [] : [`nonResourceURLs: ${list(urls)}`]),
      `verbs: ${list(verbs)}`,
    ].join(', '),
  )
}

function grouped<T>(values: Iterable<T>, key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value])
  return groups
}

function list(values: readonly string[]): string {
  return `[${values.map(quoted).join(', ')}]`
}

/** As YAML reads a text, also within brackets. */
function quoted(text: string): string {
  return /^[a-z][a-z0-9./-]*$/i.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : `'${text}'`
}
