import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { classOf } from '../../kubernetes/ingress/ingress-class'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const prefix = 'alb.ingress.kubernetes.io/'

/**
 * The annotations that are JSON. Source: https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/pkg/ingress,
 * auth_config_builder.go, enhanced_backend_builder.go and model_build_listener.go
 */
const whole = ['auth-idp-cognito', 'auth-idp-oidc', 'jwt-validation', 'listen-ports', 'mutual-authentication']

/** Those that are read for a backend of this name. */
const perBackend = /^(?:actions|conditions|transforms)\.(.+)$/

type Fault = Record<'ingress' | 'key' | 'fault', string>

export default defineRule({
  id: 'controller-scope/annotations-parsed',
  summary: 'The AWS Load Balancer Controller can read the JSON in the annotations of an Ingress.',
  since: '1.9.0',
  scope: 'manifest',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    json: ({ ingress, key, fault }: Fault) =>
      `${ingress} has the annotation ${key}, which is no JSON (${fault}), so the AWS Load Balancer Controller no longer updates the load balancer of this Ingress and its group. Correct the JSON.`,
    ports: ({ ingress, key, fault }: Fault) =>
      `${ingress} has the annotation ${key}, in which ${fault}, so the AWS Load Balancer Controller no longer updates the load balancer of this Ingress and its group. Write it as [{"HTTP": 80}, {"HTTPS": 443}].`,
  },
  check({ manifest, report }) {
    // With another class, another controller takes it, and does not read them.
    if (!(classOf(manifest) ?? 'alb').includes('alb')) return
    const ingress = nameOf(manifest.ref)
    const backends = backendNames(manifest)
    for (const [key, at] of manifest.root.at('metadata', 'annotations').entries()) {
      const name = key.startsWith(prefix) ? key.slice(prefix.length) : ''
      const backend = perBackend.exec(name)?.[1]
      if (!whole.includes(name) && !(backend && backends.includes(backend))) continue
      if (!at.string || isPlaceholder(at.string)) continue
      const { value, fault } = parsed(at.string)
      if (fault) report(at, 'json', { ingress, key, fault }, { keys: [key] })
      const wrong = !fault && name === 'listen-ports' ? faultOfPorts(value) : undefined
      if (wrong) report(at, 'ports', { ingress, key, fault: wrong }, { keys: [key] })
    }
  },
})

/** The Services, and the actions in their place, that an Ingress names. */
function backendNames({ root }: Manifest): string[] {
  const spec = root.at('spec')
  const paths = [...spec.at('rules').items()].flatMap((rule) => [...rule.at('http', 'paths').items()])
  const backends = [spec.at('defaultBackend'), spec.at('backend'), ...paths.map((path) => path.at('backend'))]
  return backends.flatMap((one) => one.at('service', 'name').string ?? one.at('serviceName').string ?? [])
}

function parsed(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: faultIn(text) }
  }
}

/** What is wrong with a text that is no JSON; no message of the parser, which differs by its release. */
function faultIn(text: string): string {
  if (/[“”‘’]/.test(text)) return 'it has typographic quotes'
  if (/'/.test(text) && !text.includes('"')) return 'its strings are in single quotes'
  if (/,\s*[\]}]/.test(text)) return 'it has a comma before a closing bracket'
  const count = (marks: RegExp) => text.match(marks)?.length ?? 0
  if (count(/[[{]/g) !== count(/[\]}]/g)) return 'its brackets do not match'
  return 'a comma, a colon, a bracket or a quote is missing or misplaced'
}

/** Source: pkg/ingress/model_build_listener.go, `computeIngressListenPorts` */
function faultOfPorts(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return 'there is no list of ports'
  for (const entry of value) {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'a port has no protocol'
    for (const [protocol, port] of Object.entries(entry)) {
      if (protocol !== 'HTTP' && protocol !== 'HTTPS') return `${protocol} is neither HTTP nor HTTPS`
      if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65535)
        return `the port of ${protocol} is no number from 1 to 65535`
    }
  }
  return undefined
}
