import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import type { LayeredValue } from '../../kubernetes/charts/layered-value'
import { remoteReleasesOf, seenValuesOf } from '../../kubernetes/charts/remote-release'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/arguments-separate',
  summary: 'Each flag of a program is an argument of its own.',
  since: '1.26.0',
  scope: 'snapshot',
  kinds: [...workloadKinds, ...releaseKinds],
  reads: releasePartKinds,
  messages: {
    joined: ({ object, argument, items }: Record<'object' | 'argument' | 'items', string>) =>
      `${object} gives its program "${argument}" as one argument, which no shell takes apart. So the program looks for a flag of that whole name, and most programs exit as soon as they start. Write an item for each: ${items}.`,
  },
  *partners(manifest) {
    if (!workloadKinds.includes(groupKindOf(manifest.ref))) yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const at of argumentsOf(manifest, snapshot)) {
      const argument = at.string ?? ''
      if (!severalFlags.test(argument)) continue
      const items = argument.trim().split(/\s+/).join(', ')
      report(at, 'joined', { object: nameOf(manifest.ref), argument, items }, { keys: [argument] })
    }
  },
})

/** `--one --two=2`; the value of a flag may have flags of its own in it: `--env=ARGS=--one --two`. */
const severalFlags = /^--[\w-]+(?:=[^\s"'`=-][^\s"'`=]*)?(?:\s+--[\w-]+(?:=\S+)?)+$/

function argumentsOf(manifest: Manifest, snapshot: Snapshot): Cursor[] {
  if (!workloadKinds.includes(groupKindOf(manifest.ref)))
    return remoteReleasesOf(manifest, snapshot).flatMap((release) => argumentsIn(seenValuesOf(release)))
  const spec = podOf(manifest).at('spec')
  const containers = ['initContainers', 'containers'].flatMap((list) => [...spec.at(list).items()])
  return containers.flatMap((container) => {
    const [command, args] = ['command', 'args'].map((list) => [...container.at(list).items()])
    const words = [...(command ?? []), ...(args ?? [])]
    return words.some(isForShell) ? [] : words
  })
}

/** The items of the lists of values by which charts set the arguments of a program: `args`, `extraArgs`, `additionalArguments`. */
function argumentsIn(values: LayeredValue): Cursor[] {
  return values.keys.flatMap((key) => {
    const value = values.get(key)
    if (value.isMap) return argumentsIn(value)
    if (!/(?:^|[a-z])(?:args|Args|arguments|Arguments)$/.test(key)) return []
    const words = [...(values.get('command').items ?? []), ...(value.items ?? [])].flatMap(({ at }) => at ?? [])
    return words.some(isForShell) ? [] : words
  })
}

/** `-c` and `-ec` of a shell, which takes the words of its argument apart. */
function isForShell(word: Cursor): boolean {
  return /^-[a-z]*c$/.test(word.string ?? '')
}
