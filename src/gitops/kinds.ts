import type { GroupKind } from '../manifest/manifest'

/** The kinds that are read here. */
export const gitOpsKind = {
  application: 'Application.argoproj.io',
  applicationSet: 'ApplicationSet.argoproj.io',
  helmRelease: 'HelmRelease.helm.toolkit.fluxcd.io',
  fluxKustomization: 'Kustomization.kustomize.toolkit.fluxcd.io',
  ociRepository: 'OCIRepository.source.toolkit.fluxcd.io',
  artifactGenerator: 'ArtifactGenerator.source.extensions.fluxcd.io',
  fluxHelmChart: 'HelmChart.source.toolkit.fluxcd.io',
  resourceSet: 'ResourceSet.fluxcd.controlplane.io',
  inputProvider: 'ResourceSetInputProvider.fluxcd.controlplane.io',
  k3sChart: 'HelmChart.helm.cattle.io',
  k3sChartConfig: 'HelmChartConfig.helm.cattle.io',
} as const satisfies Record<string, GroupKind>

/** The kinds whose objects deploy something. */
export const deployerKinds: readonly GroupKind[] = [
  gitOpsKind.application,
  gitOpsKind.applicationSet,
  gitOpsKind.helmRelease,
  gitOpsKind.fluxKustomization,
]
