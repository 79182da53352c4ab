import { factKinds, factMarks, statesFacts } from '../../cluster/cluster-facts'
import type { Snapshot } from '../../cluster/snapshot'
import { nextMinor, parseVersion } from '../../cluster/version'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { apiGivenAway, type GivenApi } from '../../kubernetes/object/api-service'
import { definitionKind, servedByDefinition, servedVersions } from '../../kubernetes/object/custom-resource'
import { apiLife, droppedApiVersions, isDropped, isRetired, isServed } from '../../kubernetes/versions/api-facts'
import { apiVersionMeant, extensionVersionsOf, kindMeant, rightApiVersion } from '../../kubernetes/versions/api-groups'
import { legacyKinds, mayBeOpenShift3, openShiftMark } from '../../kubernetes/versions/openshift-legacy'
import { builtInApis, groupOf, stableVersionsOf } from '../../kubernetes/versions/served-apis'
import { oldestSupported } from '../../kubernetes/versions/supported-releases'
import { type Manifest, nameOf } from '../../manifest/manifest'
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

/** What kubectl says. Source: https://github.com/kubernetes/apimachinery/blob/v0.34.1/pkg/api/meta/errors.go, NoKindMatchError */
const noMatches = ({ apiVersion, kind }: Pick<Foreign, 'apiVersion' | 'kind'>) =>
  `kubectl, Helm, Flux and Argo CD fail with \`no matches for kind "${kind}" in version "${apiVersion}"\` and the object is never created or updated`

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
    foreign: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, whose API group has no ${kind}, so ${noMatches({ apiVersion, kind })}. Use apiVersion: ${right}.`,
    unreleased: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, in which no release has served ${kind}, so ${noMatches({ apiVersion, kind })}. Use apiVersion: ${right}.`,
    newer: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, and the newest version that ${kind} is known to have is ${right}. Where its CustomResourceDefinition does not serve ${apiVersion}, ${noMatches({ apiVersion, kind })}. Use apiVersion: ${right}, unless the cluster has a newer release.`,
    mistyped: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, and the API group that has ${kind} is ${groupOf(right)}, so ${noMatches({ apiVersion, kind })}. Use apiVersion: ${right}.`,
    misspelled: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} has kind: ${kind}, which no release has served in this API group, so ${noMatches({ apiVersion, kind })}. Write kind: ${right}.`,
    legacy: ({ apiVersion, object, kind, right }: Foreign) =>
      `${object} uses ${apiVersion}, in which only OpenShift 3 serves ${kind}: OpenShift 4 and Kubernetes refuse it, and the object is never created or updated. Use apiVersion: ${right}, unless all clusters run OpenShift 3.`,
    swapped: ({ object, kind, instead }: Record<'object' | 'kind' | 'instead', string>) =>
      `${object} has kind: ${kind}, which is an apiVersion and the name of no kind, so kubectl, Helm, Flux and Argo CD fail with \`no matches for kind "${kind}"\` and the object is never created or updated. ${instead}`,
    leaving: ({ apiVersion, removed, kubernetes, object, instead }: Args) =>
      `${object} uses ${apiVersion}, which Kubernetes ${removed} removes, the next minor release after the ${kubernetes} of this cluster. ${instead}`,
    // Source: https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
    taken: ({ object, api, server, service }: Record<'object' | 'api' | 'server' | 'service', string>) =>
      `${object} gives the API ${api}, which ${server} serves, to Service ${service}, so all requests for its objects go there: controllers no longer see them, and no change of them is applied. Remove the APIService.`,
    retired: ({ apiVersion, removed, object, instead, oldest }: Omit<Args, 'kubernetes'> & { oldest: string }) =>
      `${object} uses ${apiVersion}, which Kubernetes ${removed} removed, and no release before ${oldest} is supported any more, so most clusters refuse it. ${instead} If the cluster is older, declare its version in the config: clusters: {NAME: {kubernetes: "1.19"}}.`,
  },

  later: {
    never: '1.3.0',
    foreign: '1.4.0',
    legacy: '1.4.0',
    swapped: '1.4.0',
    unreleased: '1.6.0',
    newer: '1.6.0',
    mistyped: '1.6.0',
    misspelled: '1.6.0',
    retired: '1.8.0',
    taken: '1.9.0',
  },

  direct: true,

  partners(manifest) {
    if (statesFacts(manifest)) return droppedApiVersions
    const { ref, apiVersion } = manifest.object
    const given = apiGivenAway(manifest)
    if (given) return [`.${given.group}`]
    // A CustomResourceDefinition's name ends in its group.
    if (isDropped(apiVersion, ref.kind)) return [...factMarks, `.${apiVersion.split('/')[0]}`]
    if (faultOf(apiVersion, ref.group, ref.kind) === undefined) return []
    return apiVersion === 'v1' ? (legacyKinds.has(ref.kind) ? [openShiftMark] : []) : [`.${ref.group}`]
  },

  check({ manifest, snapshot, today, report, skip }) {
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
    const given = apiGivenAway(manifest)
    const server = given && serverOf(given, snapshot)
    if (given && server) {
      const { at, api, service } = given
      const ends = server.definition ? [at, server.definition.root] : [at]
      report(ends, 'taken', { object: nameOf(ref), api, service, server: server.name }, { keys: [api] })
    }
    const stable = stableVersionsOf(ref.group, ref.kind)
    const [newest] = stable.toReversed()
    const isOldKind = stable.length === 0 && isRetired(ref.group, ref.kind, today)
    if ((newest || isOldKind) && isNeverServed(apiVersion, stable, ref.kind)) {
      const at = manifest.root.at('apiVersion')
      if (isPlaceholder(apiVersion) || servedByDefinition(snapshot, apiVersion, ref.kind)) return
      const instead = newest ? `Use apiVersion: ${newest}.` : 'No release serves this kind any more: remove the object.'
      const fix = newest ? replaced(at, newest) : undefined
      report(at, 'never', { apiVersion, object: nameOf(ref), kind: ref.kind, instead }, { keys: [apiVersion], fix })
    }
    const fault = faultOf(apiVersion, ref.group, ref.kind)
    if (fault && !isPlaceholder(apiVersion + ref.kind) && !servedByDefinition(snapshot, apiVersion, ref.kind)) {
      const { right } = fault
      const isLegacy = apiVersion === 'v1' && legacyKinds.has(ref.kind) && mayBeOpenShift3(snapshot)
      const message = isLegacy && fault.message === 'foreign' ? 'legacy' : fault.message
      const at = manifest.root.at(message === 'misspelled' ? 'kind' : 'apiVersion')
      const isSame = message === 'misspelled' || stableVersionsOf(groupOf(right), ref.kind).length > 0
      const fix = isSame ? { fix: replaced(at, right) } : {}
      report(at, message, { apiVersion, object: nameOf(ref), kind: ref.kind, right }, { keys: [apiVersion], ...fix })
    }
    if (!isDropped(apiVersion, ref.kind)) return
    const { kubernetes } = snapshot.facts
    const oldest = oldestSupported(today)
    const version = parseVersion(kubernetes?.value ?? oldest)
    const life = version && apiLife(apiVersion, ref.kind, version)
    if (!life || servedByDefinition(snapshot, apiVersion, ref.kind)) return
    const served = isServed(life.removed, version)
    if (served && (!kubernetes || isServed(life.removed, nextMinor(version)))) return
    const { replacement, same, removed } = life
    // An item of an IngressList may leave its apiVersion to the list.
    const at = manifest.root.at('apiVersion')
    const isGuessed = manifest.origin.kind === 'rendered' && manifest.origin.guessed
    // A patch that removes the object needs no version that is served.
    if (!kubernetes && (isGuessed || manifest.root.at('$patch').string === 'delete')) return
    if (isGuessed)
      return skip(
        at,
        `its chart chooses ${apiVersion} by the capabilities of the cluster, and helm rendered it without a cluster`,
      )
    const instead = replacement
      ? `Use apiVersion: ${replacement}${same ? '' : ', and see the deprecation guide of Kubernetes for the fields that differ'}.`
      : `No other version has this kind, so remove the object${served ? ' before the upgrade' : ''}.`
    const fix = replacement && same && at.exists ? { fix: replaced(at, replacement) } : {}
    const args = { apiVersion, removed, object: nameOf(ref), instead }
    if (!kubernetes) return report(at, 'retired', { ...args, oldest }, { keys: [apiVersion], ...fix })
    const both = { ...args, kubernetes: kubernetes.value }
    report([at, kubernetes.at], served ? 'leaving' : 'unserved', both, { keys: [apiVersion], ...fix })
  },
})

