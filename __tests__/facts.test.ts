import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { OtherToolsFile } from '../src/deployers/fleet-helmfile/other-tools'
import { ChartPlacesFile } from '../src/fetch/known-places'
import { AddOnFactsFile } from '../src/kubernetes/charts/add-on-facts'
import { AnnotationChartsFile } from '../src/kubernetes/charts/annotation-values'
import { ChartFactsFile } from '../src/kubernetes/charts/chart-facts'
import { ChartPodsFile } from '../src/kubernetes/charts/chart-pods'
import { ChartShapesFile } from '../src/kubernetes/charts/chart-shapes'
import { ChartValuesFile } from '../src/kubernetes/charts/chart-values'
import { MovedValuesFile } from '../src/kubernetes/charts/moved-values'
import { ValueIdentifiersFile } from '../src/kubernetes/charts/value-identifiers'
import { ControllerFlagsFile } from '../src/kubernetes/controllers/controller-flags'
import { ExternalDnsFlagsFile } from '../src/kubernetes/controllers/external-dns-flags'
import { GatewayControllersFile } from '../src/kubernetes/controllers/gateway-controller'
import { FieldsFile } from '../src/kubernetes/fields/field-table'
import { AnnotationFactsFile } from '../src/kubernetes/ingress/annotation-facts'
import { ManagedClassesFile } from '../src/kubernetes/ingress/managed-class'
import { ClusterObjectFactsFile } from '../src/kubernetes/protection/cluster-object'
import { BootstrapFile } from '../src/kubernetes/rbac/bootstrap-rbac'
import { ApiFactsFile } from '../src/kubernetes/versions/api-facts'
import { ApiGroupsFile } from '../src/kubernetes/versions/api-groups'
import { ComponentApisFile } from '../src/kubernetes/versions/component-apis'
import { ComponentFactsFile } from '../src/kubernetes/versions/component-facts'
import { DefectFile } from '../src/kubernetes/versions/defect-facts'
import { MatrixFile, matrixRows } from '../src/kubernetes/versions/matrix-facts'
import { PermissionFile } from '../src/kubernetes/versions/permission-facts'
import { ServedApisFile } from '../src/kubernetes/versions/served-apis'
import { SkewFactsFile } from '../src/kubernetes/versions/skew-facts'
import { SupportedReleasesFile } from '../src/kubernetes/versions/supported-releases'
import { ControllerFactsFile } from '../src/kubernetes/workload/controller-facts'
import { readOwnDocument } from '../src/policy/document'
import { root } from './harness'

const schemas = {
  'add-on-charts.yaml': AddOnFactsFile,
  'annotation-charts.yaml': AnnotationChartsFile,
  'annotations.yaml': AnnotationFactsFile,
  'api-groups.yaml': ApiGroupsFile,
  'api-lifecycle.yaml': ApiFactsFile,
  'bootstrap-rbac.yaml': BootstrapFile,
  'built-in-fields.yaml': FieldsFile,
  'chart-places.yaml': ChartPlacesFile,
  'chart-pods.yaml': ChartPodsFile,
  'chart-shapes.yaml': ChartShapesFile,
  'chart-values.yaml': ChartValuesFile,
  'cluster-objects.yaml': ClusterObjectFactsFile,
  'component-apis.yaml': ComponentApisFile,
  'component-permissions.yaml': PermissionFile,
  'components.yaml': ComponentFactsFile,
  'controller-charts.yaml': ChartFactsFile,
  'controller-flags.yaml': ControllerFlagsFile,
  'controllers.yaml': ControllerFactsFile,
  'external-dns-flags.yaml': ExternalDnsFlagsFile,
  'gateway-controllers.yaml': GatewayControllersFile,
  'known-defects.yaml': DefectFile,
  'managed-classes.yaml': ManagedClassesFile,
  'moved-values.yaml': MovedValuesFile,
  'other-tools.yaml': OtherToolsFile,
  'protected-objects.yaml': ClusterObjectFactsFile,
  'resource-fields.yaml': FieldsFile,
  'served-apis.yaml': ServedApisFile,
  'supported-releases.yaml': SupportedReleasesFile,
  'value-identifiers.yaml': ValueIdentifiersFile,
  'version-matrix.yaml': MatrixFile,
  'version-skew.yaml': SkewFactsFile,
}
const read = (file: string, schema: (typeof schemas)[keyof typeof schemas]) =>
  readOwnDocument(readFileSync(path.join(root, 'facts', file), 'utf8'), `facts/${file}`, schema, 'policy').value

test('each file of facts has a schema', () => {
  expect(readdirSync(path.join(root, 'facts')).sort()).toEqual(Object.keys(schemas))
})

test.each(Object.entries(schemas))('%s is as its schema describes it', (file, schema) => {
  expect(read(file, schema)).toMatchObject({ format: 1 })
})

test('a row with a key that its schema does not name is an error at its line', () => {
  const text = readFileSync(path.join(root, 'facts', 'version-skew.yaml'), 'utf8').replace(
    /^( +)behind:/m,
    '$1note: x\n$&',
  )
  expect(() => readOwnDocument(text, 'facts/version-skew.yaml', SkewFactsFile, 'policy')).toThrow(
    'The key `note` is not allowed here; the keys are part, releases, behind, source, checked.',
  )
})

test('the code has the rows of the file', () => {
  expect(read('version-matrix.yaml', MatrixFile)).toEqual({ format: 1, rows: matrixRows })
})

test('a row of the version matrix whose source was not read is no error', () => {
  const unread = matrixRows.filter(({ confidence }) => confidence === 'unverified')
  expect(unread.map(({ id }) => id)).toEqual(['k8s-dockershim'])
  expect(unread.filter(({ severity }) => severity === 'error')).toEqual([])
})
