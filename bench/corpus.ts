import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Writes a GitOps repository of so many manifests: teams with a Deployment, a Service, an Ingress, its Secret and a
 * Role.
 */
export function writeCorpus(folder: string, manifests: number): void {
  const perTeam = 5
  for (let team = 0; team < manifests / perTeam; team++) {
    const name = `team-${String(team).padStart(5, '0')}`
    const home = path.join(folder, 'teams', `group-${team % 50}`, name)
    mkdirSync(home, { recursive: true })
    writeFileSync(path.join(home, 'app.yaml'), [deployment(name), service(name)].join('---\n'))
    writeFileSync(path.join(home, 'ingress.yaml'), ingress(name, [`${name}.example.com`]))
    writeFileSync(path.join(home, 'access.yaml'), [secret(name), role(name)].join('---\n'))
  }
}

function metadata(name: string): string {
  return `metadata:\n  name: ${name}\n  namespace: ${name}\n  labels:\n    app.kubernetes.io/name: ${name}\n    team: ${name}\n`
}

function deployment(name: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\n${metadata(name)}spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      containers:
        - name: web
          image: registry.example.com/${name}:1.4.2
          ports:
            - containerPort: 8080
          resources:
            requests: { cpu: 100m, memory: 128Mi }
            limits: { memory: 256Mi }
          readinessProbe:
            httpGet: { path: /healthz, port: 8080 }
`
}

function service(name: string): string {
  return `apiVersion: v1\nkind: Service\n${metadata(name)}spec:\n  selector:\n    app.kubernetes.io/name: ${name}\n  ports:\n    - port: 80\n      targetPort: 8080\n`
}

/** The Ingress of a team; the first host is in its TLS entry, further ones are not. */
export function ingress(name: string, hosts: readonly string[]): string {
  const rules = hosts.map(
    (host) =>
      `    - host: ${host}\n      http:\n        paths:\n          - path: /\n            pathType: Prefix\n            backend:\n              service:\n                name: ${name}\n                port:\n                  number: 80\n`,
  )
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${metadata(name)}spec:\n  ingressClassName: nginx\n  tls:\n    - hosts: [${hosts[0]}]\n      secretName: ${name}-tls\n  rules:\n${rules.join('')}`
}

function secret(name: string): string {
  return `apiVersion: v1\nkind: Secret\n${metadata(`${name}-tls`).replace(`namespace: ${name}-tls`, `namespace: ${name}`)}type: kubernetes.io/tls\ndata:\n  tls.crt: Y2VydA==\n  tls.key: a2V5\n`
}

function role(name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n${metadata(name)}rules:\n  - apiGroups: [""]\n    resources: [pods, configmaps]\n    verbs: [get, list, watch]\n`
}

/** Writes so many Ingresses in one file. */
export function writeIngresses(folder: string, count: number): void {
  const names = Array.from({ length: count }, (_, index) => `shop-${index}`)
  writeFileSync(
    path.join(folder, 'all.yaml'),
    names.map((name) => ingress(name, [`${name}.example.com`])).join('---\n'),
  )
}

/**
 * Writes so many ingress controllers, each with a class of its own; the Ingresses of the teams are of the class of the
 * first.
 */
export function writeControllers(folder: string, count: number, version: string): void {
  for (let index = 0; index < count; index++) {
    const name = index === 0 ? 'nginx' : `nginx-${index}`
    const home = path.join(folder, 'controllers', name)
    mkdirSync(home, { recursive: true })
    writeFileSync(path.join(home, 'controller.yaml'), controller(name, version))
  }
}

function controller(name: string, version: string): string {
  const of = `k8s.io/${name}`
  const ingressClass = `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata:\n  name: ${name}\nspec:\n  controller: ${of}\n`
  return `${ingressClass}---\napiVersion: apps/v1\nkind: Deployment\n${metadata(name)}spec:
  selector:
    matchLabels: { app: ${name} }
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      serviceAccountName: ${name}
      containers:
        - name: controller
          image: registry.k8s.io/ingress-nginx/controller:${version}
          args: [/nginx-ingress-controller, --controller-class=${of}, --ingress-class=${name}, --election-id=${name}]
`
}
