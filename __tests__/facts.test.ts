import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { ApiFactsFile } from '../src/kubernetes/api-facts'
import { BootstrapFile } from '../src/kubernetes/bootstrap-rbac'
import { ChartFactsFile } from '../src/kubernetes/chart-facts'
import { ClusterObjectFactsFile } from '../src/kubernetes/cluster-object'
import { ComponentFactsFile } from '../src/kubernetes/component-facts'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { DefectFile } from '../src/kubernetes/defect-facts'
import { ManagedClassesFile } from '../src/kubernetes/managed-class'
import { MatrixFile, matrixRows } from '../src/kubernetes/matrix-facts'
import { PermissionFile } from '../src/kubernetes/permission-facts'
import { SkewFactsFile } from '../src/kubernetes/skew-facts'
import { readOwnDocument } from '../src/policy/document'
import { root } from './harness'

const schemas = {
  'api-lifecycle.yaml': ApiFactsFile,
  'bootstrap-rbac.yaml': BootstrapFile,
  'cluster-objects.yaml': ClusterObjectFactsFile,
  'component-permissions.yaml': PermissionFile,
  'components.yaml': ComponentFactsFile,
  'controller-charts.yaml': ChartFactsFile,
  'controllers.yaml': ControllerFactsFile,
  'known-defects.yaml': DefectFile,
  'managed-classes.yaml': ManagedClassesFile,
  'protected-objects.yaml': ClusterObjectFactsFile,
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
    'There is no key `note` here; the keys are part, releases, behind, source, checked.',
  )
})

test('the code has the rows of the file', () => {
  expect(read('version-matrix.yaml', MatrixFile)).toEqual({ format: 1, rows: matrixRows })
})
