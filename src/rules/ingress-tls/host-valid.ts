import { isIP } from 'node:net'
import { isPlaceholder, tlsEntries } from '../../kubernetes/ingress/ingress'
import { classAnnotation } from '../../kubernetes/ingress/ingress-class'
import type { Cursor } from '../../manifest/cursor'
import { replaced } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

/** A DNS-1123 subdomain, with `*.` before it allowed. Source: k8s.io/apimachinery/pkg/util/validation, IsWildcardDNS1123Subdomain */
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
    class: ({ annotation, className }: { annotation: string; className: string }) =>
      `The annotation kubernetes.io/ingress.class is ${annotation} and spec.ingressClassName is ${className}; the API server rejects an Ingress that is created with both. Keep spec.ingressClassName and remove the annotation.`,
  },
  check({ manifest, report }) {
    const routed = [...manifest.root.at('spec', 'rules').items()].map((rule) => rule.at('host'))
    const entries = tlsEntries(manifest)
    for (const at of [...routed, ...entries.flatMap(({ hosts }) => hosts)]) {
      const host = textOf(at)
      const fault = host === undefined ? undefined : faultOf(host, routed.includes(at))
      if (!host || !fault) continue
      report(at, 'host', { host, fault }, { keys: [host], ...fixOf(at, host) })
    }
    for (const { secretName } of entries) {
      const name = textOf(secretName)
      if (!name || isPlaceholder(name)) continue
      const fault = name.includes('/')
        ? 'it cannot name another namespace'
        : subdomain.test(name) && !name.startsWith('*')
          ? undefined
          : 'only lower-case letters, digits, dots and dashes are allowed'
      if (fault) report(secretName, 'secretName', { name, fault }, { keys: [name] })
    }
    const annotation = classAnnotation(manifest)
    const className = manifest.root.at('spec', 'ingressClassName')
    if (annotation.string && className.string && annotation.string !== className.string) {
      const args = { annotation: annotation.string, className: className.string }
      report(annotation, 'class', args, { keys: [annotation.string, className.string] })
    }
  },
})

/** A host as it would be sent; a number or a truth is shown as YAML reads it. */
function textOf(at: Cursor): string | undefined {
  const { value } = at
  return value === undefined || value === null || value === '' ? undefined : String(value)
}

function faultOf(host: string, routed: boolean): string | undefined {
  if (isPlaceholder(host)) return undefined
  if (/^[a-z]+:\/\//i.test(host)) return 'it is a URL'
  if (host.includes('/')) return 'a path belongs under http.paths'
  if (isIP(host) !== 0) return routed ? 'it is an IP address' : undefined
  if (/:\d+$/.test(host)) return 'it has a port'
  if (host !== host.toLowerCase()) return 'it has upper-case letters'
  if (host.length > 253) return 'it has more than 253 characters'
  if (host.endsWith('.')) return 'it ends with a dot'
  if (host.includes('*') && !/^\*\.[^*]+$/.test(host)) return 'a * is allowed only as the whole first label'
  if (host.split('.').some((label) => label.length > 63)) return 'a label has more than 63 characters'
  return subdomain.test(host) ? undefined : 'it is not a DNS name'
}

/** Lower case, and no dot at the end, is the same name; if nothing else is wrong, the edit is certain. */
function fixOf(at: Cursor, host: string): { fix?: Fix } {
  const same = host.toLowerCase().replace(/\.$/, '')
  const fix = faultOf(same, true) === undefined ? replaced(at, same) : undefined
  return fix ? { fix } : {}
}
