import type { Snapshot } from '../../cluster/snapshot'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { releaseKinds } from './chart-release'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from './remote-release'

/** The object of the operator for Argo CD. */
export const operatorKind: GroupKind = 'ArgoCD.argoproj.io'

/** The kinds that hold Argo CD's settings, besides the workloads that may add plugins to it. */
export const argoSettingKinds: readonly GroupKind[] = ['ConfigMap', operatorKind, 'Deployment.apps', ...releaseKinds]

/** An object that adds a plugin to Argo CD contains one of these strings. */
const plugins: readonly string[] = ['ConfigManagementPlugin', 'cmp-server']

/** Each object with Argo CD's settings, or with a plugin for it, contains one of these strings. */
export const marksOfArgoSettings: readonly string[] = [
  'argocd-cm',
  'argo-cd',
  operatorKind.split('.')[0] ?? '',
  'ConfigManagementPlugin',
  'argocd-cmp-server',
]

/**
 * The object with the settings of the Argo CD of a cluster, if they are known and Argo CD builds Kustomizations without
 * inflating charts: no option for that is in them, and no plugin may build in its place. Source:
 * https://argo-cd.readthedocs.io/en/stable/user-guide/kustomize/#kustomizing-helm-charts
 */
export function settingsWithoutHelm(snapshot: Snapshot): Manifest | undefined {
  if (!known.has(snapshot)) known.set(snapshot, read(snapshot))
  return known.get(snapshot)
}

const known = new WeakMap<Snapshot, Manifest | undefined>()

function read(snapshot: Snapshot): Manifest | undefined {
  const candidates = argoSettingKinds.flatMap((kind) => snapshot.ofKind(kind))
  if (candidates.some(({ object }) => plugins.some((mark) => object.content.includes(mark)))) return undefined
  const maps = candidates.filter(({ ref, root }) => ref.name === 'argocd-cm' && root.at('data').isMap)
  const operated = snapshot.ofKind(operatorKind)
  const releases = releaseKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((one) => remoteReleasesOf(one, snapshot))
    .filter(({ chart }) => chart.split('/').at(-1) === 'argo-cd')
  const written = [...maps, ...operated].map(({ object }) => object.content)
  if (written.some(mayInflate) || releases.some(mayInflateFor)) return undefined
  return maps[0] ?? operated[0] ?? releases[0]?.manifest
}

function mayInflate(text: string): boolean {
  return text.includes('enable-helm') || isPlaceholder(text)
}

/** Whether the values of a release may have the option: those that something else gives are not seen. */
function mayInflateFor(release: RemoteRelease): boolean {
  const { manifest, layers, elsewhere } = release
  if (elsewhere.length > 0 || layers.some((layer) => 'hidden' in layer)) return true
  const values = seenValuesOf(release)
  const settings = [values.get('configs').get('cm'), values.get('server').get('config')]
  return (
    manifest.object.content.includes('enable-helm') ||
    settings.some((map) => {
      const option = map.get('kustomize.buildOptions')
      return option.isSet && mayInflate(String(option.scalar))
    })
  )
}
