// Bundles the two entries to CommonJS, which @actions/* needs when bundled, and collects the licenses of what went in.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { yamlModule } from './yaml-module.mjs'

const yaml = {
  name: 'yaml',
  setup(run) {
    run.onLoad({ filter: /\.yaml$/ }, ({ path: file }) => ({ contents: yamlModule(readFileSync(file, 'utf8')) }))
  },
}

const result = await build({
  entryPoints: { action: 'src/action/main.ts', cli: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  plugins: [yaml],
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  banner: { js: '#!/usr/bin/env node' },
  metafile: true,
  logLevel: 'warning',
})

const folders = new Set(
  Object.keys(result.metafile.inputs)
    .map((input) => input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter(Boolean),
)
const licenses = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return `${name} ${version} (${license})\n\n${file ? readFileSync(path.join(folder, file), 'utf8').trim() : 'No license file is shipped.'}\n`
})
writeFileSync('dist/licenses.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`))
