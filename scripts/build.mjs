// Bundles dist/: what both entries need goes into core.cjs, and each entry takes it from there, each module when it is first
// asked for. To CommonJS, which @actions/* needs when bundled. Names of functions are kept, so that a stack can be read.
// Collects the licenses of what went in.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, transform } from 'esbuild'
import { yamlModule } from './yaml-module.mjs'

const entries = { action: 'src/action/main.ts', cli: 'src/cli/main.ts' }

const yaml = {
  name: 'yaml',
  setup({ onLoad }) {
    onLoad({ filter: /\.yaml$/ }, ({ path: file }) => ({ contents: yamlModule(readFileSync(file, 'utf8')) }))
  },
}

/** Local names are cut: those within a function, and all of packages, which are a third of dist/. */
const shortNames = {
  name: 'short-names',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: path.resolve('scripts/undici.cjs') }))
    onLoad({ filter: /node_modules.*\.[cm]?js$|src.*\.ts$/ }, async ({ path: file }) => {
      const loader = file.endsWith('.ts') ? 'ts' : 'js'
      const shortened = await transform(readFileSync(file, 'utf8'), {
        loader,
        minifyIdentifiers: true,
        target: 'node20',
      })
      return { contents: shortened.code }
    })
  },
}

const options = {
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  plugins: [yaml, shortNames],
  metafile: true,
  logLevel: 'warning',
}

/** The modules that an entry is made of, and what each imports. */
async function inputsOf(entry) {
  return (await build({ ...options, entryPoints: [entry], write: false })).metafile.inputs
}

const inputs = await Promise.all(Object.values(entries).map(inputsOf))
const isShared = (file) => inputs.every((one) => file in one)
/** The shared modules that a module of one entry alone imports. */
const exported = [
  ...new Set(
    inputs.flatMap((one) =>
      Object.entries(one)
        .filter(([file]) => !isShared(file))
        .flatMap(([, { imports }]) => imports.map(({ path: file }) => file).filter(isShared)),
    ),
  ),
].sort()

/** Takes the shared modules from core.cjs. */
const core = {
  name: 'core',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^/]/ }, async ({ path: name, pluginData, ...at }) => {
      if (pluginData === 'resolving') return undefined
      if (at.namespace === 'core') return { path: name, external: true }
      const found = await resolve(name, { ...at, pluginData: 'resolving' })
      const file = path.relative('.', found.path).replaceAll(path.sep, '/')
      return exported.includes(file) ? { path: file, namespace: 'core' } : found
    })
    onLoad({ filter: /./, namespace: 'core' }, ({ path: file }) => ({
      contents: `module.exports = require('./core.cjs')[${JSON.stringify(file)}]`,
    }))
  },
}

/** A module is loaded when it is first asked for: the thread of the host needs few of them. */
function getter(file) {
  return `Object.defineProperty(exports, ${JSON.stringify(file)}, { get: () => require('./${file}') })`
}

rmSync('dist', { recursive: true, force: true })
await build({
  ...options,
  stdin: {
    contents: exported.map((file) => getter(file)).join('\n'),
    resolveDir: '.',
    sourcefile: 'core',
  },
  entryNames: 'core',
})
await build({
  ...options,
  entryPoints: entries,
  plugins: [core, yaml, shortNames],
  banner: { js: '#!/usr/bin/env node' },
})

const folders = new Set(
  inputs
    .flatMap((one) => Object.keys(one))
    .map((input) => input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter(Boolean),
)
/** The packages of each text: many share one. */
const texts = new Map()
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : 'No license file is shipped.'
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`])
}
const licenses = [...texts].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`)
writeFileSync('dist/licenses.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`))

const bytes = readdirSync('dist').reduce((sum, file) => sum + statSync(path.join('dist', file)).size, 0)
if (bytes > 3_000_000) throw new Error(`dist/ has ${bytes} bytes; it may have 3,000,000, as every job downloads it.`)
