// Writes the JSON Schemas that editors and other tools use, from the definitions the code validates with.
import { mkdirSync, writeFileSync } from 'node:fs'
import { InventoryFile } from '../src/policy/inventory'
import { ConfigFile, PolicyFile } from '../src/policy/schema'
import { CoverageJson } from '../src/report/coverage-schema'
import { ReplayLine } from '../src/report/replay/replay-schema'
import { ReportJson } from '../src/report/report-schema'
import { RulesJson } from '../src/report/rules-json'

mkdirSync('schemas', { recursive: true })
const files = {
  config: ConfigFile,
  inventory: InventoryFile,
  policy: PolicyFile,
  report: ReportJson,
  coverage: CoverageJson,
  rules: RulesJson,
  replay: ReplayLine,
}
for (const [name, schema] of Object.entries(files)) {
  const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
  writeFileSync(`schemas/${name}.v1.json`, `${JSON.stringify(document, null, 2)}\n`)
}
