import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { configMap } from './objects'
import type { Files } from './repository'

/** `a.yaml not-judged chart-elsewhere: reason`, a line for each changed file. */
async function accounts(base: Files, change: Files): Promise<string[]> {
  const { inspected } = await checkOpened(opened(base, change, 'https://github.com/acme/platform.git'))
  return (inspected.files ?? []).map(
    ({ path, state, cause, reason }) => `${[path, state, cause].filter(Boolean).join(' ')}: ${reason}`,
  )
}

const gatekeepers = (fields: string) => `repositories:
  - {name: acme, url: "https://charts.example.com"}
releases:
{{ range $one := .Environment.Values.services }}
- name: "gate-{{- $one.name }}"
  chart: acme/gatekeeper
  values:
  - ingress:
      tls: [${fields}]
{{ end }}
`

const namesOfCluster = (values: string) => `helmfiles:
  - path: ../helmfile.d/repositories.yaml
  - path: ../helmfile.d/web.yaml
    values: [${values}]
`

describe('a file is not judged', () => {
  test('that is a helmfile of another name, whose releases have names that are filled in', async () => {
    const base = { 'releases/gate.yaml': gatekeepers('{hosts: [a.example.com]}') }
    expect(await accounts(base, { 'releases/gate.yaml': gatekeepers('{hosts: [b.example.com]}') })).toEqual([
      'releases/gate.yaml not-judged release-not-rendered: it is a template, which only helmfile fills in: its releases are not judged',
    ])
  })

  test('that a helmfile of another name gives to other helmfiles', async () => {
    const base = { 'clusters/east.yaml': namesOfCluster('../config/east.yaml'), 'config/east.yaml': 'host: a\n' }
    expect(
      await accounts(base, {
        'clusters/east.yaml': `${namesOfCluster('../config/east.yaml')}  - path: ../helmfile.d/api.yaml\n`,
        'config/east.yaml': 'host: b\n',
      }),
    ).toEqual([
      'clusters/east.yaml input: the objects that it deploys are judged',
      'config/east.yaml not-judged release-not-rendered: clusters/east.yaml passes it to another helmfile for templates that only helmfile fills in',
    ])
  })

  test('that another tool takes from the folder of a Kustomization which does not name it', async () => {
    const base = {
      '.kluctl.yaml': 'targets: [{name: prod}]\n',
      'web/kustomization.yaml': 'resources: [namespace.yaml]\n',
      'web/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
      'web/helm-values.yaml': 'ingress: {hosts: [a.example.com]}\n',
    }
    const reason = 'Kluctl uses it, and the objects depend on the arguments of each target'
    expect(await accounts(base, { 'web/helm-values.yaml': 'ingress: {hosts: [b.example.com]}\n' })).toEqual([
      `web/helm-values.yaml not-judged other-tool: ${reason}`,
    ])
  })
})

describe('values in the folder of a chart that no known release uses', () => {
  const web = {
    'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'web/values.yaml': 'host: none\n',
    'web/values-prod.yaml': 'host: a\n',
    'web/templates/map.yaml': configMap('web', '{{ .Values.host }}'),
  }
  const application = (values: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: web}
  source:
    repoURL: https://github.com/acme/platform.git
    path: web
    helm: {valueFiles: ["${values}"]}
`
  const apps = (version: string, values: string) => ({
    'apps/Chart.yaml': `apiVersion: v2\nname: apps\nversion: ${version}\n`,
    'apps/values.yaml': 'environment: ""\n',
    'apps/templates/web.yaml': application(values),
  })

  test.each([
    [
      'are not judged where a release names others that are not there',
      apps('1.0.0', 'values-{{ .Values.environment }}.yaml'),
      'not-judged values-elsewhere: release web/web of web with web/values-.yaml names web/values-.yaml, which is not in this repository, so another release of its chart may use this file in its place',
    ],
    [
      'are not deployed where its release is known',
      apps('1.0.0', 'values.yaml'),
      'not-deployed not-taken: it is a file of the Helm chart web, and no known release or Kustomization uses it',
    ],
    [
      'are not judged where what may deploy its chart does not render',
      { ...apps('none', 'values.yaml'), 'argocd/web.yaml': application('values.yaml') },
      'not-judged no-release: release default/apps of apps names its chart and cannot be rendered, so the releases of the chart are not known',
    ],
    [
      'are not deployed where a chart that does not render has no word of theirs, and a picture in its README',
      {
        ...apps('none', 'values.yaml'),
        'apps/templates/web.yaml': application('values.yaml').replaceAll('web', 'other'),
        'apps/README.md': '![version](https://img.shields.io/badge/version-%20none.svg)\n',
        'argocd/web.yaml': application('values.yaml'),
      },
      'not-deployed not-taken: it is a file of the Helm chart web, and no known release or Kustomization uses it',
    ],
  ])('%s', async (_, files, expected) => {
    const base = { ...web, ...files }
    expect(await accounts(base, { 'web/values-prod.yaml': 'host: b\n' })).toEqual([`web/values-prod.yaml ${expected}`])
  })
})
