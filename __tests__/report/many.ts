import type { Report } from '../../src/finding/report'
import { judge, type Texts } from '../harness'
import { ingress, role } from '../source/objects'

/** A change that introduces so many findings, over two clusters and twenty folders; a tenth of them are removals. */
export function manyFindings(number: number, guard = 'format: 1\n'): Promise<Report> {
  const base: Record<string, string> = {}
  const head: Record<string, string> = {}
  const folderOf = (index: number) => `clusters/${index % 2 === 0 ? 'east' : 'west'}/team-${index % 20}`
  const removals = Math.floor(number / 10)
  for (let index = 0; index < removals; index++) {
    base[`${folderOf(index)}/role-${index}.yaml`] = role(`system:r${index}`)
  }
  for (let first = 0, index = 0; first < number - removals; first += 10, index++) {
    const hosts = Array.from({ length: Math.min(10, number - removals - first) }, (_, i) => `h${first + i}.example.com`)
    const path = `${folderOf(index)}/web-${index}.yaml`
    const own = [`own${index}.example.com`]
    base[path] = ingress(`web-${index}`, own, own)
    head[path] = ingress(`web-${index}`, own, [...own, ...hosts])
  }
  return judge({ base, head: head as Texts, guard })
}
