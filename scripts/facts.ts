// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { ApiFactsFile } from '../src/kubernetes/api-facts'
import { BootstrapFile } from '../src/kubernetes/bootstrap-rbac'
import { ClusterObjectFactsFile } from '../src/kubernetes/cluster-object'
import { ComponentFactsFile } from '../src/kubernetes/component-facts'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { DefectFile } from '../src/kubernetes/defect-facts'
import { MatrixFile } from '../src/kubernetes/matrix-facts'
import { PermissionFile } from '../src/kubernetes/permission-facts'
import { SkewFactsFile } from '../src/kubernetes/skew-facts'
import { readOwnDocument } from '../src/policy/document'

function carry(from: string, schema: TSchema, to: string): void {
  const path = `policies/facts/${from}.yaml`
  const { value } = readOwnDocument(readFileSync(path, 'utf8'), path, schema, 'policy')
  writeFileSync(`src/kubernetes/${to}.json`, `${JSON.stringify(value, null, 2)}\n`)
}

carry('api-lifecycle', ApiFactsFile, 'api-facts')
carry('bootstrap-rbac', BootstrapFile, 'bootstrap-rbac')
carry('cluster-objects', ClusterObjectFactsFile, 'cluster-object-facts')
carry('component-permissions', PermissionFile, 'permission-facts')
carry('components', ComponentFactsFile, 'component-facts')
carry('controllers', ControllerFactsFile, 'controller-facts')
carry('known-defects', DefectFile, 'defect-facts')
carry('protected-objects', ClusterObjectFactsFile, 'protected-objects')
carry('version-matrix', MatrixFile, 'matrix-facts')
carry('version-skew', SkewFactsFile, 'skew-facts')
