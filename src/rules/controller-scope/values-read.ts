import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { unreadValues } from '../../kubernetes/charts/chart-values'
import { ignoredValues, remedyFor } from '../../kubernetes/charts/ignored-values'
import { movedValues } from '../../kubernetes/charts/moved-values'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Unread {
  release: string
  chart: string
  path: string
  instead: string
}

interface Ignored extends Omit<Unread, 'instead'> {
  remedy: string
}

const outcome = 'helm ignores it, and what it sets stays as the chart has it'

export default defineRule({
  id: 'controller-scope/values-read',
  summary: 'The chart of a release reads the values that the release gets.',
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
    ignored: ({ release, chart, path, remedy }: Ignored) =>
      `The values of ${release} set ${path}, which no template of the chart ${chart} reads: ${outcome}. ${remedy}`,
    refused: ({ release, chart, path, remedy, from }: Ignored & { from: string }) =>
      `The values of ${release} set ${path}, which the chart ${chart} refuses from its version ${from} on, so the release is neither installed nor upgraded. ${remedy}`,
    dropped: ({ release, chart, path, remedy, from, loss }: Ignored & { from: string; loss: string }) =>
      `The values of ${release} set ${path}, which the chart ${chart} no longer reads from its version ${from} on: helm ignores it, and ${loss}. ${remedy}`,
  },
  later: { renamed: '1.11.0', ignored: '1.15.0', refused: '1.22.0', dropped: '1.35.0' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      const chart = one.chart.split('/').at(-1) ?? ''
      const release = nameOf(manifest.ref)
      const moved = movedValues(one)
      for (const { at, path, remedy, from, loss } of moved)
        if (loss === undefined) report(at, 'refused', { release, chart, path, remedy, from }, { keys: [path] })
        else report(at, 'dropped', { release, chart, path, remedy, from, loss }, { keys: [path] })
      const unread = unreadValues(one)
      for (const { at, path, instead, kind } of unread)
        report(at, kind, { release, chart, path, instead }, { keys: [path] })
      const others = ignoredValues(one).filter(
        ({ path }) => ![...moved, ...unread].some((known) => known.path === path),
      )
      for (const { at, path, ...known } of others)
        report(at, 'ignored', { release, chart, path, remedy: remedyFor(known) }, { keys: [path] })
    }
  },
})
