import { gateRules } from '../finding/gate-finding'

/** The rules of the gate itself, which belong to no policy. */
export const rulesOfGate = Object.entries(gateRules).map(([id, summary]) => ({ id, summary }))

/** A short page for a rule about the config, as none of these has a file of its own; undefined for other rules. */
export function configPage(id: string): string | undefined {
  const rule = rulesOfGate.find((one) => one.id === id && id.startsWith('config/'))
  return (
    rule &&
    `# ${rule.id}\n\n> ${rule.summary}\n\nIt is a rule of the gate about its own config, \`.github/ingress-guard.yaml\`, which \`docs/config.md\` describes.\n`
  )
}
