import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const clusters = 20
export const apps = 25
/** The apps of the Flux home, besides the 500 Kustomizations that Argo CD deploys. */
export const homeApps = 50

export const nameOf = (app: number) => `shop-${String(app).padStart(2, '0')}`

/** The folders of the Kustomizations that include the base of an app. */
export function overlaysOf(app: number): string[] {
  return Array.from({ length: clusters }, (_, cluster) => overlayOf(cluster, nameOf(app)))
}

function overlayOf(cluster: number, name: string): string {
  return `clusters/prod-${String(cluster).padStart(2, '0')}/${name}`
}

/** Whole numbers that are the same in each run. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * Writes a monorepo of 500 Kustomizations: 25 apps with a base each, and an overlay of it for each of 20 clusters, which
 * ApplicationSets of Argo CD deploy; and beside it the home of a cluster that Flux deploys.
 */
export function writeMonorepo(root: string, seed = 20): void {
  const next = seeded(seed)
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  for (let app = 0; app < apps; app++) {
    const name = nameOf(app)
    write(`bases/${name}/kustomization.yaml`, 'resources: [web.yaml, access.yaml, ingress.yaml]\n')
    write(`bases/${name}/web.yaml`, web(name, 1 + next(5)))
    write(`bases/${name}/access.yaml`, access(name))
    write(`bases/${name}/ingress.yaml`, ingressOf(app))
    for (let cluster = 0; cluster < clusters; cluster++) {
      write(
        `${overlayOf(cluster, name)}/kustomization.yaml`,
        `namespace: ${name}\nresources: [../../../bases/${name}]\npatches: [{path: size.yaml}]\n`,
      )
      write(`${overlayOf(cluster, name)}/size.yaml`, sizeOf(name, 1 + next(9)))
    }
  }
  for (let cluster = 0; cluster < clusters; cluster++) {
    const name = `prod-${String(cluster).padStart(2, '0')}`
    write(`argocd/${name}.yaml`, applicationSet(name))
  }
  for (let app = 0; app < homeApps; app++) {
    const name = `home-${String(app).padStart(2, '0')}`
    write(`home/flux/${name}.yaml`, fluxKustomization(name))
    write(`home/apps/${name}/kustomization.yaml`, `namespace: ${name}\nresources: [web.yaml, ingress.yaml]\n`)
    write(`home/apps/${name}/web.yaml`, web(name, 1 + next(5)))
    write(`home/apps/${name}/ingress.yaml`, ingress(name, ['/']))
  }
}

/** The Ingress of an app; each path is one more rule of its host. */
export function ingressOf(app: number, paths: readonly string[] = ['/']): string {
  return ingress(nameOf(app), paths)
}

const metadata = (name: string) => `metadata:\n  name: ${name}\n  labels: {app: ${name}}\n`

function web(name: string, replicas: number): string {
  return `apiVersion: apps/v1\nkind: Deployment\n${metadata(name)}spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      serviceAccountName: ${name}
      containers:
        - name: web
          image: registry.example.com/${name}:1.4.2
          ports: [{containerPort: 8080}]
---
apiVersion: v1\nkind: Service\n${metadata(name)}spec:
  selector: {app: ${name}}
  ports: [{port: 80, targetPort: 8080}]
`
}

function access(name: string): string {
  return `apiVersion: v1\nkind: ServiceAccount\n${metadata(name)}---
apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n${metadata(name)}rules:
  - {apiGroups: [''], resources: [configmaps], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n${metadata(name)}roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}
subjects: [{kind: ServiceAccount, name: ${name}}]
`
}

function ingress(name: string, paths: readonly string[]): string {
  const rules = paths.map(
    (one) =>
      `          - path: ${one}\n            pathType: Prefix\n            backend: {service: {name: ${name}, port: {number: 80}}}\n`,
  )
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${metadata(name)}spec:
  ingressClassName: nginx
  tls: [{hosts: [${name}.example.com], secretName: ${name}-tls}]
  rules:
    - host: ${name}.example.com
      http:
        paths:
${rules.join('')}`
}

function sizeOf(name: string, replicas: number): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {replicas: ${replicas}}\n`
}

function applicationSet(cluster: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: ${cluster}, namespace: argocd}
spec:
  generators:
    - git:
        repoURL: https://github.com/acme/platform
        revision: HEAD
        directories: [{path: clusters/${cluster}/*}]
  template:
    metadata: {name: '${cluster}-{{path.basename}}'}
    spec:
      project: default
      source: {repoURL: 'https://github.com/acme/platform', targetRevision: HEAD, path: '{{path}}'}
      destination: {name: ${cluster}, namespace: '{{path.basename}}'}
`
}

function fluxKustomization(name: string): string {
  return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: flux-system}
spec:
  interval: 10m
  prune: true
  path: ./home/apps/${name}
  sourceRef: {kind: GitRepository, name: flux-system}
`
}
