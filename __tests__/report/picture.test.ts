import { describe, expect, test } from '@jest/globals'
import type { ControllerOwnership } from '../../src/kubernetes/controllers/controller-ownership'
import { markdownReport } from '../../src/report/markdown'
import { pictureOf } from '../../src/report/picture'
import { judge, type Texts } from '../harness'
import { treeOf, valuesOf } from './markdown-tree'

function controller(namespace: string, args: readonly string[] = [], name = 'ingress-nginx-controller'): string {
  return [
    'apiVersion: apps/v1',
    'kind: Deployment',
    `metadata: {name: ${name}, namespace: ${namespace}}`,
    'spec:',
    '  template:',
    '    spec:',
    '      containers:',
    '        - name: controller',
    '          image: registry.k8s.io/ingress-nginx/controller:v1.15.1',
    `          args: [/nginx-ingress-controller, --election-id=${namespace}, --publish-service=${namespace}/x${args.map((arg) => `, ${arg}`).join('')}]`,
    '',
  ].join('\n')
}

function ingress(namespace: string, name: string, className: string | undefined, labels = ''): string {
  const spec = className === undefined ? '' : `  ingressClassName: ${className}\n`
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${JSON.stringify(name)}, namespace: ${namespace}${labels}}\nspec:\n${spec}  defaultBackend: {service: {name: web, port: {number: 80}}}\n`
}

function ingressClass(name: string, of = 'k8s.io/ingress-nginx', annotations = ''): string {
  return `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: ${name}${annotations}}\nspec: {controller: ${of}}\n`
}

/** The ownership before and after: `name > what`, a line each. */
async function claims(base: Texts, head: Texts): Promise<[string[], string[]][]> {
  const lines = (controllers: readonly ControllerOwnership[]) =>
    controllers.flatMap(({ name, namespaces, shared, ingresses }) =>
      [...namespaces, ...shared, ...ingresses].map((what) => `${name.replace(/.* (.*)\/.*/, '$1')} > ${what}`),
    )
  const report = await judge({ base, head })
  return report.claims.map(({ before, after }) => [lines(before), lines(after)])
}

/** Ingresses that this change touches are read, with any class. */
function touched(...ingresses: readonly (readonly [string, string, string | undefined])[]): {
  base: Texts
  head: Texts
} {
  const files = (labels: string) =>
    Object.fromEntries(ingresses.map(([ns, name, of]) => [`${ns}-${name}.yaml`, ingress(ns, name, of, labels)]))
  return { base: files(''), head: files(', labels: {a: b}') }
}

describe('the picture of claims', () => {
  test('shows a controller that changes, with the Ingresses it takes over', async () => {
    const users = touched(['one', 'web', 'nginx'], ['two', 'api', 'nginx'], ['two', 'other', 'traefik'])
    const still = controller('two', ['--watch-namespace=two'])
    expect(
      await claims(
        { 'a.yaml': controller('one', ['--watch-namespace=one']), 'b.yaml': still, ...users.base },
        { 'a.yaml': controller('one'), 'b.yaml': still, ...users.head },
      ),
    ).toEqual([
      [
        ['one > namespace one', 'one > Ingress one/web', 'two > namespace two', 'two > Ingress two/api'],
        [
          'one > every namespace',
          'one > namespace two',
          'one > Ingress one/web',
          'one > Ingress two/api',
          'two > namespace two',
          'two > Ingress two/api',
        ],
      ],
    ])
  })

  test('shows a class that changes its controller', async () => {
    const users = touched(['one', 'web', 'public'])
    const base = { 'a.yaml': controller('one'), 'c.yaml': ingressClass('public'), ...users.base }
    const head = { 'a.yaml': controller('one'), 'c.yaml': ingressClass('public', 'example.com/other'), ...users.head }
    expect(await claims(base, head)).toEqual([
      [['one > every namespace', 'one > Ingress one/web'], ['one > every namespace']],
    ])
  })

  test('follows the default class, the annotation, and what is taken without a class', async () => {
    const annotations = ', annotations: {ingressclass.kubernetes.io/is-default-class: "true"}'
    const users = touched(['one', 'plain', undefined])
    const base = { 'a.yaml': controller('one'), ...users.base }
    const head = { 'a.yaml': controller('one'), 'c.yaml': ingressClass('nginx', undefined, annotations), ...users.head }
    expect(await claims(base, head)).toEqual([
      [['one > every namespace'], ['one > every namespace', 'one > Ingress one/plain']],
    ])
    expect(
      await claims(
        { 'a.yaml': controller('one'), ...users.base },
        { 'a.yaml': controller('one', ['--watch-ingress-without-class']), ...users.head },
      ),
    ).toEqual([[['one > every namespace'], ['one > every namespace', 'one > Ingress one/plain']]])
  })

  test('counts Ingresses of files that the change leaves alone, in their cluster', async () => {
    const files = (args: readonly string[]) => ({
      'clusters/a/c.yaml': controller('one', args),
      'clusters/a/web.yaml': ingress('two', 'web', 'nginx'),
      'clusters/a/other.yaml': ingress('two', 'other', 'traefik'),
      'clusters/b/api.yaml': ingress('two', 'api', 'nginx'),
    })
    expect(await claims(files(['--watch-namespace=one']), files([]))).toEqual([
      [['one > namespace one'], ['one > every namespace', 'one > Ingress two/web']],
    ])
  })

  test('says no more of labelled namespaces than their labels', async () => {
    const users = touched(['one', 'web', 'nginx'])
    expect(
      await claims(
        { 'a.yaml': controller('one'), ...users.base },
        { 'a.yaml': controller('one', ['--watch-namespace-selector=team=a']), ...users.head },
      ),
    ).toEqual([[['one > every namespace', 'one > Ingress one/web'], ['one > namespaces labelled team=a']]])
  })

  test('is nothing where neither a controller nor a class changes', async () => {
    const users = touched(['one', 'web', 'nginx'])
    expect(
      await claims({ 'a.yaml': controller('one'), ...users.base }, { 'a.yaml': controller('one'), ...users.head }),
    ).toEqual([])
    const { claims: whole } = await judge({ head: { 'a.yaml': controller('one') } })
    expect(whole).toEqual([])
  })
})

const ownership = (
  name: string,
  ingresses: readonly string[],
  namespaces: readonly string[] = ['every namespace'],
) => ({
  name,
  product: 'ingress-nginx',
  classes: ['nginx'],
  namespaces,
  shared: [],
  ingresses,
})
const ingresses = (number: number, name = 'web') =>
  Array.from({ length: number }, (_, i) => `Ingress shop/${name}-${i}`)
const nodesOf = (picture = '') =>
  picture.match(/^ {4}\w+\(?\[".*"\]\)?$/gm)?.map((line) => line.replace(/.*\["(.*)"\].*/, '$1'))

describe('the picture', () => {
  test('is drawn before and after, with a line from each that claims a thing', () => {
    const before = [ownership('Deployment a/x', ['Ingress shop/web'])]
    const after = [...before, ownership('Deployment b/x', ['Ingress shop/web'], ['namespace b', 'namespace c'])]
    expect(pictureOf({ cluster: '', before, after })).toBe(
      [
        'flowchart TB',
        '  subgraph side0 ["before"]',
        '    direction LR',
        '    c0_0["Deployment a/x<br/>ingress-nginx<br/>class nginx"]',
        '    n0_0(["every namespace"])',
        '    i0_0(["Ingress shop/web"])',
        '    c0_0 -.-> n0_0',
        '    c0_0 --> i0_0',
        '  end',
        '  subgraph side1 ["after"]',
        '    direction LR',
        '    c1_0["Deployment a/x<br/>ingress-nginx<br/>class nginx"]',
        '    c1_1["Deployment b/x<br/>ingress-nginx<br/>class nginx"]',
        '    n1_0(["every namespace"])',
        '    n1_1(["namespace b"])',
        '    n1_2(["namespace c"])',
        '    i1_0(["Ingress shop/web"])',
        '    c1_0 -.-> n1_0',
        '    c1_1 -.-> n1_1',
        '    c1_1 -.-> n1_2',
        '    c1_0 --> i1_0',
        '    c1_1 --> i1_0',
        '  end',
        '  side0 ~~~ side1',
      ].join('\n'),
    )
  })

  test('is one where nothing of it changes, and says where there is no controller', () => {
    const same = [ownership('Deployment a/x', [])]
    expect(pictureOf({ cluster: '', before: same, after: same })?.match(/subgraph .*/g)).toEqual([
      'subgraph side0 ["before and after"]',
    ])
    expect(nodesOf(pictureOf({ cluster: '', before: [], after: same }))?.[0]).toBe('no controller')
  })

  test('has at most 40 nodes: then Ingresses are counted by who takes them, and many namespaces', () => {
    const names = (number: number) => Array.from({ length: number }, (_, index) => `namespace n${index}`)
    const both = ingresses(30, 'both')
    const after = [
      ownership('Deployment a/x', [...both, ...ingresses(10, 'a')]),
      ownership('Deployment b/x', both, names(12)),
    ]
    const nodes = nodesOf(pictureOf({ cluster: '', before: [], after }))
    expect(nodes?.slice(3)).toEqual(['every namespace', '12 namespaces', '30 Ingresses', '10 Ingresses'])
    const edge = [ownership('Deployment a/x', ingresses(38))]
    expect(nodesOf(pictureOf({ cluster: '', before: edge, after: edge }))).toHaveLength(40)
    const over = [ownership('Deployment a/x', ingresses(39))]
    expect(nodesOf(pictureOf({ cluster: '', before: over, after: over }))).toHaveLength(3)
  })

  test('gives way to numbers where controllers alone are too many', async () => {
    const after = Array.from({ length: 41 }, (_, index) => ownership(`Deployment n${index}/x`, ingresses(index)))
    expect(pictureOf({ cluster: '', before: [], after })).toBeUndefined()
    const report = await judge({ base: {}, head: { 'a.yaml': controller('one') } })
    const markdown = markdownReport({ ...report, claims: [{ cluster: 'prod', before: [], after }] })
    expect(markdown).toContain('Before 0 controllers with 0 Ingresses, after 41 controllers with 40 Ingresses.')
    expect(markdown).not.toContain('mermaid')
  })

  test('is below the table, as Mermaid', async () => {
    const base = { 'clusters/a/c.yaml': controller('one'), 'clusters/b/c.yaml': controller('one') }
    const head = {
      'clusters/a/c.yaml': controller('one', ['--watch-namespace=one']),
      'clusters/b/c.yaml': controller('one', ['--watch-namespace=two']),
    }
    const markdown = markdownReport(await judge({ base, head }))
    const pictures = treeOf(markdown).children.flatMap((node) =>
      node.type === 'code' && node.lang === 'mermaid' ? [node.value] : [],
    )
    expect(pictures).toHaveLength(2)
    expect(pictures[1]).toContain('namespace two')
    expect(markdown).toMatch(/^Cluster `clusters\/b`$/m)
  })

  test.each([
    '"] --> x["pwned',
    '"]; click c0_0 call alert(1)',
    '%%{init: {"securityLevel": "loose"}}%%',
    '</script><img src=x onerror=alert(1)>',
    '`**pwned**` #quot; #9829; fa:fa-ban',
    'style x:y#fff; classDef a fill:#f00; end',
    'subgraph\nend\n```\n# pwned',
    '\u202eevil\u200b \ud800 ü 漢',
    '$$\\href{javascript:alert(1)}{x}$$',
    'x'.repeat(100_000),
  ])('takes %j for text', (evil) => {
    const after = [ownership(`Deployment ${evil}/x`, [`Ingress ${evil}`], [`namespace ${evil}`])]
    const picture = pictureOf({ cluster: evil, before: [], after }) ?? ''
    for (const line of picture.split('\n')) {
      expect(line).toMatch(
        /^(?:flowchart TB| {2}(?:end|side0 ~~~ side1|subgraph side\d \["\w+"\])| {4}(?:direction LR|\w+ (?:-->|-\.->) \w+|\w+\(?\["(?:[\w ./,-]|#\d+;|<br\/>)*"\]\)?))$/,
      )
      expect(line.length).toBeLessThan(1000)
    }
    expect(picture.match(/<br\/>/g)).toHaveLength(2)
  })
})

test('nothing of it is in code that Markdown would end', async () => {
  const evil = '```\n~~~\n</details>'
  const report = await judge({ base: {}, head: { 'a.yaml': controller('one') } })
  const after = [ownership(evil, [evil], [evil])]
  const tree = treeOf(markdownReport({ ...report, claims: [{ cluster: evil, before: [], after }] }))
  expect(valuesOf(tree, 'html').filter((tag) => !/^<details><summary>|^<\/details>$/.test(tag))).toEqual([])
  expect(valuesOf(tree, 'code').filter((code) => code.startsWith('flowchart TB'))).toHaveLength(1)
})
