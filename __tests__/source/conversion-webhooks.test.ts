import { expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const definition = (service: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  names: {kind: Pool, plural: pools}
  scope: Namespaced
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig:
        service:
          name: ${service}
          namespace: pool-system
`

const chartWith = (service: string): Files => ({
  'pool/Chart.yaml': 'apiVersion: v2\nname: pool\nversion: 1.0.0\n',
  'pool/values.yaml': '{}\n',
  'pool/templates/service.yaml': `apiVersion: v1\nkind: Service\nmetadata: {name: ${service}}\nspec: {selector: {app: pool}, ports: [{port: 443}]}\n`,
})

const file = 'pool/templates/definition.yaml'

const judged = async (called: string, service = 'pool-webhook-service') => {
  const report = await judgeChange(chartWith(service), { [file]: definition(called) }, 'helm', [...newestVersions])
  return places(report).filter((one) => one.endsWith('webhook-safe'))
}

test('a chart without a known release may be installed where its conversion webhook is called', async () => {
  expect(await judged('pool-webhook-service')).toEqual([])
})

test('a chart without a known release may be installed by the name that its conversion webhook has', async () => {
  const fullname = '{{ .Release.Name }}{{ if not (contains "pool" .Release.Name) }}-pool{{ end }}'
  expect(await judged('pool-webhook-service', `'${fullname}-webhook-service'`)).toEqual([])
})

test('a conversion webhook that calls no Service of its chart is found at its line', async () => {
  expect(await judged('webhook-service')).toEqual([`warning head/${file}:16 template controller-scope/webhook-safe`])
})
