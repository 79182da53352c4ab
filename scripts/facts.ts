// Carries policies/facts/*.yaml into the code, which reads no files: each as JSON beside the module that uses it.
import { readFileSync, writeFileSync } from 'node:fs'
import { ControllerFactsFile } from '../src/kubernetes/controller-facts'
import { readOwnDocument } from '../src/policy/document'

const path = 'policies/facts/controllers.yaml'
const { value } = readOwnDocument<ControllerFactsFile>(readFileSync(path, 'utf8'), path, ControllerFactsFile, 'policy')
writeFileSync('src/kubernetes/controller-facts.json', `${JSON.stringify(value, null, 2)}\n`)
