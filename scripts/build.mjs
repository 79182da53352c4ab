// Bundles dist/: what both entries need goes into files of its own, by when it is needed, and is taken from there, each
// module when it is first asked for. To CommonJS, which @actions/* needs when bundled. Names of functions are kept, so
// that a stack can be read. Collects the licenses of what went in.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, transform } from 'esbuild'
import { parse } from 'yaml'
import { packedModule } from './yaml-module.mjs'

const entries = { action: 'src/action/main.ts', cli: 'src/cli/main.ts' }

/** Tables of facts, packed: they are a fifth as long. */
const yaml = {
  name: 'yaml',
  setup({ onLoad }) {
    onLoad({ filter: /\.yaml$/ }, ({ path: file }) => {
      return { contents: `${packedModule('facts', parse(readFileSync(file, 'utf8')))}\nexport default facts` }
    })
  },
}

/** The policies as values, so that no run parses them. */
const policies = {
  name: 'policies',
  setup({ onLoad }) {
    onLoad({ filter: /src\/host\/parsed-policies\.ts$/ }, () => {
      const texts = readdirSync('policies', { recursive: true })
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => readFileSync(path.join('policies', file), 'utf8'))
      texts.sort()
      const digests = texts.map((text) => createHash('sha1').update(text).digest('hex'))
      const contents = `${packedModule(
        'parsed',
        texts.map((text) => parse(text)),
      )}
const digests = ${JSON.stringify(digests)}
export const parsedPolicies = new Map(digests.map((digest, index) => [digest, parsed[index]]))`
      return { contents }
    })
  },
}

/**
 * Of typebox, only what describes a schema: its other parts are four fifths of it, and each module is kept whole
 * otherwise.
 */
const schemaParts = {
  name: 'schema-parts',
  setup({ onLoad }) {
    const names = 'Array Boolean Enum Integer Intersect Literal Null Number Object Optional String Union Unknown Unsafe'
    const contents = `export { ${names.replaceAll(' ', ', ')} } from './build/index.mjs'`
    onLoad({ filter: /node_modules\/typebox\/build\/index\.mjs$/ }, async ({ path: file }) => {
      const resolveDir = path.resolve(file, '../..')
      const cut = await build({
        stdin: { contents, resolveDir },
        bundle: true,
        format: 'esm',
        target: 'node20',
        write: false,
      })
      return { contents: cut.outputFiles[0].text }
    })
  },
}

/** Local names are cut: those within a function, and all of packages, which are a third of dist/. */
const shortNames = {
  name: 'short-names',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: path.resolve('scripts/undici.cjs') }))
    // Its parser has two builds; the one for any processor is enough.
    onResolve({ filter: /llhttp_simd-wasm/ }, () => ({
      path: path.resolve('node_modules/undici/lib/llhttp/llhttp-wasm.js'),
    }))
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
  plugins: [yaml, policies, schemaParts, shortNames],
  // A part that is not among those taken of a package.
  logOverride: { 'import-is-undefined': 'error' },
  metafile: true,
  logLevel: 'warning',
}

/** The modules that an entry is made of, and what each imports. */
async function inputsOf(entry) {
  return (await build({ ...options, entryPoints: [entry], write: false })).metafile.inputs
}

const inputs = await Promise.all(Object.values(entries).map(inputsOf))
const modules = Object.assign({}, ...inputs)
const isShared = (file) => inputs.every((one) => file in one)

/** What is taken of packages that few runs need, by their first module: they are loaded when that is first asked for. */
const rarely = {
  'node_modules/@marcbachmann/cel-js/lib/index.js': ['Environment'],
  'node_modules/ajv/dist/2020.js': ['Ajv2020'],
}

/** A module with all that is loaded together with it. */
function withImports(start) {
  const found = new Set([start])
  for (const file of found) {
    for (const { path: name, kind } of modules[file]?.imports ?? [])
      if (kind !== 'dynamic-import' && !(name in rarely)) found.add(name)
  }
  return found
}

