import { argoSettingKinds, marksOfArgoSettings, settingsWithoutHelm } from '../../kubernetes/charts/argo-settings'
import { inflatedChart } from '../../kubernetes/charts/chart-release'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Chart = Record<'chart' | 'file', string>

export default defineRule({
  id: 'controller-scope/charts-inflated',
  summary: 'What deploys a Kustomization inflates its charts.',
  since: '1.10.0',
  scope: 'snapshot',
  kinds: [inflatedChart],
  reads: argoSettingKinds,
  messages: {
    // Source: fluxcd/pkg, kustomize/kustomize_generator.go, DisabledPluginConfig;
    // https://github.com/fluxcd/kustomize-controller/issues/1284
    flux: ({ chart, file }: Chart) =>
      `${file} inflates the chart ${chart}, and Flux builds Kustomizations without --enable-helm. So the whole build fails, and Flux applies nothing of it any more. Install the chart with a HelmRelease.`,
    // Source: https://argo-cd.readthedocs.io/en/stable/user-guide/kustomize/#kustomizing-helm-charts
    argo: ({ chart, file, settings }: Chart & { settings: string }) =>
      `${file} inflates the chart ${chart}, and Argo CD builds Kustomizations with --enable-helm only where its settings have it: those of ${settings} do not. So the whole build fails, and the Application is no longer synced. Add --enable-helm to kustomize.buildOptions.`,
  },
  putBack: { flux: 'changed', argo: 'changed' },
  direct: true,
  *partners(manifest, _params, _isGone, isTouched) {
    if (groupKindOf(manifest.ref) === inflatedChart) yield* marksOfArgoSettings
    else if (isTouched && marksOfArgoSettings.some((mark) => manifest.object.content.includes(mark)))
      yield* marksOfInflated
  },
  partnerKinds: ({ ref }) => (groupKindOf(ref) === inflatedChart ? argoSettingKinds : [inflatedChart]),
  check({ manifest, snapshot, report }) {
    const by = manifest.object.context?.inflatedBy ?? ''
    const name = manifest.root.at('name')
    const args = { chart: name.string ?? '', file: manifest.origin.path }
    if (by.startsWith('flux:Kustomization/')) report(name, 'flux', args, { keys: [args.chart] })
    // A plugin may build in its own way.
    if (!by.startsWith('argocd:') || by.includes(':plugin')) return
    const settings = settingsWithoutHelm(snapshot)
    if (!settings) return
    report([name, settings.root], 'argo', { ...args, settings: nameOf(settings.ref) }, { keys: [args.chart] })
  },
})

/** Each chart that a Kustomization inflates is in a file with one of these strings. */
const marksOfInflated = ['helmCharts', 'HelmChartInflationGenerator']
