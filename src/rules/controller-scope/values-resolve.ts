import type { Snapshot } from '../../cluster/snapshot'
import { assumedByRelease } from '../../kubernetes/charts/assumed-objects'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { lostIdentifiers } from '../../kubernetes/charts/value-identifiers'
import { lacksOf } from '../../kubernetes/ingress/backend'
import { alternatives, enumerated } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Names = Record<'release' | 'name' | 'path' | 'of' | 'known', string>

const lost = ({ release, name, path, of, known }: Names) =>
  `The values of ${release} name ${name} in ${path}, and have only ${known} in ${of}`

export default defineRule({
  id: 'controller-scope/values-resolve',
  summary: 'Each identifier to which the values of a release refer is defined in them.',
  since: '1.27.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  // Source: bjw-s-labs/helm-charts at common-4.1.1, charts/library/common/templates
  messages: {
    // lib/chart/_validate.tpl, lib/service/_validate.tpl, classes/_serviceMonitor.tpl, lib/pod/fields/_serviceAccountName.tpl, lib/pod/fields/_volumes.tpl
    refused: (names: Names) =>
      `${lost(names)}, so the chart refuses to render, and the release stays as it was. Use an identifier that is there, or add this one.`,
    // lib/container/fields/_volumeMounts.tpl
    unmounted: (names: Names) =>
      `${lost(names)}, so the chart mounts nothing there, without an error. Use an identifier that is there, or remove it.`,
    // classes/_service.tpl at common-3.0.4, classes/_networkpolicy.tpl
    podless: (names: Names) =>
      `${lost(names)}, so the object that the chart makes of it selects no Pods. Use an identifier that is there.`,
  },
  putBack: { refused: 'changed', unmounted: 'changed', podless: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      const lost = lostIdentifiers(one)
      const asked = lost.length > 0 ? controllersAskedFor(manifest, snapshot) : []
      for (const { at, path, name, of, known, outcome } of lost) {
        if (asked.includes(path)) continue
        const names = { name, path, of: alternatives(of), known: enumerated(known, 4) || 'nothing' }
        report(at, outcome, { release: nameOf(manifest.ref), ...names }, { keys: [path, name] })
      }
    }
  },
})

/** The controllers of Services that an Ingress or a route of the release asks for: another rule reports them. */
function controllersAskedFor(release: Manifest, snapshot: Snapshot): string[] {
  const assumed = assumedByRelease(snapshot.manifests).get(release) ?? []
  const lacks = assumed.flatMap(lacksOf).filter(({ kind }) => kind === 'controller')
  return lacks.map(({ text }) => `service.${text}.controller`)
}
