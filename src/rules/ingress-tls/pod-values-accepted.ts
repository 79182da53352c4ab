import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { podValueFaultsOf } from '../../kubernetes/charts/pod-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { written } from '../../kubernetes/fields/written-path'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'release' | 'field' | 'block' | 'meant', string>

export default defineRule({
  id: 'ingress-tls/pod-values-accepted',
  summary: 'The API server knows every field in the values that charts pass to their Pods as they are.',
  since: '1.11.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    needed: ({ release, field, block, meant }: Fault) =>
      `${release} has ${field}, which is no field there, and charts pass \`${block}\` to their Pods as it is: the API server refuses the Pods without the field in its place, so the release fails. Write it as ${meant}.`,
    misplaced: ({ release, field, block, meant }: Fault) =>
      `${release} has ${field}, which is no field there, and charts pass \`${block}\` to their Pods as it is: Helm 4, and Argo CD with ServerSideApply=true, fail to apply it, and otherwise the field is left out. Write it as ${meant}.`,
    misspelled: ({ release, field, block, meant }: Fault) =>
      `${release} has ${field}, which is no field, and charts pass \`${block}\` to their Pods as it is: Helm 4, and Argo CD with ServerSideApply=true, fail to apply it, and otherwise the field is left out. Write ${meant}.`,
  },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    const { rendered } = manifest.object.context ?? {}
    // The objects of a chart that is rendered are judged themselves.
    for (const one of remoteReleasesOf(manifest, snapshot).filter(({ name }) => !rendered?.has(name)))
      for (const { at, kind, block, meant } of podValueFaultsOf(one)) {
        const field = written(at)
        report(at, kind, { release: nameOf(manifest.ref), field, block, meant }, { keys: [field] })
      }
  },
})
