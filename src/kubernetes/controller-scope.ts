import type { Cursor } from '../manifest/cursor'
import type { ControllerFacts } from './controller-facts'
import type { Settings } from './settings'

/** The namespaces a controller watches, at the flag that says so, else where it would stand. */
export type Watched = { readonly at: Cursor } & (
  | { readonly scope: 'all'; readonly except: readonly string[] }
  | { readonly scope: 'unknown' }
  | { readonly scope: 'namespaces'; readonly names: readonly string[] }
  | { readonly scope: 'selector'; readonly selector: string }
)

/** Reads which namespaces a controller watches: those that are named, or labelled; else all of them. */
export function watchedBy({ scope }: ControllerFacts, settings: Settings): Watched {
  const named = settings.get(scope.namespaces)
  if (named && named.value !== '') {
    const { at } = named
    const names = namesIn(settings, scope.namespaces, scope.many)
    if (!names) return { at, scope: 'unknown' }
    if (names.length > 0) return { at, scope: 'namespaces', names }
  }
  const selector = scope.selector === undefined ? undefined : settings.get(scope.selector)
  if (selector && selector.value !== '') {
    const { at, value } = selector
    return value === undefined ? { at, scope: 'unknown' } : { at, scope: 'selector', selector: value }
  }
  const except = scope.except === undefined ? [] : namesIn(settings, scope.except, scope.many)
  const at = named?.at ?? settings.place
  return except ? { at, scope: 'all', except } : { at, scope: 'unknown' }
}

/** The namespaces that a flag names; undefined where no file tells one of them. */
function namesIn(settings: Settings, flag: string, many: 'commas' | 'repeated' | undefined): string[] | undefined {
  const given = many === 'repeated' ? settings.all(flag) : [settings.get(flag)].filter((one) => one !== undefined)
  const values = given.map(({ value }) => value)
  if (!values.every((value) => value !== undefined)) return undefined
  const names = many === 'commas' ? values.flatMap((value) => value.split(',')) : values
  return [...new Set(names.map((name) => name.trim()).filter(Boolean))].sort()
}
