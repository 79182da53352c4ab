import type { Report } from '../../src/report/report'
import { judge, type Texts } from '../harness'
import { ingress, role } from '../source/objects'

/** A change that introduces so many findings, over two clusters and twenty folders; every tenth is a removal. */
export function manyFindings(number: number, guard = 'format: 1\n'): Promise<Report> {
  const base: Record<string, string> = {}
  const head: Record<string, string> = {}
  for (let index = 0; index < number; index++) {
    const folder = `clusters/${index % 2 === 0 ? 'east' : 'west'}/team-${index % 20}`
    if (index % 10 === 9) {
      base[`${folder}/role-${index}.yaml`] = role(`system:r${index}`)
      continue
    }
    const name = `web-${index}`
    base[`${folder}/${name}.yaml`] = ingress(name, ['a.example.com'], ['a.example.com'])
    head[`${folder}/${name}.yaml`] = ingress(name, ['a.example.com'], ['a.example.com', `h${index}.example.com`])
  }
  return judge({ base, head: head as Texts, guard })
}
