// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import { ComponentFactsFile } from '../src/kubernetes/component-facts'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { DefectFile } from '../src/kubernetes/defect-facts'
import { MatrixFile } from '../src/kubernetes/matrix-facts'
import { PermissionFile } from '../src/kubernetes/permission-facts'
import { readOwnDocument } from '../src/policy/document'

const files = [
  ['component-permissions', PermissionFile, 'permission-facts'],
  ['components', ComponentFactsFile, 'component-facts'],
  ['controllers', ControllerFactsFile, 'controller-facts'],
  ['known-defects', DefectFile, 'defect-facts'],
  ['version-matrix', MatrixFile, 'matrix-facts'],
] as const

for (const [name, schema, module] of files) {
  const path = `policies/facts/${name}.yaml`
  const { value } = readOwnDocument(readFileSync(path, 'utf8'), path, schema, 'policy')
  writeFileSync(`src/kubernetes/${module}.json`, `${JSON.stringify(value, null, 2)}\n`)
}
