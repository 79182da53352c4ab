// Runs once in each worker, before its first test file.
import { register } from 'node:module'
import { register as registerTypeScript } from 'tsx/esm/api'
import '../../scripts/yaml-loader.mjs'

registerTypeScript()
register('./loader.mjs', import.meta.url)
