import { ChangedFiles } from '../../src/locate/changed-files'
import { OriginalPlaces } from '../../src/locate/original'
import { Renderer } from '../../src/render/renderer'
import { SideOfChange } from '../../src/sides/side'
import { MemoryRevision } from '../memory-revision'
import { tool } from '../tools'

const chartFile = 'apiVersion: v2\nname: web\nversion: 1.0.0\n'

/**
 * Renders a chart with one of the pinned helms and finds each line of its output.
 *
 * @param files of the chart; `Chart.yaml` may be left out
 * @returns `templates/web.yaml:3 kind: Service` for each line, with a question mark where no line is certain
 */
export async function renderedLines(
  helm: 'helm' | 'helm3',
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const renderer = new Renderer({ helm: tool(helm) })
  try {
    const side = await SideOfChange.open(new MemoryRevision('head', { 'Chart.yaml': chartFile, ...files }), 'head', {
      ignore: [],
      inventories: new Set(),
      releases: [],
      declarations: { base: {}, head: {}, isNew: () => false },
      repository: [],
      changed: undefined,
      renderer,
    })
    const sides = { base: undefined, head: side }
    const originals = new OriginalPlaces(sides, new ChangedFiles(sides))
    const found: string[] = []
    const seen = new Set<string>()
    for (const source of side.discovery.sources) {
      const { objects, failure } = await side.render(source)
      if (failure) throw new Error(failure.reason)
      for (const { object, origin } of objects) {
        // The objects of one piece have one text.
        if (origin.kind !== 'rendered' || seen.has(origin.template + object.fileText)) continue
        seen.add(origin.template + object.fileText)
        for (const [index, line] of object.fileText.split('\n').entries()) {
          if (!line.trim() || line.startsWith('---')) continue
          const {
            path: file,
            precision,
            region,
          } = await originals.find({
            side: 'head',
            path: origin.path,
            region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
            precision: 'file',
            rendered: {
              id: origin.id,
              template: origin.template,
              text: object.fileText,
              line: index + 1,
              object: object.ref,
              keys: [],
            },
          })
          found.push(`${file}:${precision === 'template' ? region.startLine : '?'} ${line.trimEnd()}`)
        }
      }
    }
    return found
  } finally {
    renderer.close()
  }
}
