// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { BootstrapFile } from '../src/kubernetes/bootstrap-rbac'
import { ClusterObjectFactsFile } from '../src/kubernetes/cluster-object'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { readOwnDocument } from '../src/policy/document'

function carry(from: string, schema: TSchema, to: string): void {
  const path = `policies/facts/${from}.yaml`
  const { value } = readOwnDocument(readFileSync(path, 'utf8'), path, schema, 'policy')
  writeFileSync(`src/kubernetes/${to}.json`, `${JSON.stringify(value, null, 2)}\n`)
}

carry('controllers', ControllerFactsFile, 'controller-facts')
carry('cluster-objects', ClusterObjectFactsFile, 'cluster-object-facts')
carry('bootstrap-rbac', BootstrapFile, 'bootstrap-rbac')
carry('protected-objects', ClusterObjectFactsFile, 'protected-objects')
