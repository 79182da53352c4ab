// Writes the order of the folders, as the tables of src/README.md have it, into biome.layers.json: for each folder, the
// folders that it may not import.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [, , pure = '', impure = ''] = readFileSync('src/README.md', 'utf8').split(/^## /m)
const foldersOf = (section: string) => [...section.matchAll(/^\| `([a-z/-]+)\/` \|/gm)].map(([, name = '']) => name)
const core = foldersOf(pure)
const folders = [...core, ...foldersOf(impure)]

for (const entry of readdirSync('src', { recursive: true, withFileTypes: true })) {
  const folder = path.relative('src', entry.parentPath).replaceAll(path.sep, '/')
  const isListed = folders.some((one) => folder === one || folder.startsWith(`${one}/`))
  if (folder && entry.name.endsWith('.ts') && !isListed) throw new Error(`src/README.md has no row for src/${folder}/.`)
}

const ioModules = ['node:fs', 'node:fs/promises', 'node:child_process']
const noIo = Object.fromEntries(ioModules.map((name) => [name, 'The core reads no files and starts no processes.']))

/** The files of a folder: without those of its folders, where these have a place of their own in the order. */
function filesOf(folder: string): string {
  return folders.some((other) => path.dirname(other) === folder) ? `src/${folder}/*.ts` : `src/${folder}/**`
}

/** The specifiers with which a file of one folder would import one of another. */
function importsOf(folder: string, from: string): string[] {
  return path.dirname(from) === folder ? ['../*', '!../*/**'] : [`**/${path.basename(folder)}/**`]
}

function layer(folder: string, index: number) {
  const group = folders.slice(index + 1).flatMap((above) => importsOf(above, folder))
  const order = { group, message: `${folder}/ imports only the folders that src/README.md lists before it.` }
  const actions = { group: ['@actions/*'], message: 'Only action/ knows GitHub Actions.' }
  const options = {
    ...(core.includes(folder) ? { paths: noIo } : {}),
    patterns: group.length > 0 ? [order, actions] : [actions],
  }
  const style = { noRestrictedImports: { level: 'error', options } }
  return { includes: [filesOf(folder)], linter: { rules: { style } } }
}

// The imports that action/ may have are in biome.json.
const overrides = folders.map(layer).filter(({ includes }) => !includes.includes('src/action/**'))
writeFileSync('biome.layers.json', `{"overrides":[\n${overrides.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`)
