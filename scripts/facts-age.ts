// Lists the rows of facts/*.yaml that were checked longer ago than facts stay true by themselves. Ends 1 when there are
// some.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'

const folder = 'facts'
const oldest = 180
const today = process.argv[2] ?? new Date().toISOString().slice(0, 10)

/** The days between two dates. */
function daysFrom(checked: string): number {
  return Math.round((Date.parse(today) - Date.parse(checked)) / 86_400_000)
}

/** Every map that says when it was checked, by the names on the way to it. */
function* checkedIn(value: unknown, name: string): Generator<{ name: string; checked: string }> {
  if (value === null || typeof value !== 'object') return
  const map = value as Record<string, unknown>
  const own = String(map.id ?? map.name ?? '')
  const here = own && !Array.isArray(value) ? `${name} ${own}` : name
  if (typeof map.checked === 'string') yield { name: here, checked: map.checked }
  for (const [key, inner] of Object.entries(map))
    yield* checkedIn(inner, Number.isNaN(Number(key)) ? `${here} ${key}` : here)
}

let stale = 0
for (const file of readdirSync(folder).sort()) {
  for (const { name, checked } of checkedIn(parse(readFileSync(path.join(folder, file), 'utf8')), file)) {
    if (daysFrom(checked) <= oldest) continue
    process.stdout.write(`${name}: checked ${checked}, ${daysFrom(checked)} days ago\n`)
    stale++
  }
}
process.stdout.write(`${stale} rows are older than ${oldest} days.\n`)
process.exitCode = stale > 0 ? 1 : 0
