import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { stream } from './objects'
import { judgeChange } from './rendered'
import type { Files } from './repository'

/** The Service of the file that changes, and Pods that it selects. */
function service(app: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: edge\n  namespace: edge\nspec:\n  type: LoadBalancer\n  selector: {app: ${app}}\n  ports: [{name: https, port: 443}]\n`
}

function deployment(image: string, args: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: edge\n  namespace: edge\nspec:\n  selector: {matchLabels: {app: edge}}\n  template:\n    metadata: {labels: {app: edge}}\n    spec:\n      containers: [{name: controller, image: ${image}, args: [${args}]}]\n`
}

const controller = deployment('registry.k8s.io/ingress-nginx/controller:v1.11.2', '/nginx-ingress-controller')
const server = deployment('registry.example.com/web:1.0.0', '--port=443')
const other = service('edge').replace('name: edge', 'name: other')
const spare = service('edge').replace('name: edge', 'name: spare')

/** The controller publishes no address, which matters as long as the Service brings its traffic. */
const takenBack = 'resolved error base/service.yaml:7 controller-scope/status-source'

/** The Service of the change selects other Pods; it is compared with what Kustomizations hold. */
async function reselected(app: Files) {
  const files = { 'service.yaml': service('edge'), ...app }
  const report = await judgeChange(files, { 'service.yaml': service('web') }, 'helm', ['controller-scope@1.5.0'])
  return { rendered: report.inspected.head.rendered, lines: lines(report) }
}

function kustomization(folder: string, text: string): Files {
  return { [`${folder}/kustomization.yaml`]: 'resources: [all.yaml]\n', [`${folder}/all.yaml`]: text }
}

describe('a Kustomization with Pods of the same labels', () => {
  test('is not rendered where no controller can be among them', async () => {
    expect(await reselected(kustomization('app', stream(server, other)))).toEqual({ rendered: 0, lines: [] })
  })

  test('is rendered where a controller may be, and judged with it', async () => {
    expect(await reselected(kustomization('app', controller))).toEqual({
      rendered: 1,
      lines: [takenBack, 'introduced error head/service.yaml:8 controller-scope/service-reaches'],
    })
  })

  test('is rendered with the others that a controller leads to', async () => {
    const app = { ...kustomization('app', controller), ...kustomization('spare', spare) }
    expect(await reselected(app)).toEqual({ rendered: 2, lines: [takenBack] })
  })

  test('is rendered beside a controller in a file that the change does not touch', async () => {
    const app = { 'controller.yaml': controller, ...kustomization('spare', spare) }
    expect(await reselected(app)).toEqual({ rendered: 1, lines: [takenBack] })
  })

  test('is rendered beside a controller that stays as it is in a file that the change touches', async () => {
    const files = (app: string) => ({ 'edge.yaml': stream(controller, service(app)) })
    const base = { ...files('edge'), ...kustomization('spare', spare) }
    const report = await judgeChange(base, files('web'), 'helm', ['controller-scope@1.5.0'])
    expect(report.inspected.head.rendered).toBe(1)
    expect(lines(report)).toEqual(['resolved error base/edge.yaml:19 controller-scope/status-source'])
  })

  test('is rendered where a transformer may make it a controller', async () => {
    const images =
      'images: [{name: registry.example.com/web, newName: registry.k8s.io/ingress-nginx/controller, newTag: v1.11.2}]\n'
    const app = kustomization('app', server)
    const file = 'app/kustomization.yaml'
    expect((await reselected({ ...app, [file]: `${app[file]}${images}` })).rendered).toBe(1)
  })
})

test('a Kustomization is not rendered for a rule on changes of kinds that the change does not touch', async () => {
  const namespace = (label: string) =>
    `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: edge\n  labels: {team: ${label}}\n`
  const gateway =
    'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: edge, namespace: edge}\nspec: {gatewayClassName: edge}\n'
  const files = { 'namespace.yaml': namespace('one'), ...kustomization('app', gateway) }
  const report = await judgeChange(files, { 'namespace.yaml': namespace('two') }, 'helm', ['controller-scope@1.5.0'])
  expect(report.inspected.head.rendered).toBe(0)
})

describe('a Kustomization, for a rule on changes of Gateways and their classes,', () => {
  const api = 'apiVersion: gateway.networking.k8s.io/v1'
  const route = (name: string, host: string) =>
    `${api}\nkind: HTTPRoute\nmetadata: {name: ${name}, namespace: edge}\nspec:\n  parentRefs: [{name: inner}]\n  hostnames: [${host}]\n`
  const gateway = (name: string, port: number) =>
    `${api}\nkind: Gateway\nmetadata: {name: ${name}, namespace: edge}\nspec:\n  gatewayClassName: edge\n  listeners: [{name: web, port: ${port}, protocol: HTTP}]\n`
  const app = kustomization('app', route('shop', 'shop.example.com'))
  const renderedFor = async (base: Files, head: Files) => {
    const report = await judgeChange({ ...base, ...app }, head, 'helm', ['controller-scope@1.5.0'])
    return report.inspected.head.rendered
  }

  test('is not rendered where only a touched object that the rule does not judge leads to it', async () => {
    const files = (port: number, host: string) => ({
      'outer.yaml': gateway('outer', port),
      'route.yaml': route('web', host),
    })
    expect(await renderedFor(files(80, 'old.example.com'), files(8080, 'new.example.com'))).toBe(0)
  })

  test('is rendered where an object that the rule judges leads to it by way of a touched one', async () => {
    const gatewayClass = `${api}\nkind: GatewayClass\nmetadata: {name: edge}\nspec: {controllerName: example.com/edge}\n`
    const base = { 'class.yaml': gatewayClass, 'inner.yaml': gateway('inner', 80) }
    const head = { 'class.yaml': '# Moved.\n', 'inner.yaml': gateway('inner', 8080) }
    expect(await renderedFor(base, head)).toBe(1)
  })
})
