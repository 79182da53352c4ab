// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { ApiFactsFile } from '../src/kubernetes/api-facts'
import { ChartFactsFile } from '../src/kubernetes/chart-facts'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { ManagedClassesFile } from '../src/kubernetes/managed-class'
import { SkewFactsFile } from '../src/kubernetes/skew-facts'
import { readOwnDocument } from '../src/policy/document'

function carry(from: string, schema: TSchema, to: string): void {
  const path = `policies/facts/${from}.yaml`
  const { value } = readOwnDocument(readFileSync(path, 'utf8'), path, schema, 'policy')
  writeFileSync(`src/kubernetes/${to}.json`, `${JSON.stringify(value, null, 2)}\n`)
}

carry('api-lifecycle', ApiFactsFile, 'api-facts')
carry('controller-charts', ChartFactsFile, 'chart-facts')
carry('controllers', ControllerFactsFile, 'controller-facts')
carry('managed-classes', ManagedClassesFile, 'managed-class-facts')
carry('version-skew', SkewFactsFile, 'skew-facts')
