import { oneEditFrom } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import { isPlaceholder, tlsSecretNames } from '../../kubernetes/ingress/ingress'
import { isHashOf } from '../../kubernetes/object/generated-name'
import { differByOnePart, partsOfLikeNames } from '../../kubernetes/object/like-names'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import {
  type AnnotatedSecret,
  annotatedSecrets,
  isServedByIngressNginx,
  marksOfAnnotatedSecrets,
} from '../../kubernetes/tls/annotated-secret'
import { shownKeys } from '../../kubernetes/tls/declared-secret'
import { producerKinds, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isWhole, mentionsWhole, namesWhole } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

type Names = Record<'ingress' | 'annotation' | 'secret' | 'maker' | 'made' | 'outcome', string>

export default defineRule({
  id: 'controller-scope/annotation-secret-provided',
  summary:
    'An annotation of ingress-nginx does not come to name a Secret that is not there and has nearly the name of one that is.',
  since: '1.10.0',
  scope: 'change',
  assumed: true,
  kinds: [ingressKind],
  reads: [
    ...producerKinds.filter((kind) => kind !== ingressKind),
    'IngressClass.networking.k8s.io',
    ...controllerKinds,
    ...releaseKinds,
  ],
  subjects: [{ kinds: [ingressKind], marks: marksOfAnnotatedSecrets }],
  direct: true,
  messages: {
    misnamed: ({ ingress, annotation, secret, maker, made, outcome }: Names) =>
      `${ingress} names the Secret ${secret} in the annotation ${annotation}, which nothing here creates; ${maker} creates ${made}. Without the Secret, ingress-nginx answers ${outcome}. Name ${made} here, or have ${maker} create ${secret}.`,
    // Source: https://github.com/kubernetes-sigs/kustomize/blob/kustomize/v5.8.1/api/internal/konfig/builtinpluginconsts/namereference.go
    hashed: ({ ingress, annotation, secret, made, outcome, remedy }: Omit<Names, 'maker'> & { remedy: string }) =>
      `${ingress} names the Secret ${secret} in the annotation ${annotation}, but kustomize makes it as ${made} and puts that name only into annotations without a namespace. So ingress-nginx finds no Secret and answers ${outcome}. ${remedy}.`,
  },
  putBack: { misnamed: 'changed' },
  names: {
    *of({ change, base, head }) {
      for (const { named } of misnamedIn(change, base, head)) yield named.name
    },
    isUsedIn: mentionsWhole,
  },
  *partners(manifest) {
    const named = annotatedSecrets(manifest)
    for (const { name } of named) {
      yield name
      yield* partsOfLikeNames(name, 'Secret')
      yield* halvesOf(name)
    }
    for (const { name } of secretsMadeBy(manifest)) yield name
    if (named.length > 0) yield* [...marksOfAnnotatedSecrets, ...marksOfControllers]
  },
  check({ change, base, head, isUsed, report, skip }) {
    for (const { ingress, named, meant } of misnamedIn(change, base, head)) {
      const { annotation, name, at, outcome } = named
      const args = { ingress: nameOf(ingress.ref), annotation, secret: name, made: meant.name, outcome }
      if (isHashOf(meant.name, name)) {
        const alone = annotation.endsWith('/auth-secret') ? ', or write the name without a namespace' : ''
        const remedy = `Set disableNameSuffixHash: true in the options of its generator${alone}`
        report([at, meant.at], 'hashed', { ...args, remedy }, { keys: [annotation, name] })
        continue
      }
      if (isUsed(name) || isMentioned(name, head, [ingress, meant.maker])) continue
      const release = releaseWith(name, head)
      if (release) {
        skip(at, `${nameOf(release.ref)} mentions the Secret ${name}, and may create it`)
        continue
      }
      const maker = nameOf(meant.maker.ref)
      const written = at.string ?? ''
      const fix = replaced(at, written.slice(0, written.length - name.length) + meant.name)
      report([at, meant.at], 'misnamed', { ...args, maker }, { keys: [annotation, name], fix })
    }
  },
})

/** A Secret that something makes, and the place that names it. */
interface Made {
  readonly maker: Manifest
  readonly name: string
  readonly namespace: string | undefined
  readonly at: Cursor
}

interface Misnamed {
  readonly ingress: Manifest
  readonly named: AnnotatedSecret
  readonly meant: Made
}

