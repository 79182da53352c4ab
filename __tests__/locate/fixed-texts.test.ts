import { describe, expect, test } from '@jest/globals'
import { judgeWithFixes, type Texts } from '../harness'
import { ingress } from '../source/objects'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])

async function fixed(rule: string, base: Texts, head: Texts): Promise<Texts> {
  const { report, fixed: after } = await judgeWithFixes({ base, head }, rule)
  expect(report.findings.length).toBeGreaterThan(0)
  return after
}

const release = (version: string) =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: one, namespace: kube-system}\nspec:\n  chart:\n    spec:\n      chart: cilium # of the nodes\n      version: "${version}" # by hand\n      sourceRef: {kind: HelmRepository, name: cilium}\n`

const service = (type: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: public, namespace: edge}\nspec:\n  # where clients come in\n  type: ${type}\n  selector: {app: public}\n  ports: [{port: 443}]\n`
const controller =
  'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: public, namespace: edge}\nspec:\n  template:\n    metadata: {labels: {app: public}}\n    spec:\n      containers:\n        - name: controller\n          image: registry.k8s.io/ingress-nginx/controller:v1.12.2\n          args: [/nginx-ingress-controller]\n          ports: [{containerPort: 443}]\n'

describe('a fix writes', () => {
  test('the version of a chart, in its quotes', async () => {
    const after = await fixed(
      'version-matrix/known-defect',
      { 'r.yaml': release('1.13.8') },
      { 'r.yaml': release('1.14.7') },
    )
    expect(after['r.yaml']).toBe(release('1.14.8'))
  })

  test('a line that changed as it was, and no other one', async () => {
    const rest = { 'controller.yaml': controller }
    const after = await fixed(
      'controller-scope/service-reaches',
      { ...rest, 'svc.yaml': service('LoadBalancer') },
      { ...rest, 'svc.yaml': service('ClusterIP # inside').replace('port: 443', 'port: 443, name: https') },
    )
    expect(after['svc.yaml']).toBe(service('LoadBalancer').replace('port: 443', 'port: 443, name: https'))
  })

  test('the type of a Secret that was there as it was, and none that the API server refuses', async () => {
    const secret = (type: string, key: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: web-tls, namespace: shop}\ntype: ${type}\nstringData: {tls.crt: a, tls.key: ${key}}\n`
    const web = { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) }
    const wrong = secret('kubernetes.io/basic-auth', 'b')
    const right = secret('kubernetes.io/tls', 'b')
    const fixedFrom = async (base: Texts) =>
      (await fixed('ingress-tls/secret-type', base, { ...web, 'secret.yaml': wrong }))['secret.yaml']
    expect(await fixedFrom(web)).toBe(right)
    expect(await fixedFrom({ ...web, 'secret.yaml': right })).toBe(right)
    expect(await fixedFrom({ 'secret.yaml': secret('kubernetes.io/basic-auth', 'a') })).toBe(wrong)
  })

  test.each<[string, string, string]>([
    ['a list in lines', '      hosts:\n        - "a.example.com" # first\n', '        - "b.example.com"\n'],
    ['a list in lines, not indented', "      hosts:\n      - 'a.example.com'\n", "      - 'b.example.com'\n"],
  ])('an item of %s, as its siblings are written', async (_, list, item) => {
    const head = holed.replace('      hosts: [a.example.com]\n', list)
    const after = await fixed('ingress-tls/host-covered', { 'web.yaml': sound }, { 'web.yaml': head })
    expect(after['web.yaml']).toBe(head.replace(list, list + item))
  })

  test.each<[string, string, string]>([
    [
      'an object in flow style',
      '      hosts: [\n        a.example.com,\n      ]\n',
      '        a.example.com, b.example.com,\n',
    ],
    ['no space', '      hosts: ["a.example.com"]\n', '      hosts: ["a.example.com", "b.example.com"]\n'],
  ])('into a list of %s', async (_, list, line) => {
    const head = holed.replace('      hosts: [a.example.com]\n', list)
    const after = await fixed('ingress-tls/host-covered', { 'web.yaml': sound }, { 'web.yaml': head })
    const was = line.replace(', b.example.com', '').replace(', "b.example.com"', '')
    expect(after['web.yaml']).toBe(head.replace(was, line))
  })

  test('the document of several that it is about', async () => {
    const [one, other] = [sound.replaceAll('web', 'one').replaceAll('a.ex', 'o.ex'), `# text: |\n#   hosts\n${holed}`]
    const head = `# first\n---\n${one}---\n${other}...\n---\n${sound.replaceAll('web', 'last').replaceAll('a.ex', 'l.ex')}`
    const after = await fixed('ingress-tls/host-covered', { 'web.yaml': sound }, { 'web.yaml': head })
    expect(after['web.yaml']).toBe(
      head.replace(other, other.replace('[a.example.com]', '[a.example.com, b.example.com]')),
    )
  })
})

describe('a fix writes nothing', () => {
  test.each<[string, string]>([
    [
      'where the list is an alias',
      holed
        .replace('metadata:', 'x-hosts: &h [a.example.com]\nmetadata:')
        .replace('hosts: [a.example.com]', 'hosts: *h'),
    ],
    [
      'where the entry has a merge key',
      holed
        .replace('metadata:', 'x-tls: &t {hosts: [a.example.com]}\nmetadata:')
        .replace('      hosts: [a.example.com]', '      <<: *t'),
    ],
  ])('%s', async (_, head) => {
    const after = await fixed('ingress-tls/host-covered', { 'web.yaml': sound }, { 'web.yaml': head })
    expect(after['web.yaml']).toBe(head)
  })
})
