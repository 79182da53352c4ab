import { expect, test } from '@jest/globals'
import { changeOnline, helmRelease, introduced, serveCharts } from './charts'

const service = (name: string, port: number) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{name: http, port: ${port}}]}\n`
const charts = serveCharts({
  web: { '1.0.0': { 'templates/service.yaml': service('{{ .Release.Name }}-server', 80) } },
})
const ingress = (name: string, port: number) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop, namespace: shop}
spec:
  rules:
    - host: shop.example.com
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: ${name}
                port:
                  number: ${port}
`
const base = (namespace = 'shop') => ({
  ...charts.used(),
  'web.yaml': helmRelease('web', { namespace, chart: 'web', version: '1.0.0' }),
})
const resolves = async (name: string, port: number, namespace?: string) =>
  introduced(await changeOnline(base(namespace), { 'ingress.yaml': ingress(name, port) })).filter((one) =>
    one.endsWith('backend-resolves'),
  )

test('the Services of a release that the change leaves as it is are seen where a route names one', async () => {
  expect(await resolves('web-server', 8080)).toEqual(['warning head/ingress.yaml:15 controller-scope/backend-resolves'])
  expect(await resolves('web-server', 80)).toEqual([])
})

test('a release that is rendered makes no other Service than those of its chart', async () => {
  expect(await resolves('web-servers', 80)).toEqual(['warning head/ingress.yaml:13 controller-scope/backend-resolves'])
})

test('a chart is not asked for where a route names another Service, or the release is in another namespace', async () => {
  charts.asked.length = 0
  expect(await resolves('shop', 80)).toEqual([])
  expect(await resolves('web-server', 80, 'front')).toEqual([])
  expect(charts.asked).toEqual([])
})
