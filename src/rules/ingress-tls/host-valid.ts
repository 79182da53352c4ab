import { isIP } from 'node:net'
import { isPlaceholder, tlsEntries } from '../../kubernetes/ingress/ingress'
import { classAnnotation } from '../../kubernetes/ingress/ingress-class'
import type { Cursor } from '../../manifest/cursor'
import { isOfDefaultValues } from '../../manifest/default-values'
import type { Manifest } from '../../manifest/manifest'
import { replaced, withoutKey } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

/**
 * A DNS-1123 subdomain, with `*.` before it allowed: its labels may have any length. Source:
 * k8s.io/apimachinery/pkg/util/validation, IsDNS1123Subdomain and IsWildcardDNS1123Subdomain
 */
const subdomain = /^(?:\*\.)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

export default defineRule({
  id: 'ingress-tls/host-valid',
  summary: 'The API server accepts every host, Secret name and class of an Ingress.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  assumed: true,
  messages: {
    host: ({ host, fault }: { host: string; fault: string }) =>
      `The API server rejects the host ${host}: ${fault}. Use a lower-case DNS name such as a.example.com, or a wildcard such as *.example.com.`,
    secretName: ({ name, fault }: { name: string; fault: string }) =>
      `The API server rejects the secretName ${name}: ${fault}. Name a Secret in the namespace of the Ingress.`,
    className: ({ className, fault }: { className: string; fault: string }) =>
      `The API server rejects the ingressClassName ${className}: ${fault}. Name an IngressClass, or remove the field.`,
    class: ({ annotation, className }: { annotation: string; className: string }) =>
      `The annotation kubernetes.io/ingress.class is ${annotation} and spec.ingressClassName is ${className}; the API server rejects an Ingress that is created with both. Keep spec.ingressClassName and remove the annotation.`,
  },
  later: { className: '1.4.0' },
  check({ manifest, report, skip }) {
    const routed = [...manifest.root.at('spec', 'rules').items()].map((rule) => rule.at('host'))
    const entries = tlsEntries(manifest)
    const listed = entries.flatMap(({ hosts }) => hosts)
    for (const at of [...routed, ...listed]) {
      const host = textOf(at)
      if (host === undefined) continue
      if (lacksValue(host, manifest)) {
        skip(at, `the host ${host} lacks a part, which the values of a release may add`)
        continue
      }
      if (isFilledIn(host, manifest)) {
        skip(at, `the host ${host} has a text that a plugin may replace`)
        continue
      }
      const fault = faultOf(host, routed.includes(at))
      if (fault) report(at, 'host', { host, fault }, { keys: [host], ...fixOf(at, host) })
    }
    // The API server reads a null in a list as an empty text. The use that a chart makes of an empty value is unknown.
    for (const at of manifest.assumption ? [] : listed.filter(isEmpty)) {
      report(at, 'host', { host: '""', fault: 'a TLS entry lists no empty host' }, { keys: ['""'] })
    }
    for (const { secretName } of entries) {
      const name = textOf(secretName)
      const fault = name?.includes('/') ? 'it cannot name another namespace' : name && faultOfName(name)
      if (name && fault && !isPlaceholder(name)) report(secretName, 'secretName', { name, fault }, { keys: [name] })
    }
    const annotation = classAnnotation(manifest)
    const className = manifest.root.at('spec', 'ingressClassName')
    if (className.string === undefined || isPlaceholder(className.string)) return
    const named = className.string || '""'
    const fault = className.string === '' ? 'it is empty' : faultOfName(className.string)
    if (fault && !manifest.assumption) report(className, 'className', { className: named, fault }, { keys: [named] })
    if (annotation.string === undefined || annotation.string === className.string) return
    if (isPlaceholder(annotation.string) || (manifest.assumption && !(annotation.string && className.string))) return
    const args = { annotation: annotation.string || '""', className: named }
    const fix = withoutKey(manifest.root.at('metadata', 'annotations'), String(annotation.path.at(-1)))
    report(annotation, 'class', args, { keys: [args.annotation, named], fix })
  },
})

/** A host as it would be sent; a number or a truth is shown as YAML reads it. */
function textOf(at: Cursor): string | undefined {
  const { value } = at
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

/** Whether a part of a host is missing that a release may fill in. */
function lacksValue(host: string, manifest: Manifest): boolean {
  return host.split('.').includes('') && isOfDefaultValues(manifest)
}

/** Whether a host has marks that no host has, in an object that a plugin renders: `~vault:web-host~`. */
function isFilledIn(host: string, { origin }: Manifest): boolean {
  return origin.kind === 'rendered' && origin.byPlugin === true && /[~:@#%!|]/.test(host)
}

function isEmpty({ value }: Cursor): boolean {
  return value === '' || value === null
}

/** The reason why the API server refuses a name as a DNS-1123 subdomain. */
function faultOfName(name: string): string | undefined {
  if (name.length > 253) return 'it has more than 253 characters'
  if (subdomain.test(name) && !name.startsWith('*')) return undefined
  return 'only lower-case letters, digits, dots and dashes are allowed'
}

function faultOf(host: string, routed: boolean): string | undefined {
  if (isPlaceholder(host)) return undefined
  if (/^[a-z]+:\/\//i.test(host)) return 'it is a URL'
  if (host.includes('/')) return 'a path belongs under http.paths'
  // In a TLS entry, an IPv4 address is a valid name.
  if (isIP(host) === 6 || (routed && isAddress(host))) return 'it is an IP address'
  if (/:\d+$/.test(host)) return 'it has a port'
  if (host !== host.toLowerCase()) return 'it has upper-case letters'
  if (host.length > 253) return 'it has more than 253 characters'
  if (host.endsWith('.')) return 'it ends with a dot'
  if (host.includes('*') && !/^\*\.[^*]+$/.test(host)) return 'a * is allowed only as the whole first label'
  return subdomain.test(host) ? undefined : 'it is not a DNS name'
}

/**
 * Whether Kubernetes reads a text as an IPv4 address, including zeros before a number. Source: k8s.io/utils/net,
 * ParseIPSloppy
 */
function isAddress(host: string): boolean {
  const parts = host.split('.')
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255)
}

/** Lower case, or removing the dot at the end, keeps the same name; if nothing else is wrong, the edit is certain. */
function fixOf(at: Cursor, host: string): { fix?: Fix } {
  const same = host.toLowerCase().replace(/\.$/, '')
  const fix = faultOf(same, true) === undefined ? replaced(at, same) : undefined
  return fix ? { fix } : {}
}