/** Who serves an API without an APIService: the API server itself, or a CustomResourceDefinition of the cluster. */
function serverOf(
  { api, group, version }: GivenApi,
  snapshot: Snapshot,
): { readonly name: string; readonly definition?: Manifest } | undefined {
  if (builtInApis.has(api)) return { name: 'the API server itself' }
  const definition = snapshot
    .ofKind(definitionKind)
    .find((one) => one.root.at('spec', 'group').string === group && servedVersions(one).has(version))
  return definition && { name: nameOf(definition.ref), definition }
}

/** The fault of an apiVersion and a kind that no release has served together, with what is right in place of it. */
function faultOf(
  apiVersion: string,
  group: string,
  kind: string,
): { message: 'foreign' | 'mistyped' | 'misspelled' | 'unreleased' | 'newer'; right: string } | undefined {
  const foreign = rightApiVersion(apiVersion, kind)
  if (foreign !== undefined) return { message: 'foreign', right: foreign }
  const mistyped = apiVersionMeant(apiVersion, kind)
  if (mistyped !== undefined) return { message: 'mistyped', right: mistyped }
  const misspelled = kindMeant(group, kind)
  if (misspelled !== undefined) return { message: 'misspelled', right: misspelled }
  const known = extensionVersionsOf(group, kind)
  const right = known.at(-1)
  if (right === undefined || known.includes(apiVersion)) return undefined
  return { message: isNewer(apiVersion, right) ? 'newer' : 'unreleased', right }
}

