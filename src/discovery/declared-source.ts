import path from 'node:path/posix'
import type { DeclaredRelease } from '../policy/config'
import type { HelmSource, Target } from '../sources/source'

/** The source of a release that the config declares. */
export function declaredSource(declared: DeclaredRelease): HelmSource {
  const { chart, values = [], release, namespace, cluster, at } = declared
  const own = values.find((file) => !file.startsWith(`${chart}/`))
  const target: Target = cluster ? { cluster } : { path: own ?? path.join(chart, 'Chart.yaml') }
  return {
    kind: 'helm',
    id: `declared:${JSON.stringify([release, namespace, target])}`,
    origin: 'declared',
    target,
    declaredAt: at,
    chart,
    values: values.map((file) => ({ path: file })),
    set: declared.set ?? {},
    release,
    namespace,
    ...(declared.kubeVersion ? { kubeVersion: declared.kubeVersion } : {}),
    ...(declared.apiVersions ? { apiVersions: declared.apiVersions } : {}),
  }
}