/**
 * The shared files: what the command line needs at once, what a run shares with those that write its report in the other thread,
 * what every run needs besides, what few need, and the rest.
 */
const host = withImports('src/cli/command-line.ts')
const run = withImports('src/host/serve.ts')
const writers = ['json', 'terminal', 'annotations', 'sarif'].map((name) => withImports(`src/report/${name}.ts`))
const rare = new Set(Object.keys(rarely).flatMap((file) => [...withImports(file)]))
const homes = ['host', 'report', 'core', 'later', 'rare']

function homeOf(file) {
  if (!isShared(file)) return undefined
  if (host.has(file)) return 'host'
  if (!run.has(file)) return rare.has(file) ? 'rare' : 'later'
  return writers.some((writer) => writer.has(file)) ? 'report' : 'core'
}

/** Whether a module is imported by one of another file. */
function isExported(file) {
  return Object.entries(modules).some(
    ([from, { imports }]) => homeOf(from) !== homeOf(file) && imports.some(({ path: name }) => name === file),
  )
}

/** The names that a module of ours exports. */
async function namesIn(file) {
  const { metafile } = await build({ entryPoints: [file], format: 'esm', metafile: true, write: false, outdir: 'dist' })
  return Object.values(metafile.outputs)[0].exports
}

/** A module that takes one of another file: its names, as each access through the module takes longer; or when one is used. */
async function contentsFrom(file) {
  const there = `require('./${homeOf(file)}.cjs')[${JSON.stringify(file)}]`
  if (file.startsWith('src/')) return `export const { ${await namesIn(file)} } = ${there}`
  if (!(file in rarely)) return `module.exports = ${there}`
  return `module.exports = { ${rarely[file].map((name) => `get ${name}() { return ${there}.${name} }`).join(', ')} }`
}

/** Takes the modules of other shared files from there. */
function takingFromOthers(own) {
  return {
    name: 'shared',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: /^[^/]/ }, async ({ path: name, pluginData, ...at }) => {
        if (pluginData === 'resolving') return undefined
        if (at.namespace === 'shared') return { path: name, external: true }
        const found = await resolve(name, { ...at, pluginData: 'resolving' })
        const file = path.relative('.', found.path).replaceAll(path.sep, '/')
        const home = homeOf(file)
        return home && home !== own ? { path: `${file}.cjs`, namespace: 'shared', pluginData: file } : found
      })
      onLoad({ filter: /./, namespace: 'shared' }, async ({ pluginData: file }) => ({
        contents: await contentsFrom(file),
      }))
    },
  }
}

/** A module is loaded when it is first asked for: the thread of the host needs few of them. */
function getter(file) {
  return `Object.defineProperty(exports, ${JSON.stringify(file)}, { get: () => require('./${file}') })`
}

/** A module of a file that is loaded as one: its modules share one scope, so that each is parsed once. */
function namespace(file) {
  return `export * as ${JSON.stringify(file)} from './${file}'`
}

rmSync('dist', { recursive: true, force: true })
for (const home of homes) {
  await build({
    ...options,
    stdin: {
      contents: Object.keys(modules)
        .filter((file) => homeOf(file) === home && isExported(file))
        .sort()
        .map(home === 'core' ? namespace : getter)
        .join('\n'),
      resolveDir: '.',
      sourcefile: home,
    },
    plugins: [takingFromOthers(home), ...options.plugins],
    entryNames: home,
  })
}
await build({
  ...options,
  entryPoints: entries,
  plugins: [takingFromOthers(undefined), ...options.plugins],
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

const atOnce = statSync('dist/host.cjs').size
if (atOnce > 30_000)
  throw new Error(`dist/host.cjs has ${atOnce} bytes, loaded by every command: load more when it is asked for.`)
const bytes = readdirSync('dist').reduce((sum, file) => sum + statSync(path.join('dist', file)).size, 0)
if (bytes > 4_000_000) throw new Error(`dist/ has ${bytes} bytes; it may have 4,000,000, as every job downloads it.`)