/** The Secrets that an Ingress comes to name by an annotation, that nothing makes, and that are nearly the name of one that is made. */
function misnamedIn(change: Change, base: Snapshot, head: Snapshot): Misnamed[] {
  if (change.kind === 'removed') return []
  const { after: ingress } = change
  const before = change.kind === 'changed' ? annotatedSecrets(change.before) : []
  return annotatedSecrets(ingress).flatMap((named) => {
    if (isNamedIn(base, named.name) || makersOf(named.name, head).length > 0) return []
    const former = before.find(({ annotation }) => annotation === named.annotation)?.name
    const near = allMade(head).filter(
      (made) => made.name !== named.name && isBeside(made, named) && mayServe(made, named),
    )
    const hashed = near.filter((made) => isHashOf(made.name, named.name))
    const alike = hashed.length > 0 ? hashed : near.filter((made) => isMeant(named.name, made, former, head))
    const [meant] = alike
    if (!meant || new Set(alike.map(({ name }) => name)).size > 1) return []
    return isServedByIngressNginx(ingress, head) ? [{ ingress, named, meant }] : []
  })
}

/** Whether an annotation named a Secret before the change: then it comes from elsewhere, or another rule reports it. */
function isNamedIn(base: Snapshot, secret: string): boolean {
  return base.ofKind(ingressKind).some((ingress) => annotatedSecrets(ingress).some(({ name }) => name === secret))
}

/** The makers of a Secret in any namespace, as tools copy Secrets. */
function makersOf(secret: string, head: Snapshot): readonly Made[] {
  return allMade(head).filter(({ name }) => name === secret)
}

function allMade(snapshot: Snapshot): readonly Made[] {
  const before = known.get(snapshot)
  if (before) return before
  const made = producerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((maker) => secretsMadeBy(maker).map((one) => ({ ...one, maker })))
  known.set(snapshot, made)
  return made
}

const known = new WeakMap<Snapshot, readonly Made[]>()

/** The halves of a name: one that differs in a letter or a separator still has one of them. */
function halvesOf(name: string): string[] {
  const middle = name.length >> 1
  return middle < 3 ? [] : [name.slice(0, middle), name.slice(middle)]
}

/** Whether a Secret is where the annotation looks for it. */
function isBeside({ namespace, maker }: Made, named: AnnotatedSecret): boolean {
  if (namespace && named.namespace) return namespace === named.namespace
  return namespace === '' && mayShareNamespace(maker, named.at.manifest)
}

/** Whether a Secret can have a key that the annotation needs. */
function mayServe({ name, maker }: Made, { keys, annotation }: AnnotatedSecret): boolean {
  if (isPlaceholder(name)) return false
  if (annotation.endsWith('/auth-secret') && ['Certificate', 'Ingress', 'Gateway'].includes(maker.ref.kind))
    return false
  const shown = shownKeys(maker)
  return !shown || keys.length === 0 || keys.some((key) => shown.keys.includes(key))
}

/**
 * Whether one name is meant by another: they differ in their separators; or in one letter that is no digit, or one part
 * of a Secret that shows its keys, if the same annotation named it before, or no Ingress names it.
 */
function isMeant(secret: string, made: Made, former: string | undefined, head: Snapshot): boolean {
  const plain = (name: string) => name.replaceAll(/[._-]/g, '')
  const undigited = (name: string) => name.replaceAll(/\d/g, '')
  if (undigited(secret) === undigited(made.name)) return false
  if (plain(secret) === plain(made.name)) return true
  if (former !== made.name && isNamed(made.name, head)) return false
  if (oneEditFrom(secret, [made.name]) !== undefined) return true
  return differByOnePart(secret, made.name) && (former === made.name || shownKeys(made.maker) !== undefined)
}

function isNamed(secret: string, head: Snapshot): boolean {
  return head
    .ofKind(ingressKind)
    .some(
      (ingress) => tlsSecretNames(ingress).has(secret) || annotatedSecrets(ingress).some(({ name }) => name === secret),
    )
}

/** Whether another object than some has a name in it. */
function isMentioned(name: string, head: Snapshot, but: readonly Manifest[]): boolean {
  return head.manifests
    .filter((one) => one.ref.kind !== 'Ingress' && !but.includes(one) && !releaseKinds.includes(groupKindOf(one.ref)))
    .some(({ root }) => namesWhole(root.value, name))
}

/** A release that names a Secret at another place than in such an annotation. */
function releaseWith(name: string, head: Snapshot): Manifest | undefined {
  return releaseKinds
    .flatMap((kind) => head.ofKind(kind))
    .find(({ object }) =>
      object.content.split(name).some((before, index, parts) => {
        const line = before.slice(before.lastIndexOf('\n') + 1)
        return isWhole(before, parts[index + 1]) && !marksOfAnnotatedSecrets.some((mark) => line.includes(mark))
      }),
    )
}
