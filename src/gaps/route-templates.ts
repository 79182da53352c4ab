const routes =
  /^kind: *["']?(?:Ingress|IngressRoute|Route|HTTPRoute|GRPCRoute|TLSRoute|VirtualService|Gateway|HTTPProxy|Certificate)\b/m

/** Whether a template makes a route or a certificate. */
export function makesRoute(template: string): boolean {
  return routes.test(template)
}
