import type { Snapshot } from '../../cluster/snapshot'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { type ProducedSecret, producerKinds, producersOf, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const controllerKind: GroupKind = 'IngressController.operator.openshift.io'

/**
 * The namespace of the routers, and of their certificates. Source: https://github.com/openshift/cluster-ingress-operator,
 * pkg/operator/controller/names.go, RouterEffectiveDefaultCertificateSecretName and DefaultOperandNamespace
 */
const namespace = 'openshift-ingress'

export default defineRule({
  id: 'ingress-tls/router-certificate',
  summary:
    'The default certificate of an OpenShift router is a Secret that something creates in its namespace, and is kept.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: [controllerKind],
  reads: producerKinds,
  direct: true,
  messages: {
    elsewhere: ({ controller, secret, maker }: { controller: string; secret: string; maker: string }) =>
      `${controller} has the Secret ${secret} as its default certificate, which the routers read in the namespace ${namespace}. ${maker} creates it in another one, so new routers do not start, and every host keeps the old certificate. Create the Secret in ${namespace}.`,
    misnamed: ({
      controller,
      secret,
      maker,
      made,
    }: {
      controller: string
      secret: string
      maker: string
      made: string
    }) =>
      `${controller} has the Secret ${secret} as its default certificate, which nothing here creates in the namespace ${namespace}, so new routers do not start. ${maker} creates the Secret ${made} there; name that one, or add the object that creates ${secret}.`,
    removed: ({ controller, secret, maker }: { controller: string; secret: string; maker: string }) =>
      `This change takes the default certificate ${secret} from ${controller}, though ${maker} still creates it. The routers then serve a certificate that the cluster signs itself, which clients reject. Restore spec.defaultCertificate.`,
  },
  *partners(manifest) {
    const { name } = certificateOf(manifest)
    if (name) yield* [name, namespace]
    else if (groupKindOf(manifest.ref) !== controllerKind) yield controllerKind.slice(0, controllerKind.indexOf('.'))
  },
  check({ manifest, snapshot, report }) {
    const { at, name } = certificateOf(manifest)
    if (!name || producersOf(snapshot, namespace, name).length > 0) return
    const makers = makersIn(snapshot)
    // What may be in any namespace may be in this one.
    if (makers.some((one) => one.name === name && !one.namespace)) return
    const controller = nameOf(manifest.ref)
    const [other] = makers.filter((one) => one.name === name)
    if (other) {
      const args = { controller, secret: name, maker: nameOf(other.manifest.ref) }
      report([at, other.manifest.root], 'elsewhere', args, { keys: [name] })
      return
    }
    const [like] = makers.filter((one) => one.namespace === namespace && isPart(one.name, name))
    if (like) {
      const args = { controller, secret: name, maker: nameOf(like.manifest.ref), made: like.name }
      report([at, like.manifest.root], 'misnamed', args, { keys: [name] })
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind === 'added' || groupKindOf(change.before.ref) !== controllerKind) return
    const { at, name } = certificateOf(change.before)
    if (!name || head.get(change.before.ref).some((one) => certificateOf(one).at.exists)) return
    const [maker] = producersOf(head, namespace, name)
    if (!maker) return
    const args = { controller: nameOf(change.before.ref), secret: name, maker: nameOf(maker.manifest.ref) }
    report([at, maker.manifest.root], 'removed', args, { keys: [name] })
  },
})

function certificateOf({ ref, root }: Manifest): { at: Cursor; name: string | undefined } {
  const at = root.at('spec', 'defaultCertificate', 'name')
  const isWritten = groupKindOf(ref) === controllerKind && at.string && !isPlaceholder(at.string)
  return { at, name: isWritten ? at.string : undefined }
}

interface Maker extends ProducedSecret {
  readonly manifest: Manifest
}

/** What creates a Secret, with each that it creates. */
function makersIn(snapshot: Snapshot): Maker[] {
  return producerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((manifest) => secretsMadeBy(manifest).map((made) => ({ ...made, manifest })))
}

/** `ingress-certificate` and `default-ingress-certificate`. */
function isPart(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other].sort((a, b) => a.length - b.length)
  return long.startsWith(`${short}-`) || long.endsWith(`-${short}`)
}
