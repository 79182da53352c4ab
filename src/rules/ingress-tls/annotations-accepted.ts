import { annotationFaultsOf } from '../../kubernetes/charts/annotation-values'
import {
  filedRelease,
  inflatedChart,
  namesOfReleaseParts,
  releaseKinds,
  releasePartKinds,
} from '../../kubernetes/charts/chart-release'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'release' | 'path' | 'writers' | 'fate', string>

export default defineRule({
  id: 'ingress-tls/annotations-accepted',
  summary: 'The values of a release give Ingresses and routes annotations that are a map of strings.',
  since: '1.8.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    list: ({ release, path, writers, fate }: Fault) =>
      `The values of ${release} give ${path} as a list, and annotations are a map: ${writers} the list as it is, and then ${fate}. Write each annotation on its own line, as key: "value", without a dash and without brackets around them.`,
    unquoted: ({ release, path, writers, fate, key, form }: Fault & { key: string; form: string }) =>
      `The values of ${release} give the annotation ${key} in ${path} as ${form}, and annotations are strings: ${writers} it as it is, and then ${fate}. Put the value in quotes.`,
  },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    const fate = fateOf(manifest)
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      for (const { at, path, writers, entry } of annotationFaultsOf(one)) {
        const args = { release: nameOf(manifest.ref), path, writers, fate }
        if (!entry) report(at, 'list', args, { keys: [path] })
        else if (!isQuotedLater(manifest)) report(at, 'unquoted', { ...args, ...entry }, { keys: [path, entry.key] })
      }
    }
  },
})

/**
 * Fleet adds annotations of its own to those that it reads, and it reads none where one is no string.
 * Source: rancher/fleet, internal/helmdeployer/postrender.go; k8s.io/apimachinery v0.36, pkg/apis/meta/v1/unstructured,
 * GetAnnotations.
 */
function fateOf({ ref, origin }: Manifest): string {
  const isFleet = groupKindOf(ref) === filedRelease && /(?:^|\/)fleet\.ya?ml$/.test(origin.path)
  return isFleet
    ? 'Fleet applies the object without any of its annotations'
    : 'the API server rejects the object, so the release fails'
}

/** kustomize puts annotations in quotes: kubernetes-sigs/kustomize, kyaml/yaml/rnode.go, SetAnnotations. */
function isQuotedLater({ ref, root }: Manifest): boolean {
  return groupKindOf(ref) === inflatedChart || root.at('spec', 'postRenderers').exists
}
