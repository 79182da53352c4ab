/** The groups whose objects route requests or have certificates issued, besides that of Ingresses. */
export const routingGroups: ReadonlySet<string> = new Set([
  'cert-manager.io',
  'gateway.networking.k8s.io',
  'networking.istio.io',
  'projectcontour.io',
  'route.openshift.io',
  'traefik.containo.us',
  'traefik.io',
])
