import { X509Certificate } from 'node:crypto'
import { satisfies } from 'semver'
import type { Cursor } from '../manifest/cursor'
import type { GroupKind, Manifest } from '../manifest/manifest'
import type { Snapshot } from '../manifest/snapshot'
import { factsOf } from './controller-facts'
import { parseImage, releaseOf } from './image'
import { isPlaceholder } from './ingress'
import { classOf } from './ingress-class'
import { isSecretComplete } from './secret'

/** The kinds that run a controller. */
export const workloadKinds: readonly GroupKind[] = ['Deployment.apps', 'DaemonSet.apps']

const { marks, images } = factsOf('ingress-nginx')

/** Strings of which each controller's manifest has one, in its image's name. */
export const controllerMarks: readonly string[] = marks

const repositories = new RegExp(images.join('|'))

/** A controller of kubernetes/ingress-nginx, as a workload runs it. */
export interface IngressNginx {
  readonly manifest: Manifest
  /** Where its image is named. */
  readonly image: Cursor
  /** None when the tag does not tell. */
  readonly release: string | undefined
  /** The value of an argument; undefined when it is not given. */
  readonly argument: (name: string) => string | undefined
}

/** The ingress-nginx controllers that a snapshot's workloads run. */
export function ingressNginxIn(snapshot: Snapshot): readonly IngressNginx[] {
  const known = controllersBySnapshot.get(snapshot)
  if (known) return known
  const found = workloadKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(ingressNginxOf)
  controllersBySnapshot.set(snapshot, found)
  return found
}

/** Rules ask of every Ingress; a snapshot never changes. */
const controllersBySnapshot = new WeakMap<Snapshot, readonly IngressNginx[]>()

/** The ingress-nginx controllers that a workload runs. */
export function ingressNginxOf(manifest: Manifest): IngressNginx[] {
  const containers = [...manifest.root.at('spec', 'template', 'spec', 'containers').items()]
  return containers.flatMap((container): IngressNginx[] => {
    const image = container.at('image')
    const parsed = parseImage(image.string ?? '')
    if (!repositories.test(parsed.repository)) return []
    const words = [...container.at('command').items(), ...container.at('args').items()].map((word) => word.string ?? '')
    return [{ manifest, image, release: releaseOf(parsed), argument: (name) => argumentIn(words, name) }]
  })
}

/** `--name=value` or `--name value`; the last one counts. */
function argumentIn(words: readonly string[], name: string): string | undefined {
  const at = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  if (at === -1) return undefined
  return words[at]?.split(/=(.*)/s)[1] ?? words[at + 1]
}

/**
 * The releases that panic on a Secret which holds a CA and no certificate, and of these the ones that do so for a listed
 * host too. Sources: https://github.com/kubernetes/ingress-nginx/pull/7443, first in 1.0.0 and never carried back; the CA
 * without a certificate came with pull request 4556 in 0.26.0; pull request 5225, first in 0.31.0.
 */
export function panics(release: string | undefined, listed: boolean): boolean {
  return release !== undefined && satisfies(release, listed ? '>=0.26.0 <0.31.0' : '>=0.26.0 <1.0.0')
}

/**
 * Whether a controller before 1.0.0 takes an Ingress: by class, where no class is `nginx`, and by namespace.
 * Source: controller-v0.46.0, internal/ingress/annotations/class/main.go (IsValid), cmd/nginx/flags.go
 */
export function takes(controller: IngressNginx, ingress: Manifest): boolean {
  const own = controller.argument('ingress-class') || 'nginx'
  const asked = classOf(ingress) ?? ''
  if (asked !== own && !(asked === '' && own === 'nginx')) return false
  const watched = controller.argument('watch-namespace') ?? ''
  const namespace = watched === '$(POD_NAMESPACE)' ? controller.manifest.ref.namespace : watched
  return watched === '' || namespace === ingress.ref.namespace
}

/** Whether an Ingress only takes a share of another one's traffic: its own TLS entries and certificates are not used. */
export function isCanary(ingress: Manifest): boolean {
  return ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/canary').string === 'true'
}

/**
 * What a Secret is to the controller, which looks at keys and never at the type: a key pair, a CA alone, or nothing at
 * all; unknown where the `ca.crt` is encrypted or filled in later.
 * Source: controller-v0.46.0, internal/ingress/controller/store/backend_ssl.go (getPemCertificate)
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

/** Whether every PEM block of a text is a certificate, and there is one: what else is there makes the controller drop it. */
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
