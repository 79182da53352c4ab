import { factKinds, factMarks, statesFacts } from '../../cluster/cluster-facts'
import { nextMinor, parseVersion } from '../../cluster/version'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { servedByDefinition } from '../../kubernetes/object/custom-resource'
import { apiLife, droppedApiVersions, isDropped, isServed } from '../../kubernetes/versions/api-facts'
import { rightApiVersion } from '../../kubernetes/versions/api-groups'
import { legacyKinds, mayBeOpenShift3, openShiftMark } from '../../kubernetes/versions/openshift-legacy'
import { groupOf, stableVersionsOf } from '../../kubernetes/versions/served-apis'
import { nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

interface Args {
  apiVersion: string
  removed: string
  kubernetes: string
  object: string
  instead: string
}

type Foreign = Record<'apiVersion' | 'object' | 'kind' | 'right', string>

export default defineRule({
  id: 'version-matrix/api-served',
  summary: 'The Kubernetes version of the cluster serves the apiVersion of every object.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: '*',
  reads: factKinds,
  messages: {
    unserved: ({ apiVersion, removed, kubernetes, object, instead }: Args) =>
      `${object} uses ${apiVersion}, which Kubernetes ${removed} removed, and the cluster runs ${kubernetes}, so it cannot be applied. ${instead}`,
    never: ({
      apiVersion,
      object,
      kind,
      instead,
    }: Pick<Args, 'apiVersion' | 'object' | 'instead'> & { kind: string }) =>
      `${object} uses ${apiVersion}, in which no release of Kubernetes has served ${kind}, so it cannot be applied. ${instead}`,
    // What kubectl says. Source: https://github.com/kubernetes/apimachinery/blob/v0.34.1/pkg/api/meta/errors.go,
    // NoKindMatchError
    foreign: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, whose API group has no ${kind}, so kubectl, Helm, Flux and Argo CD fail with \`no matches for kind "${kind}" in version "${apiVersion}"\` and the object is never created or updated. Use apiVersion: ${right}.`,
    legacy: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, in which only OpenShift 3 serves ${kind}: OpenShift 4 and Kubernetes refuse it, and the object is never created or updated. Use apiVersion: ${right}, unless all clusters run OpenShift 3.`,
    swapped: ({ object, kind, instead }: Record<'object' | 'kind' | 'instead', string>) =>
      `${object} has kind: ${kind}, which is an apiVersion and the name of no kind, so kubectl, Helm, Flux and Argo CD fail with \`no matches for kind "${kind}"\` and the object is never created or updated. ${instead}`,
    leaving: ({ apiVersion, removed, kubernetes, object, instead }: Args) =>
      `${object} uses ${apiVersion}, which Kubernetes ${removed} removes, the next minor release after the ${kubernetes} of this cluster. ${instead}`,
  },

  later: { never: '1.3.0', foreign: '1.4.0', legacy: '1.4.0', swapped: '1.4.0' },

  direct: true,

  partners(manifest) {
    if (statesFacts(manifest)) return droppedApiVersions
    const { ref, apiVersion } = manifest.object
    // A CustomResourceDefinition's name ends in its group.
    if (isDropped(apiVersion, ref.kind)) return [...factMarks, `.${apiVersion.split('/')[0]}`]
    if (rightApiVersion(apiVersion, ref.kind) === undefined) return []
    return apiVersion === 'v1' ? (legacyKinds.has(ref.kind) ? [openShiftMark] : []) : [`.${ref.group}`]
  },

  check({ manifest, snapshot, report, skip }) {
    const { apiVersion, ref } = manifest.object
    if (isApiVersion(ref.kind)) {
      const isTwice = isApiVersion(apiVersion)
      const instead = isTwice
        ? 'Write it as apiVersion, and the kind as kind.'
        : `Write it as apiVersion, and ${apiVersion} as kind.`
      report(
        manifest.root.at('kind'),
        'swapped',
        { object: nameOf(ref), kind: ref.kind, instead },
        { keys: [ref.kind] },
      )
      return
    }
    const stable = stableVersionsOf(ref.group, ref.kind)
    const [newest] = stable.toReversed()
    if (newest && isNeverServed(apiVersion, stable, ref.kind)) {
      const at = manifest.root.at('apiVersion')
      if (isPlaceholder(apiVersion) || servedByDefinition(snapshot, apiVersion, ref.kind)) return
      const instead = `Use apiVersion: ${newest}.`
      report(
        at,
        'never',
        { apiVersion, object: nameOf(ref), kind: ref.kind, instead },
        { keys: [apiVersion], fix: replaced(at, newest) },
      )
    }
    const right = rightApiVersion(apiVersion, ref.kind)
    if (right !== undefined && !isPlaceholder(apiVersion) && !servedByDefinition(snapshot, apiVersion, ref.kind)) {
      const at = manifest.root.at('apiVersion')
      const message =
        apiVersion === 'v1' && legacyKinds.has(ref.kind) && mayBeOpenShift3(snapshot) ? 'legacy' : 'foreign'
      const fix = stableVersionsOf(groupOf(right), ref.kind).length > 0 ? { fix: replaced(at, right) } : {}
      report(at, message, { apiVersion, object: nameOf(ref), kind: ref.kind, right }, { keys: [apiVersion], ...fix })
    }
    if (!isDropped(apiVersion, ref.kind)) return
    const { kubernetes } = snapshot.facts
    const version = kubernetes && parseVersion(kubernetes.value)
    const life = version && apiLife(apiVersion, ref.kind, version)
    if (!life || servedByDefinition(snapshot, apiVersion, ref.kind)) return
    const served = isServed(life.removed, version)
    if (served && isServed(life.removed, nextMinor(version))) return
    const { replacement, same, removed } = life
    // An item of an IngressList may leave its apiVersion to the list.
    const at = manifest.root.at('apiVersion')
    if (manifest.origin.kind === 'rendered' && manifest.origin.guessed)
      return skip(
        at,
        `its chart chooses ${apiVersion} by the capabilities of the cluster, and helm rendered it without a cluster`,
      )
    const instead = replacement
      ? `Use apiVersion: ${replacement}${same ? '' : ', and see the deprecation guide of Kubernetes for the fields that differ'}.`
      : `No other version has this kind, so remove the object${served ? ' before the upgrade' : ''}.`
    const fix = replacement && same && at.exists ? { fix: replaced(at, replacement) } : {}
    const args = { apiVersion, removed, kubernetes: kubernetes.value, object: nameOf(ref), instead }
    report([at, kubernetes.at], served ? 'leaving' : 'unserved', args, { keys: [apiVersion], ...fix })
  },
})

/** Whether a text is written as an apiVersion: `v1`, `apps/v1`. The name of a kind has no slash and begins with a capital letter. */
function isApiVersion(text: string): boolean {
  return /^(?:[a-z][a-z0-9.-]*\/)?v\d+(?:(?:alpha|beta)\d+)?$/.test(text)
}

/**
 * Whether no release has served a kind in a stable version: betas and alphas come and go, and the facts do not have
 * all of those that are long gone.
 */
function isNeverServed(apiVersion: string, stable: readonly string[], kind: string): boolean {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return !stable.includes(apiVersion) && /^v\d+$/.test(version) && !isDropped(apiVersion, kind)
}
