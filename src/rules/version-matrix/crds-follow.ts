import { compare, lt, major, minor, valid } from 'semver'
import type { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import {
  type CrdsPair,
  crdsPairsIn,
  isPartOf,
  marksOfCrdsPair,
  originOf,
  shortNameOf,
} from '../../kubernetes/versions/crds-chart'
import { sidesOf } from '../../manifest/change'
import { nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Lag = Record<'release' | 'chart' | 'version' | 'crds' | 'crdsChart' | 'crdsVersion' | 'was', string>

export default defineRule({
  id: 'version-matrix/crds-follow',
  summary: 'A chart whose CRDs are a chart of its own is not ahead of their version.',
  since: '1.12.0',
  scope: 'change',
  kinds: [...releaseKinds, ...releasePartKinds],
  messages: {
    // Sources: https://karpenter.sh/docs/upgrading/upgrade-guide/ ("CRDs are coupled to the version of Karpenter"),
    // https://github.com/mariadb-operator/mariadb-operator/blob/main/docs/helm.md, both: the chart of the CRDs first
    behind: ({ release, chart, version, crds, crdsChart, crdsVersion, was }: Lag) =>
      `After this change ${release} installs ${chart} ${version}, while ${crds} has its CRDs of ${crdsChart} ${crdsVersion}; ${was}. Neither release updates the other's chart, so the program may use kinds, versions or fields that these CRDs lack. Set both to one version, the CRDs first.`,
  },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
    yield* marksOfCrdsPair(manifest)
  },
  partnerKinds: () => [...releaseKinds, ...releasePartKinds],
  check({ change, base, head, report }) {
    const { after } = sidesOf(change)
    if (!after) return
    for (const pair of crdsPairsIn(head)) {
      const { main, crds } = pair
      const now = versionsOf(pair)
      if (!now || !lt(now.crds, now.main) || ![main, crds].some((one) => isPartOf(one, after))) continue
      const earlier = versionBefore(pair, base)
      if (!earlier) continue
      const isFirst = !isPartOf(crds, after)
      const isSame = compare(earlier.main, earlier.crds) === 0
      // Charts with versions of their own are seldom of one minor release, and a patch rarely changes CRDs.
      if (!isSame && !(isOneMinor(earlier) && !isOneMinor(now))) continue
      const args = {
        release: nameOf(main.manifest.ref),
        chart: shortNameOf(main),
        version: main.version,
        crds: nameOf(crds.manifest.ref),
        crdsChart: shortNameOf(crds),
        crdsVersion: crds.version,
        was: isSame ? 'both had one version before' : 'both were of one minor release before',
      }
      const ends = [main.versionAt, crds.versionAt]
      const fix = isSame ? replaced(crds.versionAt, main.version) : undefined
      report(isFirst ? ends : ends.toReversed(), 'behind', args, { keys: [args.crdsChart], fix })
    }
  },
})

interface Versions {
  readonly main: string
  readonly crds: string
}

function versionsOf({ main, crds }: CrdsPair): Versions | undefined {
  const [its, theirs] = [valid(main.version), valid(crds.version)]
  return its !== null && theirs !== null ? { main: its, crds: theirs } : undefined
}

/** The versions of the same two charts of the same releases before the change. */
function versionBefore({ main, crds }: CrdsPair, base: Snapshot): Versions | undefined {
  const before = crdsPairsIn(base).find(
    (pair) =>
      pair.main.name === main.name &&
      pair.main.namespace === main.namespace &&
      pair.crds.name === crds.name &&
      originOf(pair.main) === originOf(main) &&
      shortNameOf(pair.main) === shortNameOf(main),
  )
  return before && versionsOf(before)
}

function isOneMinor({ main, crds }: Versions): boolean {
  return major(main) === major(crds) && minor(main) === minor(crds)
}