const stages = ['alpha', 'beta', undefined]

/** Whether a version of an API comes after another one of its group; a text that is no version comes before. */
function isNewer(apiVersion: string, other: string): boolean {
  const [one, two] = [apiVersion, other].map((api) => {
    const [, major, stage, minor] = /^[^/]*\/v(\d+)(?:(alpha|beta)(\d+))?$/.exec(api) ?? []
    return major === undefined ? [] : [Number(major), stages.indexOf(stage), Number(minor ?? 0)]
  })
  const differing = (two ?? []).findIndex((part, index) => part !== one?.[index])
  return (one?.[differing] ?? -1) > (two?.[differing] ?? 0)
}

/** Whether a text is written as an apiVersion: `v1`, `apps/v1`. The name of a kind has no slash and begins with a capital letter. */
function isApiVersion(text: string): boolean {
  return /^(?:[a-z][a-z0-9.-]*\/)?v\d+(?:(?:alpha|beta)\d+)?$/.test(text)
}

/**
 * Whether no release serves a kind in a version: a stable one, or an alpha or beta before the newest stable one. The facts
 * have all such versions that the last releases removed; a later one may come.
 */
function isNeverServed(apiVersion: string, stable: readonly string[], kind: string): boolean {
  if (stable.includes(apiVersion) || isDropped(apiVersion, kind)) return false
  const [version, newest] = [apiVersion, stable.at(-1) ?? ''].map((api) => api.slice(api.indexOf('/') + 1))
  if (/^v\d+$/.test(version ?? '')) return true
  // The core has had a few of its own, before any group.
  return (
    /^v\d+(?:alpha|beta)\d+$/.test(version ?? '') && apiVersion.includes('/') && majorOf(version) <= majorOf(newest)
  )
}

function majorOf(version = ''): number {
  return Number.parseInt(version.slice(1), 10)
}
