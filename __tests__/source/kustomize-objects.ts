import { binding, role } from './objects'

export const name = 'system:kube-controller-manager'
export const kept = 'protected-rbac/object-kept'
export const uncovered = 'ingress-tls/host-covered'

export const kustomization = (...lines: string[]) =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${lines.map((line) => `${line}\n`).join('')}`

export const ingress = (...hosts: string[]) =>
  [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata:',
    '  name: web',
    '  namespace: shop',
    'spec:',
    '  tls:',
    `    - hosts: [${hosts.join(', ')}]`,
    '      secretName: web-tls',
    '  rules:',
    ...hosts.flatMap((host) => [`    - host: ${host}`, '      http: {paths: []}']),
    '',
  ].join('\n')

/** A base with a protected role, and two overlays of it. */
export const shared = {
  'base/kustomization.yaml': kustomization('resources:', '  - role.yaml', '  - binding.yaml', '  - ingress.yaml'),
  'base/role.yaml': role(name),
  'base/binding.yaml': binding(name),
  'base/ingress.yaml': ingress('a.example.com', 'b.example.com'),
  'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base'),
  'overlays/test/kustomization.yaml': kustomization('resources:', '  - ../../base'),
}
