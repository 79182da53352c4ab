import { satisfies } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllersHere,
  controllersOf,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import {
  type AnnotatedSecret,
  annotatedSecrets,
  isServedByIngressNginx,
  malformedSecrets,
  marksOfAnnotatedSecrets,
  readsAnnotations,
} from '../../kubernetes/tls/annotated-secret'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

const setting = 'allow-cross-namespace-resources'
/**
 * The releases that have the setting, and those where it is on by default. Source: controller-v1.9.1 and
 * controller-v1.12.0, internal/ingress/controller/config/config.go, NewDefault; changelog/controller-1.12.0.md
 */
const known = '>=1.9.1'
const onByDefault = '<1.12.0'

type Named = Record<'ingress' | 'annotation' | 'secret' | 'outcome', string>

export default defineRule({
  id: 'controller-scope/annotation-secret-read',
  summary: 'The annotations of an Ingress name Secrets that ingress-nginx reads.',
  since: '1.10.0',
  scope: 'snapshot',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds, ...releaseKinds, ...partKinds.filter(isNoRelease)],
  subjects: [{ kinds: ['Ingress.networking.k8s.io'], marks: marksOfAnnotatedSecrets }],
  messages: {
    foreign: ({
      ingress,
      annotation,
      secret,
      outcome,
      namespace,
      controller,
    }: Named & Record<'namespace' | 'controller', string>) =>
      `${ingress} names the Secret ${secret} in the annotation ${annotation}, and ${controller} reads no Secrets of other namespaces, so it answers ${outcome}. Put the Secret into the namespace ${namespace} and name it there, or set ${setting}: "true" in the ConfigMap of the controller.`,
    unqualified: ({ ingress, annotation, secret, outcome, instead }: Named & { instead: string }) =>
      `${ingress} names the Secret ${secret} in the annotation ${annotation}, which has to be namespace/name, so ingress-nginx reads no Secret and answers ${outcome}. Write ${instead}.`,
    malformed: ({
      ingress,
      annotation,
      secret,
      outcome,
      fault,
      instead,
    }: Named & Record<'fault' | 'instead', string>) =>
      `${ingress} names the Secret "${secret}" in the annotation ${annotation}, and ${fault}, so ingress-nginx finds no such Secret and answers ${outcome}. Write ${instead}.`,
  },
  later: { malformed: '1.31.0' },
  putBack: { unqualified: 'changed', malformed: 'changed' },
  *partners(manifest) {
    if ([...annotatedSecrets(manifest), ...malformedSecrets(manifest)].length > 0) yield* marksOfControllers
    else if (controllersOf(manifest).some(isNginx)) yield* marksOfAnnotatedSecrets
    else if (manifest.root.at('data', setting).exists) yield* marksOfControllers
    yield* namesOfParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    const { ref } = manifest
    for (const { annotation, at, outcome, written, fault, meant } of malformedSecrets(manifest)) {
      if (!isServedByIngressNginx(manifest, snapshot)) continue
      const args = { ingress: nameOf(ref), annotation, secret: written, outcome, fault }
      const fix = meant ? replaced(at, meant) : undefined
      report(at, 'malformed', { ...args, instead: meant ?? 'NAMESPACE/NAME' }, { keys: [annotation, written], fix })
    }
    for (const named of annotatedSecrets(manifest)) {
      const { annotation, namespace, name, at, outcome } = named
      const names = { ingress: nameOf(ref), annotation, secret: name, outcome }
      if (named.isUnqualified) {
        if (!isServedByIngressNginx(manifest, snapshot)) continue
        const instead = `${namespace || 'NAMESPACE'}/${name}`
        const fix = namespace === '' ? undefined : replaced(at, instead)
        report(at, 'unqualified', { ...names, instead }, { keys: [annotation, name], fix })
        continue
      }
      const refusing = isForeign(named, manifest) ? refusingController(manifest, snapshot) : undefined
      if (!refusing) continue
      const secret = `${namespace}/${name}`
      const args = {
        ...names,
        secret,
        namespace: ref.namespace,
        controller: `${nameOfController(refusing)} (ingress-nginx ${refusing.release})`,
      }
      report([at, ...endsIn(refusing)], 'foreign', args, { keys: [annotation, secret] })
    }
  },
})

function isNoRelease(kind: string): boolean {
  return !releaseKinds.some((one) => one === kind)
}

function isNginx({ facts }: Controller): boolean {
  return facts.name === 'ingress-nginx'
}

function isForeign({ namespace }: AnnotatedSecret, { ref }: Manifest): boolean {
  return ref.namespace !== '' && namespace !== ref.namespace
}

/** An ingress-nginx that serves an Ingress and is known to read Secrets of its namespace only. */
function refusingController(ingress: Manifest, snapshot: Snapshot): Controller | undefined {
  const takers = controllersHere(snapshot).filter((one) => takesIngress(one, ingress, snapshot))
  return takers.find((one) => readsAnnotations(one) && refuses(one))
}

function refuses({ release, settings }: Controller): boolean {
  if (release === undefined || !satisfies(release, known)) return false
  return settings.isOn(setting, satisfies(release, onByDefault)) === false
}

/** The version and the setting by which it refuses them. */
function endsIn({ image, settings }: Controller): Cursor[] {
  return [image, settings.placeOf(setting)]
}
