import { factKinds, factMarks, statesFacts } from '../../cluster/cluster-facts'
import { nextMinor, parseVersion } from '../../cluster/version'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { servedByDefinition } from '../../kubernetes/object/custom-resource'
import { apiLife, droppedApiVersions, isDropped, isServed } from '../../kubernetes/versions/api-facts'
import { stableVersionsOf } from '../../kubernetes/versions/served-apis'
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
    leaving: ({ apiVersion, removed, kubernetes, object, instead }: Args) =>
      `${object} uses ${apiVersion}, which Kubernetes ${removed} removes, the next minor release after the ${kubernetes} of this cluster. ${instead}`,
  },

  later: { never: '1.3.0' },

  direct: true,

  partners(manifest) {
    if (statesFacts(manifest)) return droppedApiVersions
    const { ref, apiVersion } = manifest.object
    // A CustomResourceDefinition's name ends in its group.
    return isDropped(apiVersion, ref.kind) ? [...factMarks, `.${apiVersion.split('/')[0]}`] : []
  },

  check({ manifest, snapshot, report, skip }) {
    const { apiVersion, ref } = manifest.object
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

/**
 * Whether no release has served a kind in a stable version: betas and alphas come and go, and the facts do not have
 * all of those that are long gone.
 */
function isNeverServed(apiVersion: string, stable: readonly string[], kind: string): boolean {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  return !stable.includes(apiVersion) && /^v\d+$/.test(version) && !isDropped(apiVersion, kind)
}
