/** The parts of a revision, and its facts about the clusters that it is deployed to. */
export interface Platform {
  /** Folders. */
  readonly charts: readonly string[]
  readonly kustomizations: readonly string[]
  /** The charts that nothing known installs: each is rendered with its own values files. */
  readonly idleCharts: readonly string[]
  /** `Argo CD`, with the number of its objects or files. */
  readonly deployers: readonly { readonly name: string; readonly number: number }[]
  readonly clusters: readonly PlatformCluster[]
}

/** One cluster, as far as files show it. */
export interface PlatformCluster {
  /** Its folder, or its name in the config; empty where the files show no clusters. */
  readonly name: string
  /** The version of its API server, where a file states it. */
  readonly kubernetes?: string
  /** Ingress controllers, networks and other known components: `ingress-nginx 1.10.0`. */
  readonly components: readonly string[]
}
