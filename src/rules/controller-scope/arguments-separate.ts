import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import type { LayeredValue } from '../../kubernetes/charts/layered-value'
import { remoteReleasesOf, seenValuesOf } from '../../kubernetes/charts/remote-release'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/arguments-separate',
  summary: 'Each flag of a program is an argument of its own, without quotes around its value.',
  since: '1.26.0',
  scope: 'snapshot',
  kinds: [...workloadKinds, ...releaseKinds],
  reads: releasePartKinds,
  messages: {
    joined: ({ object, argument, items }: Record<'object' | 'argument' | 'items', string>) =>
      `${object} gives its program "${argument}" as one argument, which no shell takes apart. So the program looks for a flag of that whole name, and most programs exit as soon as they start. Write an item for each: ${items}.`,
    // Source: https://pkg.go.dev/flag#hdr-Command_line_flag_syntax
    dashless: ({ object, argument, name, ignored }: Record<'object' | 'argument' | 'name' | 'ignored', string>) =>
      `${object} gives its program "${argument}", which is no flag, as it does not begin with dashes. So the program does not set ${name}, and one that stops at the first argument that is no flag, as Go's own does, ignores ${ignored} after it. Write --${argument}.`,
    quoted: ({
      object,
      argument,
      flag,
      value,
      plain,
    }: Record<'object' | 'argument' | 'flag' | 'value' | 'plain', string>) =>
      `${object} gives its program ${argument}, whose quotes are part of the value, as no shell takes them off and YAML takes off only those around the whole item. So ${flag} is ${value} with the quotes, which a program refuses, or looks for by that name. Write ${plain}, in quotes as a whole if at all.`,
  },
  later: { dashless: '1.27.0', quoted: '1.29.0' },
  *partners(manifest) {
    if (!workloadKinds.includes(groupKindOf(manifest.ref))) yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    const object = nameOf(manifest.ref)
    for (const words of argumentsOf(manifest, snapshot)) {
      for (const at of words) {
        const argument = at.string ?? ''
        const quoted = quotedIn(argument)
        if (quoted) report(at, 'quoted', { object, argument, ...quoted }, { keys: [argument] })
        if (!severalFlags.test(argument)) continue
        const items = argument.trim().split(/\s+/).join(', ')
        report(at, 'joined', { object, argument, items }, { keys: [argument] })
      }
      const at = dashlessOf(words)
      const argument = at?.string ?? ''
      const flags = words
        .slice(at ? words.indexOf(at) + 1 : words.length)
        .flatMap(({ string }) => nameOfFlag(string) ?? [])
      if (!at || flags.length === 0) continue
      const args = { object, argument, name: nameOfDashless(argument) ?? '', ignored: enumerated(flags, 3) }
      report(at, 'dashless', args, { keys: [argument] })
    }
  },
})

/** `--one --two=2`; the value of a flag may have flags of its own in it: `--env=ARGS=--one --two`. */
const severalFlags = /^--[\w-]+(?:=[^\s"'`=-][^\s"'`=]*)?(?:\s+--[\w-]+(?:=\S+)?)+$/

/** `leader-elect=true`: names of variables have no dashes, and subcommands have no value. */
function nameOfDashless(word: string): string | undefined {
  const name = word.match(/^([a-z][a-z0-9-]*)=/)?.[1]
  return name?.includes('-') && !/\s/.test(word) ? name : undefined
}

function nameOfFlag(word: string | undefined): string | undefined {
  return word?.match(/^--[a-z][^\s=]*/)?.[0]
}

/**
 * The flag among the words of a program that was written without its dashes: the only one that looks like it, with
 * nothing before it that may take it as an operand (`label node one of-key=value`) or as a value (`--set one-key=value`).
 */
function dashlessOf(words: readonly Cursor[]): Cursor | undefined {
  const texts = words.map(({ string }) => string ?? '')
  const [index, ...others] = texts.flatMap((word, at) => (nameOfDashless(word) === undefined ? [] : at))
  if (index === undefined || others.length > 0 || texts.includes('--')) return undefined
  const takesNext = (word = '') => word.startsWith('-') && !word.includes('=')
  const isOperand = (word: string, at: number) => !word.startsWith('-') && !takesNext(texts[at - 1])
  return takesNext(texts[index - 1]) || texts.slice(0, index).some(isOperand) ? undefined : words[index]
}

/** Values in which quotes mean nothing: a boolean, a number, a duration, a URL, `host:port` and an image with its tag or digest. */
const unquotable = [
  /^(?:true|false)$/,
  /^\d+(?:\.\d+)?(?:ms|s|m|h)?$/,
  /^[a-z]+:\/\/[^\s"'{}]+$/,
  /^[\w.-]*:\d+$/,
  /^[\w.:-]+\/[\w./-]+(?::[\w.-]+|@sha256:[0-9a-f]+)$/,
]

/** The flags whose value is a name, and a name, also of an object with its namespace. */
const namingFlag = /(?:^|-)(?:name|namespace|class|level)$/
const plainName = /^(?:[\w.-]+\/)?(?:[\w.-]+|\$\(\w+\))$/

/** `--image="registry/image:1"`: a flag whose whole value is in quotes; other values, as JSON, may need theirs. */
function quotedIn(argument: string): Record<'flag' | 'value' | 'plain', string> | undefined {
  const [, name, double, single] = argument.match(/^--([a-z][a-z0-9-]*)=(?:"([^"']+)"|'([^"']+)')$/) ?? []
  const value = double ?? single
  if (name === undefined || value === undefined) return undefined
  const isPlain = unquotable.some((form) => form.test(value)) || (namingFlag.test(name) && plainName.test(value))
  return isPlain ? { flag: `--${name}`, value, plain: `--${name}=${value}` } : undefined
}

/** The words of each list of arguments, without the program and those that a shell takes apart. */
function argumentsOf(manifest: Manifest, snapshot: Snapshot): Cursor[][] {
  if (!workloadKinds.includes(groupKindOf(manifest.ref)))
    return remoteReleasesOf(manifest, snapshot).flatMap((release) => argumentsIn(seenValuesOf(release)))
  const spec = podOf(manifest).at('spec')
  const containers = ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
  return containers.map((container) => {
    const [, ...command] = container.at('command').items()
    const words = [...command, ...container.at('args').items()]
    return words.some(isForShell) ? [] : words
  })
}

/** The items of the lists of values by which charts set the arguments of a program: `args`, `extraArgs`, `additionalArguments`. */
function argumentsIn(values: LayeredValue): Cursor[][] {
  return values.keys.flatMap((key) => {
    const value = values.get(key)
    if (value.isMap) return argumentsIn(value)
    if (!/(?:^|[a-z])(?:args|Args|arguments|Arguments)$/.test(key)) return []
    const [, ...command] = values.get('command').items ?? []
    const words = [...command, ...(value.items ?? [])].flatMap(({ at }) => at ?? [])
    return words.some(isForShell) ? [] : [words]
  })
}

/** `-c` and `-ec` of a shell, which takes the words of its argument apart. */
function isForShell(word: Cursor): boolean {
  return /^-[a-z]*c$/.test(word.string ?? '')
}
