import { release, role } from './probe'
import type { Files } from './repository'

/** A condition around the protected role. */
export const around = (condition: string, text = role) => `{{- ${condition} }}\n${text}{{- end }}\n`

/** Conditions on the cluster in other places than around the role, and the place of the finding. */
export const elsewhere: [what: string, files: Files, place: string][] = [
  [
    'in a named template',
    {
      'c/templates/_helpers.tpl':
        '{{- define "c.on" }}{{ if not (lookup "v1" "Namespace" "" "a") }}true{{ end }}{{ end }}\n',
      'c/templates/role.yaml': around('if include "c.on" .'),
    },
    'head/c/templates/role.yaml:1 template',
  ],
  [
    'in a text that values give to tpl',
    {
      'web.yaml': release(`  values: {cond: '{{ lookup "v1" "Namespace" "" "a" | empty }}'}\n`),
      'c/templates/role.yaml': around('if eq (tpl .Values.cond .) "true"'),
    },
    'head/c/templates/role.yaml:1 template',
  ],
  [
    'in a file that is given to tpl',
    {
      'c/files/role.txt': around('if eq .Release.Revision 1'),
      'c/templates/role.yaml': '{{ tpl (.Files.Get "files/role.txt") . }}\n',
    },
    'base/c/templates/role.yaml:5 template',
  ],
  [
    'in the name of the object',
    {
      'c/templates/role.yaml': role.replace(
        'system:kube-controller-manager',
        '{{ ternary "system:kube-controller-manager" "x" (empty (lookup "v1" "Pod" "a" "b")) }}',
      ),
    },
    'head/c/templates/role.yaml:4 template',
  ],
  [
    'in the chart of a subfolder that the role moves to',
    {
      'c/charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
      'c/charts/sub/templates/role.yaml': around('if not (lookup "v1" "Namespace" "" "a")'),
      'c/templates/role.yaml': null,
    },
    'base/c/templates/role.yaml:1 template',
  ],
]

const named = `{{- define "c.kept" }}\n${role}{{- end }}{{- define "c.gone" }}{{ end }}\n`
const chosen = (condition: string) => `${named}{{- include (ternary "c.gone" "c.kept" (${condition})) . }}\n`

/** Charts whose protected role goes by what helm asks of the cluster. */
export const asking: [what: string, files: Files][] = [
  [
    'where one object is there, and another one is not',
    {
      'c/templates/role.yaml': around('if or (not (lookup "v1" "Namespace" "" "a")) (lookup "v1" "Namespace" "" "b")'),
    },
  ],
  [
    'by a name that is put together',
    {
      'c/templates/role.yaml': around('if tpl (printf "{{ %s `v1` `Node` `` `a` | empty }}" "lookup") . | eq "true"'),
    },
  ],
  [
    'by a field of the object',
    { 'c/templates/role.yaml': chosen('eq "Active" (dig "status" "phase" "" (lookup "v1" "Namespace" "" "a"))') },
  ],
  [
    'by the names in a list',
    {
      'c/templates/role.yaml': `{{- $names := list }}{{ range (lookup "v1" "Namespace" "" "").items }}{{ $names = append $names .metadata.name }}{{ end }}\n${chosen('has "kube-system" $names')}`,
    },
  ],
  [
    'by a revision in the middle',
    { 'c/templates/role.yaml': chosen('and (gt (int .Release.Revision) 2) (lt (int .Release.Revision) 9)') },
  ],
  [
    'by one of two extensions',
    {
      'c/templates/role.yaml': around(
        'if eq (.Capabilities.APIVersions.Has "cert-manager.io/v1") (.Capabilities.APIVersions.Has "metrics.k8s.io/v1beta1")',
      ),
    },
  ],
  [
    'by the ending of a version',
    { 'c/templates/role.yaml': around('if not (contains "-eks-" .Capabilities.KubeVersion.Version)') },
  ],
  [
    'although helm ignores other files of the chart',
    {
      'c/.helmignore': 'templates/_*\ntemplates/first\n',
      'c/templates/first': 'x',
      'c/templates/role.yaml': around('if le .Release.Revision 1'),
    },
  ],
]
