import { role } from './probe'
import type { Files } from './repository'

/** The protected role, unless the cluster has a namespace. */
export const conditional = `{{- if not (lookup "v1" "Namespace" "" "kube-system") }}\n${role}{{- end }}\n`

/** Charts that refuse some answers of a cluster, and whose protected role goes with another one. */
export const refusing: [what: string, files: Files][] = [
  [
    'in the same file',
    {
      'c/templates/role.yaml': `{{ if lookup "v1" "ConfigMap" "x" "never" }}{{ .Values.nope.x.y }}{{ end }}\n${conditional}`,
    },
  ],
  [
    'by fail',
    { 'c/templates/role.yaml': `{{ with lookup "v1" "Secret" "x" "y" }}{{ fail "no" }}{{ end }}\n${conditional}` },
  ],
  [
    'twice, and in another file, too',
    {
      'c/templates/a.yaml': '{{ if lookup "v1" "Secret" "x" "a" }}{{ fail "a" }}{{ end }}\n',
      'c/templates/role.yaml': [
        '{{ if lookup "v1" "Secret" "x" "b" }}{{ fail "b" }}{{ end }}\n',
        '{{ if lookup "v1" "Secret" "x" "c" }}{{ fail "c" }}{{ end }}\n',
        conditional,
      ].join(''),
    },
  ],
  [
    'by a value that another file sets',
    {
      'c/templates/a.yaml': '{{ if .Values.boom }}{{ fail "boom" }}{{ end }}\n',
      'c/templates/z/b.yaml': '{{ if lookup "v1" "Secret" "x" "y" }}{{ $_ := set .Values "boom" true }}{{ end }}\n',
      'c/templates/role.yaml': conditional,
    },
  ],
  [
    'by a variable',
    {
      'c/templates/role.yaml': `{{ $s := lookup "v1" "Secret" "x" "y" }}\n${conditional}{{ if $s }}{{ fail "s" }}{{ end }}\n`,
    },
  ],
  [
    'by what is no YAML',
    {
      'c/templates/role.yaml': `{{ if lookup "v1" "Secret" "x" "y" }}a: b: c{{ end }}\n---\n${conditional}`,
    },
  ],
  [
    'in a named template',
    {
      'c/templates/_x.tpl': '{{ define "c.x" }}{{ if lookup "v1" "Secret" "x" "y" }}{{ fail "x" }}{{ end }}{{ end }}\n',
      'c/templates/role.yaml': `{{ include "c.x" . }}\n${conditional}`,
    },
  ],
  [
    'for a version of Kubernetes',
    {
      'c/templates/role.yaml': `{{ if semverCompare ">=1.43-0" .Capabilities.KubeVersion.Version }}{{ fail "new" }}{{ end }}\n{{ if semverCompare "<1.40-0" .Capabilities.KubeVersion.Version }}\n${role}{{ end }}\n`,
    },
  ],
  [
    'for an API',
    {
      'c/templates/role.yaml': `{{ if .Capabilities.APIVersions.Has "a.example.com/v1" }}{{ fail "a" }}{{ end }}\n{{ if not (.Capabilities.APIVersions.Has "b.example.com/v1") }}\n${role}{{ end }}\n`,
    },
  ],
  [
    'for a revision',
    {
      'c/templates/role.yaml': `{{ if gt .Release.Revision 100 }}{{ fail "old" }}{{ end }}\n{{ if ne (int .Release.Revision) 7 }}\n${role}{{ end }}\n`,
    },
  ],
  [
    'by the length of a list',
    {
      'c/templates/role.yaml': `{{ range until (int .Release.Revision) }}{{ if gt . 1000 }}{{ fail "old" }}{{ end }}{{ end }}\n${conditional}`,
    },
  ],
  [
    'where another question has no answer',
    {
      'c/templates/a.yaml': '{{ if lookup "v1" "Secret" "x" "y" }}{{ $_ := set .Values "y" true }}{{ end }}\n',
      'c/templates/b.yaml': '{{ if and .Values.y (lookup "v1" "Secret" "x" "z") }}{{ fail "b" }}{{ end }}\n',
      'c/templates/role.yaml': `{{ if lookup "v1" "Secret" "x" "z" }}{{ else }}\n${role}{{ end }}\n`,
    },
  ],
]
