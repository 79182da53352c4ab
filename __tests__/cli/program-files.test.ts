import { describe, expect, test } from '@jest/globals'
import { binding, configMap, ingress, role, stream } from '../source/objects'
import { TestRepository } from '../source/repository'
import { folder } from './changes'
import { checkJson, lines } from './guard'

describe('files that are no manifests raise nothing', () => {
  test.each<[string, string, string]>([
    [
      'Helmfile',
      'helmfile.yaml',
      'releases:\n  - name: x\n    values:\n      - image: {{ .Values.image }}\n{{ if eq .Environment.Name "x" }}\n  - name: y\n{{ end }}\n',
    ],
    ['a Helmfile template', 'helmfile.yaml.gotmpl', 'releases: {{ x }}\n'],
    [
      'Ansible',
      'roles/x/tasks/main.yml',
      '- name: apply\n  kubernetes.core.k8s:\n    definition:\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: {name: "{{ name }}"}\n',
    ],
    ['an Ansible vault', 'group_vars/all.yml', '$ANSIBLE_VAULT;1.1;AES256\n6238\n'],
    ['Ansible tags', 'x.yml', 'a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n'],
    [
      'Jinja',
      'templates/x.yaml',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ name }}\ndata:\n{% for x in y %}\n  {{ x }}: z\n{% endfor %}\n',
    ],
    [
      'cookiecutter',
      '{{cookiecutter.slug}}/deploy.yaml',
      'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{cookiecutter.slug}}\n',
    ],
    ['docker-compose', 'docker-compose.yml', 'services:\n  web: {image: nginx, ports: ["80:80"]}\n'],
    ['GitHub CI', '.github/workflows/ci.yml', 'on: push\njobs:\n  x:\n    runs-on: $' + '{{ matrix.os }}\n'],
    ['GitLab CI', '.gitlab-ci.yml', 'x: &x\n  script: !reference [.setup, script]\n.setup: {script: [a]}\n'],
    ['values', 'chart/values.yaml', 'kind: Deployment\nimage: {tag: latest}\n'],
    [
      'a chart',
      'chart/templates/x.yaml',
      '{{- if .Values.x }}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "x" . }}\n{{- end }}\n',
    ],
    [
      'a Kustomization',
      'kustomization.yaml',
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [a.yaml]\n',
    ],
    ['a patch without a name', 'patch.yaml', '- op: replace\n  path: /spec/x\n  value: 1\n'],
    ['package.json', 'package.json', '{"name": "x", "version": "1.0.0"}'],
    ['tsconfig.json with comments', 'tsconfig.json', '{\n  // why\n  "compilerOptions": {},\n}\n'],
    ['an empty file', 'a.yaml', ''],
    ['a binary', 'a.yaml', '\u0000\u0001\u0002PK\u0003'],
    [
      'an OpenAPI document',
      'openapi.yaml',
      'openapi: 3.0.0\npaths:\n  /x: {get: {responses: {200: {description: ok}}}}\n',
    ],
    ['CloudFormation', 'stack.yaml', 'Resources:\n  X: {Type: !Sub "$A", Y: !GetAtt A.B}\n'],
    ['a kind cluster', 'kind.yaml', 'kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n'],
    ['a kubeconfig', 'config.yaml', 'apiVersion: v1\nkind: Config\nclusters: []\n'],
  ])('%s', async (_, file, text) => {
    const report = await checkJson('--all', '--head', folder({ [file]: text }))
    expect(lines(report)).toEqual([])
    expect(report.status).toBe(0)
  })

  test('a binary with apiVersion and kind in it is said to be no text', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 1, 2, 255]), Buffer.from('\napiVersion: v1\nkind: x\n')])
    const report = await checkJson('--all', '--head', folder({ 'a.yaml': bytes }))
    expect(lines(report)).toEqual(['existing error head/a.yaml:1 source/unreadable'])
  })
})

