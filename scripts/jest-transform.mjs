// What jest runs of a file: TypeScript without its types, which `npm run types` checks, and YAML as a module.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync, version } from 'esbuild'
import { yamlModule } from './yaml-module.mjs'

const own = ['jest-transform.mjs', 'yaml-module.mjs'].map((file) =>
  readFileSync(fileURLToPath(new URL(file, import.meta.url)), 'utf8'),
)

export default {
  getCacheKey: (text, file) =>
    createHash('sha256')
      .update([version, ...own, file, text].join('\0'))
      .digest('hex'),
  process(text, file) {
    if (file.endsWith('.yaml')) return { code: yamlModule(text) }
    const { code, map } = transformSync(text, {
      loader: 'ts',
      format: 'esm',
      target: 'node20.12',
      sourcefile: file,
      sourcemap: 'external',
    })
    return { code, map }
  },
}
