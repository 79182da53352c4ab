import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** The texts of the findings on files that are not judged, by their first file. */
async function texts(base: Files, head: Files): Promise<Record<string, string>> {
  const { findings } = await judgeChange(base, head)
  const own = findings.filter(({ rule }) => rule === 'source/not-judged')
  return Object.fromEntries(own.map(({ location, text }) => [location.path, text]))
}

const helmfile = `repositories: [{name: charts, url: https://charts.example.com}]
releases:
  - {name: web, namespace: web, chart: charts/web, values: [values.yaml.gotmpl], secrets: [secrets.yaml]}
`
const secret = (data: string) =>
  `ingress: {host: "ENC[AES256_GCM,data:${data},iv:d,tag:e,type:str]"}\nsops: {version: 3.8.1}\n`

test('values of a helmfile: a template of values is to be moved or rendered, encrypted ones to be moved', async () => {
  const found = await texts(
    { 'helmfile.yaml': helmfile, 'values.yaml.gotmpl': 'a: {{ .Values.a }}\n', 'secrets.yaml': secret('a') },
    { 'helmfile.yaml': helmfile, 'values.yaml.gotmpl': 'b: {{ .Values.a }}\n', 'secrets.yaml': secret('b') },
  )
  expect(found['values.yaml.gotmpl']).toMatch(
    /Its objects are not seen\. Move the values that decide routes, TLS or permissions to a plain values file that the release names after this template, or run `helmfile template --output-dir FOLDER` for both sides in a step of the workflow, and judge the output with `ingress-guard check --base FOLDER --head FOLDER`\.$/,
  )
  expect(found['secrets.yaml']).toMatch(
    /Its objects are not seen\. SOPS encrypts its values, and the gate has no key\. /,
  )
})

const set = (generator: string, project: string) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  generators: [${generator}]
  template:
    metadata: {name: "{{name}}"}
    spec:
      project: ${project}
      destination: {namespace: web, name: "{{name}}"}
      source: {path: "apps/{{metadata.labels.region}}", repoURL: "https://github.com/acme/platform.git"}
`

test.each([
  [
    'clusters: {flatList: true}',
    'Replace `clusters` by a generator `list` with one element for each cluster (with all fields that the template uses), or write the Applications themselves.',
  ],
  [
    'list: {elementsYaml: "{{ x }}"}',
    'Write the elements as a YAML list under `elements`; `elementsYaml` is read only where it is a list without `{{ }}`.',
  ],
  [
    'list: {elements: [{name: a}]}',
    'Give each element every field that the template uses, and use only functions that Argo CD has; or write the Applications themselves.',
  ],
  [
    'scmProvider: {github: {organization: acme}}',
    'Replace it by a generator `list` with the same elements, or write the Applications themselves.',
  ],
  ['matrix: {generators: [{clusters: {}}]}', 'Give it exactly two generators.'],
])('the remedy for a set with the generator {%s}', async (generator, remedy) => {
  const found = await texts({ 'set.yaml': set(`{${generator}}`, 'a') }, { 'set.yaml': set(`{${generator}}`, 'b') })
  expect(found['set.yaml']?.endsWith(` so their values, namespaces and clusters are unknown. ${remedy}`)).toBe(true)
})
