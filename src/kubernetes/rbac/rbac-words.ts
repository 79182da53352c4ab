import { abridged, enumerated } from '../../listing'
import { type Permissions, permissionText, singles } from './rbac'

/** This many permissions distinguish two statements; long lists in a rule may expand to millions. */
const most = 1000

/** Permissions in the words of `kubectl auth can-i`: the keys of a statement about them. */
export function permissionKeys(permissions: readonly Permissions[]): string[] {
  const words: string[] = []
  for (const single of singles(permissions)) {
    if (words.length === most) break
    words.push(permissionText(single))
  }
  return words
}

/** The first few of some words, as messages list them. */
export function firstFew(words: readonly string[], few = 5): string {
  const named = words.map((word) => `\`${word}\``)
  if (words.length === most) return `${named.slice(0, few).join(', ')} and many more`
  return words.length > few ? abridged(named, few) : enumerated(named)
}

/** Permissions as rules to paste into a role. */
export function ruleTexts(permissions: readonly Permissions[]): string[] {
  return permissions.map(({ group, resource, name, url, verb }) =>
    flowText(
      url.has('')
        ? { apiGroups: group, resources: resource, ...(name.has('') ? {} : { resourceNames: name }), verbs: verb }
        : { nonResourceURLs: url, verbs: verb },
    ),
  )
}

/** A map of texts and lists of texts as YAML in one line. */
export function flowText(map: Readonly<Record<string, string | ReadonlySet<string>>>): string {
  const fields = Object.entries(map).map(([field, value]) => {
    const text = typeof value === 'string' ? scalar(value) : `[${[...value].map(scalar).join(', ')}]`
    return `${field}: ${text}`
  })
  return `{${fields.join(', ')}}`
}

function scalar(text: string): string {
  return /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
}
