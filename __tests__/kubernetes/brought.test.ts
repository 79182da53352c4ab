import { expect, test } from '@jest/globals'
import { broughtBy } from '../../src/kubernetes/versions/brought'
import { manifestsIn } from '../manifest/manifests'
import { configMap, stream } from '../source/objects'

const role = (...rules: readonly string[]) =>
  `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules: [${rules.join(', ')}]
`
const pods = '{apiGroups: [""], resources: [pods], verbs: [get, list]}'
const secrets = '{apiGroups: [""], resources: [secrets], verbs: [get]}'
const webhook = (
  policy: string,
  resources = 'pods',
  version = 'v1',
) => `apiVersion: admissionregistration.k8s.io/${version}
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
  - name: check.example.com
    clientConfig: {service: {namespace: ops, name: guard}}
    ${policy}
    rules: [{apiGroups: [""], apiVersions: [v1], resources: [${resources}], operations: [CREATE]}]
`
const definition = (...versions: readonly string[]) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  names: {kind: Shop, plural: shops}
  versions: [${versions.join(', ')}]
`
const ingressClass = (controller: string, annotations = '{}') => `apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: edge, annotations: ${annotations}}
spec: {controller: ${controller}}
`
const service = (spec: string) => `apiVersion: v1
kind: Service
metadata: {name: web, namespace: ops}
spec: ${spec}
`
const deployment = (container: string, more = '') => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ops}
spec:
  template:
    spec:
      ${more}
      containers: [{name: web, ${container}}]
`
const byDefault = '{ingressclass.kubernetes.io/is-default-class: "true"}'

/** `role ClusterRole operator -old +new`, a line for each row. */
function rows(before: string, after: string): string[] {
  return broughtBy(manifestsIn(before), manifestsIn(after)).map(({ aspect, object, goes, comes }) =>
    [aspect, object, ...goes.map((one) => `-${one}`), ...comes.map((one) => `+${one}`)].join(' '),
  )
}

test.each([
  ['nothing where nothing differs', role(pods), role(pods), []],
  ['nothing where another order is written', role(pods, secrets), role(secrets, pods), []],
  ['nothing of kinds that it is not about', configMap('a'), configMap('b'), []],
  [
    'a role that widens',
    role(pods),
    role(pods, secrets),
    ['role ClusterRole operator +{apiGroups: [""], resources: [secrets], verbs: [get]}'],
  ],
  [
    'a role that narrows',
    role('{apiGroups: ["*"], resources: [pods], verbs: ["*"]}'),
    role('{apiGroups: ["*"], resources: [pods], verbs: [get]}'),
    ['role ClusterRole operator -{apiGroups: ["*"], resources: [pods], verbs: ["*"]}'],
  ],
  [
    'nothing of a rule that another one covers',
    role(pods),
    role(pods, '{apiGroups: [""], resources: [pods], verbs: [get]}'),
    [],
  ],
  [
    'a role that comes',
    '',
    role(secrets),
    ['role ClusterRole operator +{apiGroups: [""], resources: [secrets], verbs: [get]}'],
  ],
  [
    'a webhook that fails closed',
    webhook('failurePolicy: Ignore'),
    webhook('failurePolicy: Fail'),
    [
      'webhook ValidatingWebhookConfiguration guard, check.example.com -fails open for all pods +fails closed for all pods',
    ],
  ],
  [
    'a webhook that fails closed by the default of its API version',
    webhook('', 'pods', 'v1beta1'),
    webhook(''),
    [
      'webhook ValidatingWebhookConfiguration guard, check.example.com -fails open for all pods +fails closed for all pods',
    ],
  ],
  [
    'a webhook of more resources',
    webhook(''),
    webhook('', 'pods, secrets'),
    [
      'webhook ValidatingWebhookConfiguration guard, check.example.com -fails closed for all pods +fails closed for all pods, secrets',
    ],
  ],
  [
    'a version of a CRD that is no longer served',
    definition('{name: v1beta1, served: true}', '{name: v1, served: true}'),
    definition('{name: v1beta1, served: false}', '{name: v1, served: true}'),
    ['definition CustomResourceDefinition shops.example.com -v1beta1'],
  ],
  [
    'a CRD that goes',
    definition('{name: v1}', '{name: v2}'),
    '',
    ['definition CustomResourceDefinition shops.example.com -v1 -v2'],
  ],
  [
    'another controller of an IngressClass',
    ingressClass('example.com/edge'),
    ingressClass('example.com/other'),
    ['class IngressClass edge -controller example.com/edge +controller example.com/other'],
  ],
  [
    'an IngressClass that becomes the default',
    ingressClass('example.com/edge'),
    ingressClass('example.com/edge', byDefault),
    ['class IngressClass edge +the default'],
  ],
  [
    'another type and port of a Service',
    service('{type: LoadBalancer, ports: [{port: 80, targetPort: http}]}'),
    service('{ports: [{port: 80, targetPort: 8080}, {port: 53, targetPort: 53, protocol: UDP}]}'),
    ['service Service ops/web -type LoadBalancer -port 80 to http +type ClusterIP +port 80 to 8080 +port 53/UDP'],
  ],
  [
    'another image, also of an init container',
    deployment('image: "web:1"', 'initContainers: [{name: init, image: "init:1"}]'),
    deployment('image: "web:2"', 'initContainers: [{name: init, image: "init:2"}]'),
    [
      'image Deployment ops/web, container init -init:1 +init:2',
      'image Deployment ops/web, container web -web:1 +web:2',
    ],
  ],
  [
    'other arguments, each as often as it is given',
    deployment('image: web, args: [--a=1, --b, --b]'),
    deployment('image: web, args: [--b, --a=2, --c]'),
    ['argument Deployment ops/web, container web ---a=1 ---b +--a=2 +--c'],
  ],
  [
    'the most dangerous first',
    stream(deployment('image: "web:1"'), role(pods), webhook('failurePolicy: Ignore')),
    stream(deployment('image: "web:2"'), role(), webhook('failurePolicy: Fail')),
    [
      'webhook ValidatingWebhookConfiguration guard, check.example.com -fails open for all pods +fails closed for all pods',
      'role ClusterRole operator -{apiGroups: [""], resources: [pods], verbs: [get, list]}',
      'image Deployment ops/web, container web -web:1 +web:2',
    ],
  ],
])('it shows %s', (_, before, after, expected) => {
  expect(rows(before, after)).toEqual(expected)
})
