import type { Cursor } from '../manifest/cursor'

/**
 * A HelmChart of K3s, by which a cluster installs a chart, or the HelmChartConfig that adds values to one.
 * https://docs.k3s.io/add-ons/helm
 */
export interface K3sChart {
  readonly chart: Cursor
  readonly repo: Cursor
  readonly version: Cursor
  /** The chart itself, as an archive in base64. */
  readonly chartContent: Cursor
  readonly targetNamespace: Cursor
  /** A text of YAML. */
  readonly valuesContent: Cursor
  readonly valuesSecrets: Cursor
  /** Values one by one, with their paths as keys. */
  readonly set: Cursor
}

export function readK3sChart(root: Cursor): K3sChart {
  const spec = root.at('spec')
  return {
    chart: spec.at('chart'),
    repo: spec.at('repo'),
    version: spec.at('version'),
    chartContent: spec.at('chartContent'),
    targetNamespace: spec.at('targetNamespace'),
    valuesContent: spec.at('valuesContent'),
    valuesSecrets: spec.at('valuesSecrets'),
    set: spec.at('set'),
  }
}
