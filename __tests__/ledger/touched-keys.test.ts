import { expect, test } from '@jest/globals'
import { touchedIn } from '../../src/ledger/touched-keys'

const release = (tag: string, host: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec:
  values:
    image:
      tag: ${tag}
    env:
      DB_HOST: ${tag}
    ingress:
      main:
        hosts:
          - name: ${host}
`

const lines = (...text: string[]) => `${text.join('\n')}\n`

test.each<[what: string, before: string | undefined, after: string | undefined, expected: object]>([
  ['a tag', release('1', 'a'), release('2', 'a'), { side: 'head', line: 7, weighs: false }],
  ['a host below ingress', release('1', 'a'), release('1', 'b'), { side: 'head', line: 13, weighs: true }],
  ['both: the host is the place', release('1', 'a'), release('2', 'b'), { side: 'head', line: 13, weighs: true }],
  ['a new file', undefined, release('1', 'a'), { side: 'head', line: 10, weighs: true }],
  ['a file that is gone', release('1', 'a'), undefined, { side: 'base', line: 10, weighs: true }],
  [
    'lines that are cut',
    lines('a: 1', 'tls:', '  - b', 'c: 1'),
    lines('a: 1', 'c: 1'),
    { side: 'head', line: 1, weighs: true },
  ],
  [
    'a line that is cut',
    lines('a: 1', 'b: 1', 'c: 1'),
    lines('a: 1', 'c: 1'),
    { side: 'head', line: 1, weighs: false },
  ],
  ['a comment', lines('ingress: {}'), lines('# tls', 'ingress: {}'), { side: 'head', line: 1, weighs: false }],
  ['a flow map', lines('a: {b: 1}'), lines('a: {tlsSecret: 1}'), { side: 'head', line: 1, weighs: true }],
  [
    'a key of the node',
    lines('hostNetwork: true'),
    lines('hostNetwork: false'),
    { side: 'head', line: 1, weighs: false },
  ],
  [
    'a field of a kind of routes',
    lines('kind: ConfigMap', 'a: 1', '---', 'kind: HTTPRoute', 'b: 1'),
    lines('kind: ConfigMap', 'a: 1', '---', 'kind: HTTPRoute', 'b: 2'),
    { side: 'head', line: 5, weighs: true },
  ],
  [
    'a field of another kind in the same file',
    lines('kind: ConfigMap', 'a: 1', '---', 'kind: HTTPRoute', 'b: 1'),
    lines('kind: ConfigMap', 'a: 2', '---', 'kind: HTTPRoute', 'b: 1'),
    { side: 'head', line: 2, weighs: false },
  ],
  [
    'a dash on a line of its own',
    lines('hosts:', '-', '  name: a', '- ', '-'),
    lines('hosts:', '-', '  name: b', '- ', '-'),
    { side: 'head', line: 3, weighs: true },
  ],
  [
    'a key behind one of ingress',
    lines('ingress:', '  a: 1', 'b: 1'),
    lines('ingress:', '  a: 1', 'b: 2'),
    { side: 'head', line: 3, weighs: false },
  ],
])('%s', (_, before, after, expected) => {
  expect(touchedIn(before, after)).toEqual(expected)
})

const routed = (host: string, port: string) =>
  lines(
    'route:',
    '  app:',
    `    hostnames: [${host}]`,
    '    rules:',
    '      - backendRefs:',
    `          - hostname: ${port}`,
  )

test.each<[what: string, after: string, assumed: readonly string[], weighs: boolean]>([
  ['a hostname of a route that is judged', routed('b', '1'), ['HTTPRoute'], false],
  ['the same where only an Ingress is judged', routed('b', '1'), ['Ingress'], true],
  ['a rule of a route, which no rule judges', routed('a', '2'), ['HTTPRoute'], true],
])('%s', (_, after, assumed, weighs) => {
  expect(touchedIn(routed('a', '1'), after, assumed)).toMatchObject({ weighs })
})

test.each([
  ['a host of an Ingress that is judged', ['Ingress'], false],
  ['the same where only a route is judged', ['HTTPRoute'], true],
])('%s', (_, assumed, weighs) => {
  expect(
    touchedIn(release('1', 'a').replace('name:', 'host:'), release('1', 'b').replace('name:', 'host:'), assumed),
  ).toMatchObject({ weighs })
})

const sealed = (text: string) => `ENC[AES256_GCM,data:${text},iv:a,tag:b,type:str]`

test.each<[what: string, line: (value: string) => string, weighs: boolean]>([
  ['the secret of a webhook', (value) => lines('argo-webhook-secret:', `  secret: ${value}`), false],
  ['a password below hosts', (value) => lines('hosts:', `  - db_password: ${value}`), false],
  ['a host', (value) => lines('ingress:', `  host: ${value}`), true],
  ['the name of a Secret of TLS', (value) => lines('tls:', `  secret: ${value}`), true],
  ['what rejects objects', (value) => lines('webhook:', `  failurePolicy: ${value}`), true],
  ['a host before a password in a flow map', (value) => lines(`a: {host: ${value}, password: ${value}}`), true],
])('a value that SOPS encrypts: %s', (_, line, weighs) => {
  expect(touchedIn(line(sealed('a')), line(sealed('b')))).toMatchObject({ weighs })
})

test('the secret of a webhook weighs where it is not encrypted', () => {
  expect(touchedIn('webhook: {}\n', lines('webhook:', '  secret: a'))).toMatchObject({ weighs: true })
})

const play = (...text: string[]) => lines('- name: web', '  hosts: all', '  tasks:', ...text)

test.each<[what: string, before: string, after: string, weighs: boolean]>([
  ['the servers of a play', play(), play().replace('all', 'web'), false],
  ['its roles', lines('- hosts: all', '  roles: [a]'), lines('- hosts: all', '  roles:', '    - role: b'), false],
  ['a role of a task', '- name: a\n', lines('- name: a', '  include_role: {name: b}'), false],
  [
    'the machine that a module connects to',
    '- name: a\n',
    lines('- name: a', '  community.general.hpilo_boot:', '    host: b'),
    false,
  ],
  [
    'the cluster that a module connects to',
    '- name: a\n',
    lines('- name: a', '  community.okd.k8s:', '    host: b'),
    true,
  ],
  [
    'a variable of a role',
    lines('- hosts: all', '  roles:', '    - role: a'),
    lines('- hosts: all', '  roles:', '    - role: a', '      ingress_host: b'),
    true,
  ],
  [
    'an object that a task applies',
    play(),
    play(
      '    - kubernetes.core.k8s:',
      '        definition: {kind: Ingress, metadata: {name: a}, spec: {rules: [{host: b}]}}',
    ),
    true,
  ],
  ['hosts of a list that is no playbook', '- hosts: [a]\n', '- hosts: [b]\n', true],
  ['hosts of a file of variables', 'hosts: [a]\ntasks: 1\n', 'hosts: [b]\ntasks: 1\n', true],
])('in a file of Ansible: %s', (_, before, after, weighs) => {
  expect(touchedIn(before, after, [], 'Ansible')).toMatchObject({ weighs })
})

test('the keys of a play weigh in a file of another tool', () => {
  expect(touchedIn(play(), play().replace('all', 'web'))).toMatchObject({ weighs: true })
})
