{{- define "ingress-nginx.controller" -}}
{{ .Release.Name }}-controller
{{- end }}

{{- define "ingress-nginx.selector" -}}
app.kubernetes.io/name: ingress-nginx
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: controller
{{- end }}

{{- define "ingress-nginx.hasClasses" -}}
{{ if semverCompare ">=1.0.0-0" (toString .Values.controller.image.tag | trimPrefix "v") }}true{{ end }}
{{- end }}
