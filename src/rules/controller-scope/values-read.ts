import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { unreadValues } from '../../kubernetes/charts/chart-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Unread {
  release: string
  chart: string
  path: string
  instead: string
}

const outcome = 'helm ignores it, and what it sets stays as the chart has it'

export default defineRule({
  id: 'controller-scope/values-read',
  summary: 'The chart of a controller reads the values that its release gets.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    misplaced: ({ release, chart, path, instead }: Unread) =>
      `The values of ${release} set ${path}, which no release of the chart ${chart} reads: ${outcome}. The chart reads ${instead}; write it there.`,
    misspelled: ({ release, chart, path, instead }: Unread) =>
      `The values of ${release} set ${path}, which no release of the chart ${chart} reads: ${outcome}. Write ${instead}, or remove it.`,
    renamed: ({ release, chart, path, instead }: Unread) =>
      `The values of ${release} set ${path}, which no release of the chart ${chart} reads: ${outcome}. The chart calls it ${instead}; write that.`,
  },
  later: { renamed: '1.11.0' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      const chart = one.chart.split('/').at(-1) ?? ''
      for (const { at, path, instead, kind } of unreadValues(one)) {
        const args = { release: nameOf(manifest.ref), chart, path, instead }
        report(at, kind, args, { keys: [path] })
      }
    }
  },
})
