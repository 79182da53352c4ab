/** Manifests that tests are made of. */
export function role(name: string, more = ''): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\n${more}`
}

export function binding(name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: ${name}\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: ${name}\n`
}

export function configMap(name: string, value = 'x'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${value}\n`
}

/**
 * An Ingress with one host a line: rules from line 11 on, one line each; its default backend takes every other host.
 */
export function ingress(name: string, covered: readonly string[], routed: readonly string[]): string {
  return [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata:',
    `  name: ${name}`,
    '  namespace: shop',
    'spec:',
    '  tls:',
    '    - secretName: web-tls',
    `      hosts: [${covered.join(', ')}]`,
    '  rules:',
    ...routed.map((host) => `    - host: ${host}`),
    '  defaultBackend: {service: {name: web, port: {number: 80}}}',
    '',
  ].join('\n')
}

export function stream(...documents: readonly string[]): string {
  return documents.join('---\n')
}
