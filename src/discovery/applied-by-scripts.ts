import path from 'node:path/posix'
import type { Checkout } from '../revision/checkout'
import { inside } from '../sources/places'

/** The files of commands: scripts, and those of make, just and Task. */
export const isScript = (file: string): boolean =>
  /\.(?:sh|bash|zsh|fish|mk|just)$|(?:^|\/)(?:(?:GNU)?makefile|\.?justfile|Taskfile\.ya?ml)$|(?:^|\/)\.taskfiles\//i.test(
    file,
  )

/** The files that a script of a revision hands to `kubectl apply -f`, `create -f` or `replace -f`. */
export async function appliedByScripts(checkout: Checkout): Promise<ReadonlySet<string>> {
  const { entries, ignores } = checkout.tree
  const scripts = [...entries.keys()].filter((file) => isScript(file) && !ignores(file))
  const found = new Set<string>()
  for (const [script, text] of await checkout.mentioning(scripts, ['kubectl', 'oc '])) {
    for (const written of new Set(appliedIn(text))) {
      const file = fileOf(written, path.dirname(script), checkout)
      if (file !== undefined) found.add(file)
    }
  }
  return found
}

const verbs: ReadonlySet<string> = new Set(['apply', 'create', 'replace'])

/** The paths that the commands of a text apply, as written. */
function appliedIn(text: string): string[] {
  const lines = text.replace(/\\\r?\n/g, ' ').split('\n')
  return lines.flatMap((line) => {
    const comment = line.search(/(?:^|\s)#/)
    const commands = (comment === -1 ? line : line.slice(0, comment)).split(/[;|&]/)
    return commands.flatMap((command) => appliedBy(command.split(/\s+/).map((word) => word.replace(/["'`]/g, ''))))
  })
}

/** The paths that one command applies. */
function appliedBy(words: readonly string[]): string[] {
  const start = words.findIndex((word) => /(?:^|[^\w.-])(?:kubectl|oc)$/.test(word))
  // A command that only prints applies nothing.
  if (start === -1 || words.slice(0, start).some((word) => /^[-@]*(?:echo|printf)$/.test(word))) return []
  const verb = words.findIndex((word, index) => index > start && verbs.has(word))
  if (verb === -1) return []
  return words.slice(verb).flatMap((word, index, all) => {
    if (word === '-f' || word === '--filename') return (all[index + 1] ?? '').split(',')
    return word.startsWith('-f=') || word.startsWith('--filename=') ? word.slice(word.indexOf('=') + 1).split(',') : []
  })
}

/** The file that a path of a script leads to: from the root or the script's folder, or behind a variable. */
function fileOf(written: string, folder: string, checkout: Checkout): string | undefined {
  const parts = written.split('/')
  const isVariable = (part: string) => /[${}]/.test(part)
  const tail = parts.slice(parts.findLastIndex(isVariable) + 1)
  if (tail.length === parts.length)
    return ['', folder].map((from) => inside(from, written)).find((file) => file !== undefined && checkout.has(file))
  const end = tail.filter((part) => part !== '.' && part !== '..')
  const place = end.join('/')
  if (checkout.has(place)) return place
  const all = end.length < 2 ? [] : [...checkout.tree.entries.keys()].filter((file) => file.endsWith(`/${place}`))
  return all.length === 1 ? all[0] : undefined
}
