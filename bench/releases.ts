import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Writes a repository of so many releases, each of a chart of its own, declared for the gate. */
export function writeReleases(folder: string, releases: number): void {
  const declared: string[] = []
  for (let index = 0; index < releases; index++) {
    const name = `shop-${String(index).padStart(2, '0')}`
    const chart = path.join(folder, 'charts', name)
    mkdirSync(path.join(chart, 'templates'), { recursive: true })
    mkdirSync(path.join(folder, 'releases'), { recursive: true })
    writeFileSync(path.join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`)
    writeFileSync(path.join(chart, 'values.yaml'), 'host: shop.example.com\ntlsHost: ""\nreplicas: 2\nconfig: {}\n')
    writeFileSync(path.join(chart, 'templates', '_names.tpl'), names)
    writeFileSync(path.join(chart, 'templates', 'web.yaml'), web)
    writeFileSync(path.join(chart, 'templates', 'ingress.yaml'), ingress)
    writeFileSync(path.join(folder, 'releases', `${name}.yaml`), releaseValues(name, `${name}.example.com`))
    declared.push(
      `  - { chart: charts/${name}, values: [releases/${name}.yaml], release: ${name}, namespace: ${name}, cluster: prod }\n`,
    )
  }
  mkdirSync(path.join(folder, '.github'), { recursive: true })
  writeFileSync(path.join(folder, '.github', 'ingress-guard.yaml'), `format: 1\nhelm:\n${declared.join('')}`)
}

/** The values of a release; a host that its certificate does not name is a finding. */
export function releaseValues(name: string, host: string): string {
  return `host: ${host}\ntlsHost: ${name}.example.com\nreplicas: 3\nconfig:\n  mode: live\n  region: north\n`
}

const names = `{{- define "shop.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
`

const web = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels:
    {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels:
      {{- include "shop.labels" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "shop.labels" . | nindent 8 }}
    spec:
      containers:
        - name: web
          image: registry.example.com/{{ .Chart.Name }}:{{ .Chart.Version }}
          envFrom:
            - configMapRef:
                name: {{ .Release.Name }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  {{- range $key, $value := .Values.config }}
  {{ $key }}: {{ $value | quote }}
  {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector:
    {{- include "shop.labels" . | nindent 4 }}
  ports:
    - port: 80
      targetPort: 8080
`

const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  ingressClassName: nginx
  {{- with .Values.tlsHost }}
  tls:
    - hosts:
        - {{ . }}
      secretName: {{ $.Release.Name }}-tls
  {{- end }}
  rules:
    - host: {{ .Values.host }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ .Release.Name }}
                port:
                  number: 80
`
