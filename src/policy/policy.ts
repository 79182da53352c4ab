import semver from 'semver'
import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import { parse } from 'yaml'
import { didYouMean } from '../closest'
import { entryOf } from '../entry'
import { GuardError } from '../errors'
import type { Rule } from '../rule/rule'
import { findFailure } from './document'
import type { Level, LevelSetting, PolicyFile, RuleSettings } from './schema'

/** One version of a policy, by the name of its file, which is read when it is first asked for. */
export interface Policy {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly file: PolicyFile
}

/** The policy a user selects, and the changes to it. */
export interface Use {
  readonly use: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly rules?: Readonly<Record<string, RuleSettings>>
}

/** A rule in force: its levels, params and policy. */
export interface ActiveRule {
  readonly rule: Rule
  readonly policy: { readonly name: string; readonly version: string }
  readonly params: unknown
  /** The changes for which it judges assumed objects: their own, or any. */
  readonly assumes: 'own' | 'any' | undefined
  /** Whether this version of the policy has one of the rule's messages. */
  has(message: string): boolean
  /** The level of one of the rule's messages; undefined when it is off. */
  levelOf(message: string): Level | undefined
}

type Keys = readonly (string | number)[]

/** The place of something in a policy's entry: the key if it is unknown, the value if it is wrong. */
export interface UsePlaces {
  key(index: number, keys: Keys): GuardError['at']
  value(index: number, keys: Keys): GuardError['at']
}

const nowhere: UsePlaces = { key: () => undefined, value: () => undefined }

/** A policy as it was asked for and as it was found. */
export interface ResolvedPolicy {
  readonly name: string
  readonly version: string
  readonly requested: string
}

/** The policies and rules that a run judges by. */
export interface Resolution {
  readonly policies: readonly ResolvedPolicy[]
  readonly rules: readonly ActiveRule[]
}

/** Reads the file of a policy of this package: the tests hold it against its schema, and its params against the rules. */
export function readPolicy(text: string): PolicyFile {
  return parse(text)
}

/** The default: every bundled policy, newest 1.x. */
export function defaultUses(bundled: readonly Policy[]): Use[] {
  return [...new Set(bundled.map(({ name }) => name))].sort().map((name) => ({ use: `${name}@^1` }))
}

/**
 * Finds the newest bundled version in each range and ties its rules to their code.
 *
 * @param places where the uses are written, for errors
 */
export function resolvePolicies(
  uses: readonly Use[],
  bundled: readonly Policy[],
  rules: readonly Rule[],
  places: UsePlaces = nowhere,
): Resolution {
  const policies: ResolvedPolicy[] = []
  const active: ActiveRule[] = []
  for (const [index, use] of uses.entries()) {
    const [name = '', range = '^1'] = split(use.use)
    const versions = bundled.filter((policy) => policy.name === name)
    if (versions.length === 0) {
      const names = [...new Set(bundled.map((policy) => policy.name))].sort()
      throw new GuardError(
        'config',
        `The policy ${JSON.stringify(name)} does not exist.${didYouMean(name, names)} The policies are ${names.join(', ')}.`,
        places.value(index, ['use']),
      )
    }
    if (semver.validRange(range) === null) {
      throw new GuardError(
        'config',
        `${JSON.stringify(range)} is not a valid semver range; write for example ${name}@^1.`,
        places.value(index, ['use']),
      )
    }
    const newest = semver.maxSatisfying(
      versions.map(({ version }) => version),
      range,
    )
    const policy = versions.find(({ version }) => version === newest)
    if (!policy) {
      const known = versions
        .map(({ version }) => version)
        .sort(semver.compare)
        .join(', ')
      throw new GuardError(
        'config',
        `No version of ${name} is in ${range}; the versions are ${known}.`,
        places.value(index, ['use']),
      )
    }
    if (policies.some((other) => other.name === name)) {
      throw new GuardError(
        'config',
        `The policy ${name} is used twice; merge the two entries.`,
        places.value(index, ['use']),
      )
    }
    policies.push({ name, version: policy.version, requested: range })
    active.push(
      ...activate(policy, use, rules, {
        key: (keys) => places.key(index, keys),
        value: (keys) => places.value(index, keys),
      }),
    )
  }
  return { policies, rules: active }
}

function split(use: string): [string, string?] {
  const at = use.indexOf('@')
  return at === -1 ? [use] : [use.slice(0, at), use.slice(at + 1)]
}

