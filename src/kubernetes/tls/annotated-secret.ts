import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { type Controller, controllersHere } from '../controllers/controller'
import { takesIngress } from '../controllers/controller-ingresses'
import { isPlaceholder } from '../ingress/ingress'
import { classOf } from '../ingress/ingress-class'
import { valueOr } from '../workload/settings'
import { certificateChoice } from './certificate-choice'
import { isCanary } from './ingress-nginx'

const prefix = 'nginx.ingress.kubernetes.io'

/**
 * The annotations of ingress-nginx that name a Secret, with what it answers if it cannot read it, and the keys it needs
 * in it. Source: controller-v1.15.1, internal/ingress/annotations (auth, authtls, proxyssl; annotations.go, Extract) and
 * rootfs/etc/nginx/template/nginx.tmpl (AuthTLSError, isLocationAllowed)
 */
const readers = [
  { name: 'auth-secret', outcome: '503 for its paths', keys: ['auth'], qualified: false },
  { name: 'auth-tls-secret', outcome: '403 for every path of its hosts', keys: ['ca.crt'], qualified: true },
  { name: 'proxy-ssl-secret', outcome: '503 for its paths', keys: ['tls.crt', 'ca.crt'], qualified: true },
] as const

/** Each Ingress with such an annotation contains one of these strings. */
export const marksOfAnnotatedSecrets: readonly string[] = readers.map(({ name }) => `${prefix}/${name}`)

/** A Secret that an annotation of ingress-nginx names. */
export interface AnnotatedSecret {
  readonly annotation: string
  /** That of the Ingress where the annotation gives none. */
  readonly namespace: string
  readonly name: string
  readonly at: Cursor
  /** Whether the annotation lacks the namespace, although it has to be `namespace/name`. */
  readonly isUnqualified: boolean
  /** What ingress-nginx answers if it cannot read the Secret. */
  readonly outcome: string
  /** The annotation needs one of these keys; empty where any key will do. */
  readonly keys: readonly string[]
}

/**
 * The Secrets that the annotations of an Ingress name, as far as ingress-nginx looks at them: at `auth-secret` only
 * together with `auth-type`, and at those of a canary not at all.
 */
export function annotatedSecrets(ingress: Manifest): AnnotatedSecret[] {
  const byUsers = ingress.root.at('metadata', 'annotations', `${prefix}/auth-secret-type`).string === 'auth-map'
  return readIn(ingress).flatMap(({ reader, at, written }) => {
    const [name = '', namespace = ''] = written.split('/').reverse()
    if (faultOf(written)) return []
    return {
      annotation: `${prefix}/${reader.name}`,
      namespace: namespace || ingress.ref.namespace,
      name,
      at,
      isUnqualified: reader.qualified && !written.includes('/'),
      outcome: reader.outcome,
      keys: reader.name === 'auth-secret' && byUsers ? [] : reader.keys,
    }
  })
}

/** An annotation of ingress-nginx whose value can be the name of no Secret. */
export interface MalformedSecret extends Pick<AnnotatedSecret, 'annotation' | 'at' | 'outcome'> {
  readonly written: string
  /** The reason, as a part of a sentence. */
  readonly fault: string
  /** The value without the blanks around its parts, where that is a name. */
  readonly meant: string | undefined
}

export function malformedSecrets(ingress: Manifest): MalformedSecret[] {
  return readIn(ingress).flatMap(({ reader: { name, outcome }, at, written }) => {
    const fault = faultOf(written)
    const joined = written
      .split('/')
      .map((part) => part.trim())
      .join('/')
    const meant = faultOf(joined) ? undefined : joined
    return fault ? { annotation: `${prefix}/${name}`, at, outcome, written, fault, meant } : []
  })
}

/** The annotations that ingress-nginx looks at, without the blanks around them, which it takes off. */
function readIn(ingress: Manifest) {
  if (ingress.ref.kind !== 'Ingress' || isCanary(ingress)) return []
  const annotations = ingress.root.at('metadata', 'annotations')
  const withPasswords = /basic|digest/.test(annotations.at(`${prefix}/auth-type`).string ?? '')
  return readers.flatMap((reader) => {
    const at = annotations.at(`${prefix}/${reader.name}`)
    const written = (at.string ?? '').trim()
    if (written === '' || isPlaceholder(written) || (reader.name === 'auth-secret' && !withPasswords)) return []
    return { reader, at, written }
  })
}

/**
 * The reason why no Secret is called so; letters that no name may contain are often for a tool that replaces them.
 * Source: controller-v1.15.1, internal/k8s/main.go, ParseNameNS; internal/ingress/annotations/parser/main.go,
 * normalizeString
 */
function faultOf(written: string): string | undefined {
  if (/\s/.test(written)) return 'no name contains a blank'
  const parts = written.split('/')
  if (parts.length > 2) return 'it has more than one slash'
  return parts.at(-1) === '' ? 'it has no name after the slash' : undefined
}

/**
 * Whether ingress-nginx serves an Ingress, as far as the cluster shows: a controller of it takes the Ingress, or no
 * other controller here does and its class is one of ingress-nginx.
 */
export function isServedByIngressNginx(ingress: Manifest, snapshot: Snapshot): boolean {
  const takers = controllersHere(snapshot).filter((one) => takesIngress(one, ingress, snapshot))
  if (takers.length > 0) return takers.some(readsAnnotations)
  const choice = certificateChoice(snapshot, ingress)
  if (choice) return choice.name === 'ingress-nginx'
  const name = classOf(ingress)
  return name === undefined || name.includes('nginx')
}

/** Whether a controller is an ingress-nginx that looks at these annotations, and not at those of another prefix. */
export function readsAnnotations({ facts, settings }: Controller): boolean {
  return facts.name === 'ingress-nginx' && valueOr(settings, 'annotations-prefix', prefix) === prefix
}
