import { brotliCompressSync } from 'node:zlib'
import { parse } from 'yaml'

/** A YAML file as a module. The engine parses a text of JSON faster than the same value written as code. */
export function yamlModule(text) {
  return `export default JSON.parse(${JSON.stringify(JSON.stringify(parse(text)))})`
}

/** The code that gives a long value a name, compressed. */
export function packedModule(name, value) {
  const packed = brotliCompressSync(JSON.stringify(value)).toString('base64')
  return `import { brotliDecompressSync } from 'node:zlib'
const ${name} = JSON.parse(brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString())`
}
