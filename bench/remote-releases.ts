import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The number of applications in the chart, each with a Deployment, a Service, a ConfigMap and an Ingress. */
const applications = 60

/** Writes a chart of the size of a common one: some 240 objects, and a CRD. */
export function writeChart(folder: string, version: string): void {
  const templates = path.join(folder, 'templates')
  mkdirSync(templates, { recursive: true })
  mkdirSync(path.join(folder, 'crds'), { recursive: true })
  writeFileSync(path.join(folder, 'Chart.yaml'), `apiVersion: v2\nname: platform\nversion: ${version}\n`)
  writeFileSync(path.join(folder, 'values.yaml'), 'host: example.com\nreplicas: 2\nlabels: {team: platform}\n')
  writeFileSync(path.join(folder, 'crds/shops.yaml'), definition)
  writeFileSync(path.join(templates, '_names.tpl'), names)
  for (let index = 0; index < applications; index++)
    writeFileSync(path.join(templates, `app-${index}.yaml`), application.replaceAll('APP', `app-${index}`))
}

/** The place of a release's chart: a chart repository, or a folder of the home itself. */
export type Place = { readonly url: string } | { readonly here: string; readonly folder: string }

/** Writes a Flux home with so many releases of one chart of a repository. */
export function writeHome(folder: string, releases: number, { url }: { readonly url: string }): void {
  mkdirSync(path.join(folder, 'apps'), { recursive: true })
  mkdirSync(path.join(folder, '.github'), { recursive: true })
  writeFileSync(path.join(folder, '.github/ingress-guard.yaml'), `format: 1\nnetwork: {charts: ["${url}"]}\n`)
  for (let index = 0; index < releases; index++) writeRelease(folder, index, '1.0.0', { url })
}

export function writeRelease(folder: string, index: number, version: string, place: Place): void {
  const [kind, name, url, chart] =
    'url' in place
      ? ['HelmRepository', 'charts', place.url, `chart: platform\n      version: ${version}`]
      : ['GitRepository', 'here', place.here, `chart: ./${place.folder}`]
  writeFileSync(
    path.join(folder, `${name}.yaml`),
    `apiVersion: source.toolkit.fluxcd.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {interval: 1h, url: "${url}"}\n`,
  )
  writeFileSync(
    path.join(folder, `apps/shop-${index}.yaml`),
    `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop-${index}, namespace: shop-${index}}
spec:
  interval: 1h
  chart:
    spec:
      ${chart}
      sourceRef: {kind: ${kind}, name: ${name}, namespace: flux-system}
  values: {host: shop-${index}.example.com}
`,
  )
}

const names = `{{- define "platform.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- range $key, $value := .Values.labels }}
{{ $key }}: {{ $value | quote }}
{{- end }}
{{- end -}}
`

const application = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-APP
  labels: {{- include "platform.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: APP}}
  template:
    metadata: {labels: {app: APP}}
    spec:
      containers:
        - name: web
          image: registry.example.com/APP:{{ .Chart.Version }}
          envFrom: [{configMapRef: {name: {{ .Release.Name }}-APP}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-APP
  labels: {{- include "platform.labels" . | nindent 4 }}
data:
  {{- range $index := until 20 }}
  key-{{ $index }}: {{ printf "%s of %d" $.Values.host $index | quote }}
  {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}-APP
  labels: {{- include "platform.labels" . | nindent 4 }}
spec:
  selector: {app: APP}
  ports: [{port: 80, targetPort: 8080}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}-APP
  labels: {{- include "platform.labels" . | nindent 4 }}
spec:
  ingressClassName: nginx
  tls: [{hosts: [APP.{{ .Values.host }}], secretName: APP-tls}]
  rules:
    - host: APP.{{ .Values.host }}
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: {{ .Release.Name }}-APP, port: {number: 80}}}}]}
`

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Shop, plural: shops}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
${Array.from({ length: 2000 }, (_, index) => `            field${index}: {type: string, description: The field ${index} of a shop.}\n`).join('')}`
