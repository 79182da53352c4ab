import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { type ShapeFault, shapeFaultsOf } from '../../kubernetes/charts/chart-shapes'
import { remoteReleasesOf } from '../../kubernetes/charts/remote-release'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Fault = Record<'release' | 'chart', string> & Pick<ShapeFault, 'list' | 'key' | 'text' | 'paths'>

export default defineRule({
  id: 'ingress-tls/values-shaped',
  summary: 'The values of a release have the hosts of its Ingresses in the shape that the version of its chart reads.',
  since: '1.9.0',
  scope: 'snapshot',
  kinds: releaseKinds,
  reads: releasePartKinds,
  messages: {
    entry: ({ release, chart, list, key, text }: Fault) =>
      `The values of ${release} have an entry with \`${key}\` in ${list}, and the chart ${chart} reads each item there as text, so helm fails, or the Ingress gets the printed map in its place, which the API server refuses. Write \`- ${text}\`.`,
    plain: ({ release, chart, list, key, text, paths }: Fault) =>
      `The values of ${release} have ${text} as text in ${list}, and the chart ${chart} reads the \`${key}\` of each item there, so helm cannot render the chart. Write \`- ${key}: ${text}\`${paths ? `, and \`paths: ${paths}\` below it` : ''}.`,
    keyed: ({ release, chart, list, key, text }: Fault) =>
      `The values of ${release} have ${text} as the \`host\` of an entry of ${list}, and the chart ${chart} reads its \`${key}\`, so the host is lost: the rule takes the requests for all hosts, or the API server refuses it. Write \`${key}: ${text}\`.`,
    moved: ({ release, chart, list, key }: Fault) =>
      `The values of ${release} set ${list}, and the chart ${chart} reads ${key} in its place, so no Ingress is made as they say. Move it to ${key}.`,
    serviceless: ({ release, chart, list, key, text }: Fault) =>
      `The values of ${release} have a path without \`service\` in ${list}, and the chart ${chart} reads the \`${key}\` of the service of each path, so helm cannot render the chart. Write \`service: { ${key}: ${text} }\` beside the path, with the key that the service has in the values.`,
  },
  later: { serviceless: '1.11.0' },
  putBack: { serviceless: 'changed', entry: 'changed', plain: 'changed', keyed: 'changed', moved: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
  },
  check({ manifest, snapshot, report }) {
    if (releasePartKinds.includes(groupKindOf(manifest.ref))) return
    for (const one of remoteReleasesOf(manifest, snapshot)) {
      const chart = `${one.chart.split('/').at(-1)} ${one.version}`
      for (const { at, kind, list, key, text, paths } of shapeFaultsOf(one))
        report(at, kind, { release: nameOf(manifest.ref), chart, list, key, text, paths }, { keys: [list, text] })
    }
  },
})
