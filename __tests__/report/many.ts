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
    const own = `own${index}.example.com`
    const inNamespace = (text: string) => text.replace('namespace: shop', `namespace: shop-${index}`)
    base[`${folder}/${name}.yaml`] = inNamespace(ingress(name, [own], [own]))
    head[`${folder}/${name}.yaml`] = inNamespace(ingress(name, [own], [own, `new${index}.example.com`]))
  }
  return judge({ base, head: head as Texts, guard })
}