function activate(
  policy: Policy,
  use: Use,
  rules: readonly Rule[],
  places: { key(keys: Keys): GuardError['at']; value(keys: Keys): GuardError['at'] },
): ActiveRule[] {
  const { file } = policy
  const named = Object.keys(file.rules)
  for (const id of Object.keys(use.rules ?? {})) {
    if (!named.includes(id)) {
      throw new GuardError(
        'config',
        `${file.policy} ${file.version} has no rule ${JSON.stringify(id)}.${didYouMean(id, named)} \`ingress-guard rules\` lists all.`,
        places.key(['rules', id]),
      )
    }
  }
  const known = new Set<string>()
  const active = named.map((id) => {
    const rule = rules.find((candidate) => candidate.id === id)
    if (!rule) throw new GuardError('policy', `The rule ${id} is not implemented.`, { path: policy.path })
    const given = entryOf(file.rules, id) ?? {}
    const own = entryOf(use.rules, id) ?? {}
    const messages = messagesOf(rule, file.version)
    for (const message of [...Object.keys(given.levels ?? {}), ...Object.keys(own.levels ?? {})]) {
      if (!messages.includes(message)) {
        throw new GuardError(
          'config',
          `${id} has no message ${JSON.stringify(message)}; its messages are ${messages.join(', ')}.`,
          places.key(['rules', id, 'levels', message]),
        )
      }
    }
    const schemas = ((rule.params as { properties?: object } | undefined)?.properties ?? {}) as Record<string, TSchema>
    for (const name of Object.keys(schemas)) known.add(name)
    const shared = Object.fromEntries(Object.entries(use.params ?? {}).filter(([name]) => Object.hasOwn(schemas, name)))
    for (const [where, values] of [
      [['params'], shared],
      [['rules', id, 'params'], own.params ?? {}],
    ] as const) {
      for (const [name, value] of Object.entries(values)) {
        const schema = entryOf(schemas, name)
        if (!schema) throw unknownParam(id, name, Object.keys(schemas), places.key([...where, name]))
        const failure = findFailure(Type.Object({ [name]: schema }), { [name]: value })
        if (!failure) continue
        const message = `The params of ${id} are not valid. ${failure.sentence}`
        throw new GuardError('config', message, places.value([...where, ...failure.keys]))
      }
    }
    const params = [shared, own.params ?? {}].reduce<Record<string, unknown>>(merge, { ...given.params })
    return {
      rule,
      policy: { name: file.policy, version: file.version },
      params,
      assumes: assumesOf(rule, file.version),
      has: (message: string) => messages.includes(message),
      levelOf: (message: string) => (messages.includes(message) ? levelOf(message, given, own) : undefined),
    }
  })
  for (const name of Object.keys(use.params ?? {})) {
    if (!known.has(name)) throw unknownParam(file.policy, name, [...known], places.key(['params', name]))
  }
  return active
}

function assumesOf({ assumed }: Rule, version: string): ActiveRule['assumes'] {
  if (typeof assumed !== 'object') return assumed && 'own'
  return semver.gte(semver.coerce(version) ?? version, assumed.since) ? 'any' : assumed.before
}

/** The messages that a rule has in a version of its policy: a released version keeps its messages and wording. */
function messagesOf(rule: Rule, version: string): string[] {
  const release = semver.coerce(version) ?? version
  const later = rule.later as Readonly<Record<string, string>> | undefined
  const until = rule.until as Readonly<Record<string, string>> | undefined
  return Object.keys(rule.messages).filter((message) => {
    const end = entryOf(until, message)
    return semver.gte(release, entryOf(later, message) ?? rule.since) && (!end || semver.lt(release, end))
  })
}

function unknownParam(owner: string, name: string, names: readonly string[], at: GuardError['at']): GuardError {
  const allowed = names.length > 0 ? `its params are ${names.join(', ')}` : 'it has no params'
  return new GuardError('config', `${owner} has no param ${JSON.stringify(name)}; ${allowed}.`, at)
}

/** A list is added to the existing list; any other value replaces the existing one. */
function merge(params: Record<string, unknown>, more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const added = Object.entries(more).map(([name, value]) => {
    const there = entryOf(params, name)
    return [name, Array.isArray(there) && Array.isArray(value) ? [...there, ...value] : value]
  })
  return { ...params, ...Object.fromEntries(added) }
}

function levelOf(message: string, given: RuleSettings, own: RuleSettings): Level | undefined {
  const setting: LevelSetting =
    entryOf(own.levels, message) ?? own.level ?? entryOf(given.levels, message) ?? given.level ?? 'error'
  return setting === 'off' ? undefined : setting
}
