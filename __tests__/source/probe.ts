import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { policies } from './rendered'
import { type Files, TestRepository } from './repository'

/** The URL that the tests' repository has for its origin. */
export const url = 'https://github.com/acme/platform.git'

/**
 * A chart that shows what it was rendered with: the Ingress is named after the release, and a host that its TLS does
 * not cover is named in a finding. It also has an ingress controller, and a ClusterRole of the cluster's own.
 */
export const chart: Files = {
  'charts/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
  'charts/edge/values.yaml': `host: ""
bootstrap: true
controller:
  install: false
  scope:
    enabled: true
`,
  'charts/edge/templates/ingress.yaml': `{{- if .Values.host }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  tls:
    - hosts: [covered.example.com]
      secretName: covered
  rules:
    - host: {{ .Values.host }}
{{- end }}
`,
  'charts/edge/templates/role.yaml': `{{- if .Values.bootstrap }}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: system:kube-controller-manager
rules: []
{{- end }}
`,
  'charts/edge/templates/controller.yaml': `{{- if .Values.controller.install }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: controller
spec:
  selector: { matchLabels: { app: controller } }
  template:
    metadata: { labels: { app: controller } }
    spec:
      containers:
        - name: controller
          image: registry.k8s.io/ingress-nginx/controller:v1.12.1
          env:
            - { name: POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
          args:
            - /nginx-ingress-controller
            - --publish-service=$(POD_NAMESPACE)/controller
            {{- if .Values.controller.scope.enabled }}
            - --watch-namespace=$(POD_NAMESPACE)
            {{- end }}
{{- end }}
`,
}

export function repositoryOf(base: Files, head?: Files): TestRepository {
  const repo = new TestRepository()
  repo.git('remote', 'add', 'origin', url)
  repo.commit(base)
  if (head) repo.commit(head)
  return repo
}

/** Judges the changes of the second commit. */
export function change(base: Files, head: Files) {
  return checkOpened(opened(base, head, url), '--policy', ...policies)
}

/** Judges one commit whole. */
export function whole(files: Files) {
  return checkOpened(opened(files, undefined, url), '--all', '--policy', ...policies)
}

/** `shop/web a.example.com` for each host that the TLS of a probe's Ingress does not cover. */
export async function hostsOf(files: Files): Promise<string[]> {
  const { findings } = await whole(files)
  return findings.map(({ rule, object, text }) =>
    rule === 'ingress-tls/host-covered'
      ? `${object?.namespace}/${object?.name} ${text.match(/lists (\S+?),/)?.[1]}`
      : `${rule}: ${text}`,
  )
}

/** An object in a file of its own. */
export function object(apiVersion: string, kind: string, name: string, namespace: string, body: string): string {
  const own = namespace ? `  namespace: ${namespace}\n` : ''
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${own}${body}`
}

/** A plain ClusterRole that every cluster has by itself. */
export const role = object(
  'rbac.authorization.k8s.io/v1',
  'ClusterRole',
  'system:kube-controller-manager',
  '',
  'rules: []\n',
)

/** A HelmRelease of Flux that installs the chart in `c/`. */
export function release(values = ''): string {
  return object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'web',
    'shop',
    `spec:\n  interval: 5m\n  chart: {spec: {chart: ./c, sourceRef: {kind: GitRepository, name: own}}}\n${values}`,
  )
}

/** A release with a chart that has a protected role. */
export const released: Files = {
  'source.yaml': object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'own', 'shop', `spec: {url: ${url}}\n`),
  'web.yaml': release(),
  'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'c/values.yaml': 'enabled: true\n',
  'c/templates/role.yaml': role,
}

/** An Ingress with one host that is not covered. */
export function probe(name: string, host: string): string {
  return object(
    'networking.k8s.io/v1',
    'Ingress',
    name,
    '',
    `spec:
  tls:
    - hosts: [covered.example.com]
      secretName: covered
  rules:
    - host: ${host}
`,
  )
}
