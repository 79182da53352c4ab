import type { Cursor } from '../../manifest/cursor'
import type { ControllerFacts } from '../workload/controller-facts'
import { type Settings, valuesOfFlag } from '../workload/settings'

/** The namespaces a controller watches, at the flag that sets them, else where it would be. */
export type Watched = { readonly at: Cursor } & (
  | { readonly scope: 'all'; readonly except: readonly string[] }
  | { readonly scope: 'unknown' }
  | { readonly scope: 'namespaces'; readonly names: readonly string[] }
  | { readonly scope: 'selector'; readonly selector: string }
)

/** Reads the namespaces that a controller watches: those that are named or labelled; else all of them. */
export function watchedBy({ scope }: ControllerFacts, settings: Settings): Watched {
  if (settings.opaque) return { at: settings.place, scope: 'unknown' }
  const named = settings.get(scope.namespaces)
  if (named && named.value !== '') {
    const { at, value } = named
    const names = scope.many ? valuesOfFlag(settings, scope.namespaces) : value === undefined ? undefined : [value]
    return names ? { at, scope: 'namespaces', names } : { at, scope: 'unknown' }
  }
  const selector = scope.selector === undefined ? undefined : settings.get(scope.selector)
  if (selector && selector.value !== '') {
    const { at, value } = selector
    return value === undefined ? { at, scope: 'unknown' } : { at, scope: 'selector', selector: value }
  }
  const at = named?.at ?? settings.placeOf(scope.namespaces)
  const except = scope.except === undefined ? [] : valuesOfFlag(settings, scope.except)
  return except ? { at, scope: 'all', except } : { at, scope: 'unknown' }
}
