import { endsOfLife, knownDefects } from '../src/kubernetes/versions/defect-facts'
import { type Condition, type MatrixRow, matrixRows } from '../src/kubernetes/versions/matrix-facts'
import { crdNeeds, roleNeeds } from '../src/kubernetes/versions/permission-facts'

/** The rows of the facts as pages of tables, for people. */
export function versionMatrix(): string {
  const judged = matrixRows.filter(({ manual }) => manual === undefined)
  const manual = matrixRows.filter((row) => row.manual !== undefined)
  return `# The version matrix

Which versions work together, and which do not: generated from \`facts/*.yaml\` by \`npm run docs\`, so
edit those files. Where a cluster runs a component in these versions and the condition applies, it must have what the row needs.
Each row links its sources, and has the date of its last check.

${table(['row', 'component', 'versions', 'when', 'needs', 'else', 'because', 'fixed in', 'checked'], judged.map(rowOf))}

## For reading

Rows on facts that no file shows, and rows that rules do not check one by one.

${table(['row', 'component', 'versions', 'what to check', 'else', 'because', 'checked'], manual.map(manualRowOf))}

## Permissions and CRDs by release

What each release newly needs, from \`facts/component-permissions.yaml\`.

${table(['component', 'ClusterRole or CRDs', 'releases', 'what'], needsRows())}

## Known defects

${table(
  ['row', 'component', 'versions', 'CVSS', 'because', 'fixed in', 'kept away by', 'checked'],
  knownDefects.map(({ id, component, versions, cvss, severity, reason, fixed = [], mitigated, source, checked }) => [
    linked(id, source),
    component,
    code(versions),
    cvss ?? severity ?? '',
    reason,
    fixed.join(', '),
    mitigated?.do ?? '',
    checked,
  ]),
)}

## Ends of life

${table(
  ['component', 'versions', 'since', 'checked'],
  endsOfLife.map(({ component, versions, ended, source, checked }) => [
    component,
    code(versions),
    linked(ended, [source]),
    checked,
  ]),
)}
`
}

type Cell = string | number

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function rowOf(row: MatrixRow): Cell[] {
  const { id, component, versions, severity, reason, fixed = [], source, checked } = row
  const except = (row.except ?? []).map(({ distro, kernel }) => `, or ${code(kernel)} of ${distro}`).join('')
  const needs = `${conditions(row.requires)}${except}`
  return [
    linked(id, source),
    component,
    code(versions),
    conditions(row.when),
    needs,
    severity,
    reason,
    fixed.join(', '),
    checked,
  ]
}

function manualRowOf({ id, component, versions, manual = '', requires, severity, reason, source, checked }: MatrixRow) {
  const known = [manual, conditions(requires)].filter((text) => text !== '').join('; ')
  return [linked(id, source), component, code(versions), known, severity, reason, checked]
}

function conditions(condition: (Condition & { setting?: string[]; any?: Condition[] }) | undefined): string {
  return Object.entries(condition ?? {})
    .map(([name, value]) => {
      if (name === 'any') return (value as Condition[]).map(conditions).join(' or ')
      return `${name} ${code(Array.isArray(value) ? value.join(', ') : String(value))}`
    })
    .join(', ')
}

function needsRows(): Cell[][] {
  const roles = roleNeeds.flatMap(({ component, clusterRole, source, needs }) =>
    needs.map(({ versions, when, rules }) => [
      component,
      linked(clusterRole, [source]),
      `${code(versions)}${when ? ` with ${when}` : ''}`,
      rules
        .map(({ apiGroups, resources, resourceNames = [], verbs }) => {
          const names = resourceNames.length > 0 ? ` [${resourceNames.join(', ')}]` : ''
          return `${verbs.join(', ')} on ${resources.join(', ')}${names} of ${apiGroups.map((group) => group || 'core').join(', ')}`
        })
        .join('; '),
    ]),
  )
  const crds = crdNeeds.flatMap(({ component, source, needs }) =>
    needs.map(({ versions, names, version }) => [
      component,
      linked('CRDs', [source]),
      code(versions),
      `${names.join(', ')}${version === undefined ? '' : `, with ${version}`}`,
    ]),
  )
  return [...roles, ...crds]
}

function linked(text: string, sources: readonly string[]): string {
  const [first, ...more] = sources
  return [`[${text}](${first})`, ...more.map((source, index) => `[${index + 2}](${source})`)].join(' ')
}

function code(text: string): string {
  return `\`${text}\``
}
