/** The content of a YAML file. The build and the tests turn it into a module: scripts/yaml-module.mjs. */
declare module '*.yaml' {
  const value: unknown
  export default value
}
