const names = ['', 'in-cluster', 'https://kubernetes.default.svc']

/** Whether an Application's destination, by its name or server, is the cluster that Argo CD itself runs in. */
export function isOwnCluster(destination: string): boolean {
  return names.includes(destination)
}
