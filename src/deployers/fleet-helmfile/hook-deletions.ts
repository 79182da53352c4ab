import { scriptIn } from '../../kubernetes/workload/command-outcome'
import type { Cursor } from '../../manifest/cursor'
import { documentsIn } from '../common/document'
import { plainPartsOf } from './plain-parts'

/** A hook of a helmfile that deletes objects of the cluster. */
export interface HookDeletion {
  readonly at: Cursor
  /** The release, or the whole helmfile. */
  readonly of: string
  /** The words after `delete`. */
  readonly asked: readonly string[]
}

/** Programs that delete objects by the word `delete`. */
const programs: ReadonlySet<string> = new Set(['kubectl', 'oc'])

/** The hooks of a helmfile that delete objects. Source: https://helmfile.readthedocs.io/en/latest/#hooks */
export function hookDeletionsIn(file: string, text: string): HookDeletion[] {
  if (!/\bhooks\b/.test(text)) return []
  const plain = text.includes('{{') ? plainPartsOf(text) : text
  return documentsIn(file, plain).documents.flatMap(({ root }) => [
    ...deletionsIn(root, 'this helmfile'),
    ...[...root.at('releases').items()].flatMap((one) =>
      deletionsIn(one, `the release ${one.at('name').string ?? ''}`),
    ),
    ...[...root.at('templates').entries()].flatMap(([name, one]) => deletionsIn(one, `the template ${name}`)),
  ])
}

function deletionsIn(holder: Cursor, of: string): HookDeletion[] {
  return [...holder.at('hooks').items()].filter(runsOnSync).flatMap((hook) => {
    const args = hook.at('args')
    const words = [hook.at('command'), ...args.items()].map(({ string }) => string ?? '')
    return commandsOf(words).flatMap((command) => {
      const asked = askedBy(command)
      return asked ? [{ at: args.exists ? args : hook, of, asked }] : []
    })
  })
}

/** A hook that runs only when a release is uninstalled has nothing to take away. */
function runsOnSync(hook: Cursor): boolean {
  return [...hook.at('events').items()].some(({ string }) => !string?.endsWith('uninstall'))
}

/** The commands of a hook: its own words, or those of a script that a shell gets. */
function commandsOf(words: readonly string[]): string[][] {
  const script = scriptIn(words)
  if (script === undefined) return [[...words]]
  return script.split(/[;&|\n]/).map((command) => command.split(/\s+/).filter((word) => word !== ''))
}

function askedBy(command: readonly string[]): string[] | undefined {
  const start = command.findIndex((word) => programs.has(word.split('/').at(-1) ?? ''))
  if (start === -1) return undefined
  const verb = command.indexOf('delete', start)
  return verb === -1 ? undefined : command.slice(verb + 1)
}
