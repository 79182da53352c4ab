import { deflateRawSync } from 'node:zlib'
import { parse } from 'yaml'

/** A YAML file as a module. The engine parses a text of JSON faster than the same value written as code. */
export function yamlModule(text) {
  return `export default JSON.parse(${JSON.stringify(JSON.stringify(parse(text)))})`
}

/** The same, compressed: for a table that is long and that few runs look at. */
export function packedYamlModule(text) {
  const packed = deflateRawSync(JSON.stringify(parse(text)), { level: 9 }).toString('base64')
  return `import { inflateRawSync } from 'node:zlib'
export default JSON.parse(inflateRawSync(Buffer.from('${packed}', 'base64')).toString())`
}
