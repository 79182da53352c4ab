/** What a YAML file holds. The build and the tests make a module of it: scripts/yaml-module.mjs. */
declare module '*.yaml' {
  const value: unknown
  export default value
}
