import { X509Certificate } from 'node:crypto'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { isSecretComplete } from '../object/secret'

/**
 * Whether an Ingress only takes a share of the traffic of another one: its own TLS entries and certificates are not
 * used.
 */
export function isCanary(ingress: Manifest): boolean {
  const written = ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/canary').string
  return written !== undefined && trueTexts.has(written)
}

/** The texts that ingress-nginx reads as true: https://pkg.go.dev/strconv#ParseBool */
const trueTexts: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/**
 * The content of a Secret as ingress-nginx reads it, by its keys and never by its type: a key pair, a CA alone, or
 * nothing at all; unknown if the `ca.crt` is encrypted or filled in later. Source: controller-v0.46.0,
 * internal/ingress/controller/store/backend_ssl.go (getPemCertificate)
 */
export function storedAs(secret: Manifest): 'pair' | 'ca' | 'nothing' | 'unknown' {
  const { root } = secret
  const has = (key: string) => root.at('stringData', key).exists || root.at('data', key).exists
  if (has('tls.crt') && has('tls.key')) return 'pair'
  // Kubernetes itself writes the ca.crt of these.
  if (root.at('type').string === 'kubernetes.io/service-account-token') return 'ca'
  const [plain, encoded] = [root.at('stringData', 'ca.crt'), root.at('data', 'ca.crt')]
  if (!plain.exists && !encoded.exists) return isSecretComplete(secret) ? 'nothing' : 'unknown'
  const written = plain.string ?? encoded.string ?? ''
  if (!isSecretComplete(secret) || isPlaceholder(written)) return 'unknown'
  return holdsCertificates(plain.exists ? written : Buffer.from(written, 'base64').toString()) ? 'ca' : 'nothing'
}

/** Whether a text consists of PEM blocks that are all certificates: other content makes the controller drop it. */
function holdsCertificates(pem: string): boolean {
  const blocks = pem.match(/-----BEGIN [^-]+-----(?:(?!-----BEGIN )[\s\S])*?-----END [^-]+-----/g) ?? []
  return blocks.length > 0 && blocks.every(isCertificate)
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}
