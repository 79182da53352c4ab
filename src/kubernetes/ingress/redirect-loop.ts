import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { gatewayOf, parentsOf, selectedListeners } from './gateway-route'

/** A redirect of a route to the address at which requests come to it. */
export interface RedirectLoop {
  readonly at: Cursor
  readonly url: string
}

const schemes: Readonly<Record<string, string>> = { HTTP: 'http', HTTPS: 'https' }

/**
 * The redirects of an HTTPRoute that change nothing in a request at a listener that it names. Source: Gateway API 1.6.1,
 * apis/v1/httproute_types.go, HTTPRequestRedirectFilter
 */
export function redirectLoopsOf(route: Manifest, snapshot: Snapshot): RedirectLoop[] {
  const listeners = (parentsOf(route) ?? []).flatMap((parent) => {
    const gateway = parent.sectionName.string ? gatewayOf(snapshot, parent) : undefined
    return gateway ? selectedListeners(gateway, parent) : []
  })
  const hosts = [...route.root.at('spec', 'hostnames').items()].map(({ string }) => string)
  return [...route.root.at('spec', 'rules').items()].flatMap((rule) =>
    [...rule.at('filters').items()].flatMap((filter): RedirectLoop[] => {
      const redirect = filter.at('requestRedirect')
      const host = redirect.at('hostname').string
      if (!redirect.isMap || redirect.at('path').exists || (host !== undefined && !hosts.includes(host))) return []
      const listener = listeners.find((one) => isKept(redirect, one))
      const url = listener && `${schemes[listener.at('protocol').string ?? '']}://${host ?? hosts[0] ?? ''}`
      return url ? [{ at: redirect, url }] : []
    }),
  )
}

/** Whether a redirect keeps the scheme and the port of a listener. */
function isKept(redirect: Cursor, listener: Cursor): boolean {
  const own = schemes[listener.at('protocol').string ?? '']
  const port = listener.at('port').value
  const [scheme, wanted] = [redirect.at('scheme').string, redirect.at('port').value]
  if (own === undefined || (scheme !== undefined && scheme !== own)) return false
  const byDefault = scheme === undefined ? port : scheme === 'https' ? 443 : 80
  return (wanted ?? byDefault) === port
}
