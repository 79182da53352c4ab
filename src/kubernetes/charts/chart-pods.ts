import * as Type from 'typebox'
import rows from '../../../facts/chart-pods.yaml'
import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { isPlaceholder } from '../ingress/ingress'
import { chartName, chartNamed } from './chart-named'
import { mayInstallRemote } from './chart-release'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from './remote-release'

const portNumber = Type.Integer({ minimum: 1, maximum: 65_535 })

/** `facts/chart-pods.yaml` */
export const ChartPodsFile = factsFile({
  charts: Type.Array(
    Type.Object(
      {
        ...chartName,
        labels: Mapping(text),
        instance: Type.Optional(text),
        /** Whether the Pods take the requests of clients from outside. */
        takesTraffic: Type.Optional(Type.Literal(true)),
        /** The ports of the Pods, and those of the Service that leads to them. */
        ports: Type.Array(Type.Object({ name: text, number: portNumber, offered: portNumber }, strict), {
          minItems: 1,
        }),
        others: Type.Array(portNumber),
        more: texts,
        unless: texts,
        ...proof,
      },
      strict,
    ),
  ),
})

const charts = factsIn(ChartPodsFile, rows).charts
type ChartPods = (typeof charts)[number]

/** The Pods of a release of a known chart, with the ports that its values leave as they are. */
export interface ReleasedPods {
  readonly release: RemoteRelease
  readonly facts: ChartPods
  /** All ports on which they may listen. */
  readonly numbers: ReadonlySet<number>
}

/** The Pods that the releases of an object run. */
export function podsReleasedBy(manifest: Manifest, snapshot: Snapshot): ReleasedPods[] {
  const { rendered } = manifest.object.context ?? {}
  return remoteReleasesOf(manifest, snapshot).flatMap((release): ReleasedPods[] => {
    const facts = chartNamed(charts, release.chart, release.repository)
    const isHidden = release.layers.some((layer) => 'hidden' in layer) || release.elsewhere.length > 0
    if (!facts || isHidden || rendered?.has(release.name)) return []
    const values = seenValuesOf(release)
    const at = (path: string) => path.split('.').reduce((outer, key) => outer.get(key), values)
    if (facts.unless.some((path) => at(path).isSet)) return []
    const roots = release.layers.flatMap((layer) => ('hidden' in layer ? [] : [layer.root]))
    const given = roots.flatMap((root) => facts.more.flatMap((path) => numbersIn(root.at(...path.split('.')))))
    const numbers = new Set([...facts.ports.map(({ number }) => number), ...facts.others, ...given])
    return [{ release, facts, numbers }]
  })
}

/** A label of the Pods; undefined where it is not known. */
export function labelOfReleased({ facts, release }: ReleasedPods, key: string): string | undefined {
  if (key !== 'app.kubernetes.io/instance') return entryOf(facts.labels, key)
  return isPlaceholder(release.name) ? undefined : facts.instance?.replace('{release}', release.name)
}

/** The names of the charts whose Pods have a label. */
export function chartsWithLabel(value: string): string[] {
  return charts.filter(({ labels }) => Object.values(labels).includes(value)).map(({ name }) => name)
}

/** The values of the labels by which policies select the Pods of a chart from elsewhere that a release may install. */
export function labelsOfCharts(release: Manifest): string[] {
  if (!mayInstallRemote(release)) return []
  const { content } = release.object
  return charts.filter(({ name }) => content.includes(name)).flatMap(({ labels }) => Object.values(labels))
}

/** The numbers in values and in their keys, and those in texts. */
function numbersIn(at: Cursor): number[] {
  return [...JSON.stringify(at.value ?? null).matchAll(/\d+/g)].map(([digits]) => Number(digits))
}
