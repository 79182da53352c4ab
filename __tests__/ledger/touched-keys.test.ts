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
