// tsx --import ./scripts/yaml-loader.mjs SCRIPT: lets a script import YAML files, as the build and the tests do.
import { readFileSync } from 'node:fs'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { yamlModule } from './yaml-module.mjs'

// Node reads this file once more, in the thread that loads modules, for its hook.
if (isMainThread) register(import.meta.url)

export function load(url, context, next) {
  if (!url.endsWith('.yaml')) return next(url, context)
  return { format: 'module', source: yamlModule(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true }
}
