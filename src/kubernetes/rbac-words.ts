import { type Permissions, singles, wordsOf } from './rbac'

/** So many permissions tell two statements apart; long lists in a rule may stand for millions. */
const most = 1000

/** Permissions in the words of `kubectl auth can-i`: what a statement about them is about. */
export function permissionKeys(permissions: readonly Permissions[]): string[] {
  const words: string[] = []
  for (const single of singles(permissions)) {
    if (words.length === most) break
    words.push(wordsOf(single))
  }
  return words
}

/** The first few of some words, as messages list them. */
export function firstFew(words: readonly string[], few = 5): string {
  const named = words.slice(0, few).map((word) => `\`${word}\``)
  const more = words.length - few
  if (more > 0) return `${named.join(', ')} and ${words.length === most ? 'many' : more} more`
  return named.length > 1 ? `${named.slice(0, -1).join(', ')} and ${named.at(-1)}` : (named[0] ?? '')
}

/** Permissions as rules to paste into a role. */
export function ruleTexts(permissions: readonly Permissions[]): string {
  return permissions
    .slice(0, 3)
    .map(({ group, resource, name, url, verb }) => {
      const fields = url.has('')
        ? { apiGroups: group, resources: resource, ...(name.has('') ? {} : { resourceNames: name }), verbs: verb }
        : { nonResourceURLs: url, verbs: verb }
      return `\`- {${Object.entries(fields)
        .map(([field, values]) => `${field}: [${[...values].map(scalar).join(', ')}]`)
        .join(', ')}}\``
    })
    .join(', ')
}

function scalar(text: string): string {
  return /^[A-Za-z][\w./-]*$/.test(text) ? text : JSON.stringify(text)
}