describe('a change in Git', () => {
  const name = 'system:kube-controller-manager'
  const ten = Array.from({ length: 8 }, (_, index) => configMap(`c${index}`))
  const pair = [role(name), binding(name)]
  const hosts = (...routed: string[]) => ingress('web', ['a.example.com'], routed)
  const old = (text: string) => text.replace('networking.k8s.io/v1', 'extensions/v1beta1')
  const kept = 'protected-rbac/object-kept'
  const uncovered = 'ingress-tls/host-covered'

  test.each<
    [string, Record<string, string>, Record<string, string | null>, string[], number, [number, number, number]]
  >([
    [
      'a deleted file with a role and its binding',
      { 'r.yaml': stream(...pair) },
      { 'r.yaml': null },
      [`introduced error base/r.yaml:1 ${kept}`, `introduced error base/r.yaml:6 ${kept}`],
      1,
      [0, 0, 2],
    ],
    [
      'the two cut out of ten documents',
      { 'r.yaml': stream(...ten.slice(0, 4), ...pair, ...ten.slice(4)) },
      { 'r.yaml': stream(...ten) },
      [`introduced error base/r.yaml:29 ${kept}`, `introduced error base/r.yaml:34 ${kept}`],
      1,
      [0, 0, 2],
    ],
    [
      'the same file renamed',
      { 'r.yaml': stream(...pair) },
      { 'r.yaml': null, 'x/other.yml': stream(...pair) },
      [],
      0,
      [0, 0, 0],
    ],
    [
      'one host missing from tls',
      { 'w.yaml': hosts('a.example.com') },
      { 'w.yaml': hosts('a.example.com', 'b.example.com') },
      [`introduced error head/w.yaml:12 ${uncovered}`],
      1,
      [0, 1, 0],
    ],
    [
      'a rule inserted above an old hole',
      { 'w.yaml': hosts('old.example.com') },
      { 'w.yaml': hosts('a.example.com', 'old.example.com') },
      [`existing error head/w.yaml:12 ${uncovered}`],
      0,
      [0, 1, 0],
    ],
    [
      'one uncovered host for another',
      { 'w.yaml': hosts('old.example.com') },
      { 'w.yaml': hosts('new.example.com') },
      [`resolved error base/w.yaml:11 ${uncovered}`, `introduced error head/w.yaml:11 ${uncovered}`],
      1,
      [0, 1, 0],
    ],
    [
      'extensions/v1beta1 to networking.k8s.io/v1',
      { 'w.yaml': old(hosts('a.example.com')) },
      { 'w.yaml': hosts('a.example.com') },
      ['resolved warning base/w.yaml:1 version-matrix/api-served'],
      0,
      [0, 1, 0],
    ],
    [
      'an old hole that moves to another file',
      { 'w.yaml': hosts('old.example.com') },
      { 'w.yaml': null, 'v.yaml': hosts('old.example.com') },
      [],
      0,
      [0, 0, 0],
    ],
    [
      'a role removed from a file with an old broken document',
      { 'r.yaml': stream(role(name), `${configMap('x')}\tbroken: x\n`) },
      { 'r.yaml': `${configMap('x')}\tbroken: x\n` },
      [`introduced error base/r.yaml:1 ${kept}`, 'existing error head/r.yaml:7 source/unreadable'],
      1,
      [0, 0, 1],
    ],
    [
      'a role removed from a file whose other document breaks',
      { 'r.yaml': stream(role(name), configMap('x')) },
      { 'r.yaml': `${configMap('x')}\tbroken: x\n` },
      ['introduced error head/r.yaml:7 source/unreadable'],
      1,
      [0, 0, 0],
    ],
    [
      'a role moved into a file that was a template all along',
      { 'r.yaml': role(name), 't.yaml': 'a: {{ x }}\n' },
      { 'r.yaml': null, 't.yaml': `a: {{ x }}\n---\n${role(name)}` },
      [],
      0,
      [0, 0, 0],
    ],
    [
      'a file that becomes a template',
      { 'r.yaml': role(name) },
      { 'r.yaml': role('{{ .name }}') },
      ['introduced error head/r.yaml:1 source/unreadable'],
      1,
      [0, 0, 0],
    ],
    [
      'a role hidden behind an alias',
      { 'r.yaml': role(name) },
      { 'r.yaml': role(name).replace('metadata:\n', 'x: &m\n').concat('metadata: *m\n') },
      ['introduced error head/r.yaml:3 ingress-tls/objects-accepted'],
      1,
      [0, 1, 0],
    ],
    [
      'a hole hidden behind an alias',
      { 'a.yaml': configMap('a') },
      { 'w.yaml': hosts('b.example.com').replace('metadata:', 'x: &m').concat('metadata: *m\n') },
      [`introduced error head/w.yaml:11 ${uncovered}`],
      1,
      [1, 0, 0],
    ],
    [
      'a role emptied of its name',
      { 'r.yaml': role(name) },
      { 'r.yaml': role('') },
      [`introduced error base/r.yaml:1 ${kept}`],
      1,
      [0, 0, 1],
    ],
    [
      'a file moved into an ignored folder',
      { 'r.yaml': role(name) },
      { 'r.yaml': null, 'vendor/r.yaml': role(name) },
      [`introduced error base/r.yaml:1 ${kept}`],
      1,
      [0, 0, 1],
    ],
    [
      'a file whose name ends otherwise',
      { 'r.yaml': role(name) },
      { 'r.yaml': null, 'r.yaml.disabled': role(name) },
      [`introduced error base/r.yaml:1 ${kept}`],
      1,
      [0, 0, 1],
    ],
    [
      'a folder that becomes a chart’s templates',
      { 'x/templates/r.yaml': role(name) },
      { 'x/Chart.yaml': 'name: x\nversion: 1.0.0\n' },
      [],
      0,
      [0, 0, 0],
    ],
    [
      'a folder that becomes the templates of a chart that does not render',
      { 'x/templates/r.yaml': role(name) },
      { 'x/Chart.yaml': 'apiVersion: v2\nname: x\nversion: one\n' },
      ['introduced error head/x/templates/r.yaml:1 source/unreadable'],
      1,
      [0, 0, 0],
    ],
  ])('%s', async (_, base, head, expected, status, [added, changed, removed]) => {
    const repo = new TestRepository()
    repo.commit(base)
    repo.commit(head)
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    expect(lines(report)).toEqual(expected)
    expect(report.status).toBe(status)
    expect(report.inspected.changes).toEqual({ added, changed, removed })
  })
})
