// What jest runs of a TypeScript file: its types taken off, and nothing checked; `npm run types` does that.
import { createHash } from 'node:crypto'
import { transformSync, version } from 'esbuild'

export default {
  getCacheKey: (text, file, { configString }) =>
    createHash('sha1').update([version, configString, file, text].join('\0')).digest('hex'),
  process(text, file) {
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
