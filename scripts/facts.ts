// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import { ChartFactsFile } from '../src/kubernetes/chart-facts'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { readOwnDocument } from '../src/policy/document'

for (const [name, target, schema] of [
  ['controllers', 'controller-facts', ControllerFactsFile],
  ['controller-charts', 'chart-facts', ChartFactsFile],
] as const) {
  const path = `policies/facts/${name}.yaml`
  const { value } = readOwnDocument(readFileSync(path, 'utf8'), path, schema, 'policy')
  writeFileSync(`src/kubernetes/${target}.json`, `${JSON.stringify(value, null, 2)}\n`)
}
