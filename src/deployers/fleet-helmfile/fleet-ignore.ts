import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { startOf } from '../../region'
import { isBoundedGlob } from '../../revision/glob'
import type { FileDeployments } from '../common/file-deployments'
import { fleetFile } from './fleet'

/** The limit on the patterns of a file. */
const mostPatterns = 200

/** Takes the files that a `.fleetignore` leaves out of a bundle of plain YAML: https://fleet.rancher.io/ref-gitrepo */
export async function ignoreForFleet(deployments: FileDeployments): Promise<void> {
  const { checkout, kustomizations } = deployments.surroundings
  const folders = [...deployments.files].filter((file) => fleetFile.test(file)).map(folderOf)
  if (folders.length === 0) return
  const named = [...checkout.tree.entries.keys()].filter((file) => path.basename(file) === '.fleetignore')
  for (const [file, text] of await checkout.texts(named)) {
    const folder = folderOf(file)
    const bundle = folders.find((one) => one === '' || folder === one || folder.startsWith(`${one}/`))
    // Charts and Kustomizations take their files by themselves.
    if (bundle === undefined || kustomizations.has(bundle) || checkout.has(path.join(bundle, 'Chart.yaml'))) continue
    const written = text.split('\n').flatMap((line, index) => {
      const pattern = line.trim()
      return pattern === '' || pattern.startsWith('#') ? [] : [{ pattern, line: index + 1 }]
    })
    const read = written.filter(({ pattern }) => isBoundedGlob(pattern)).slice(0, mostPatterns)
    const unread = written.find((one) => !read.includes(one))
    if (unread) {
      const reason =
        'this pattern, or a later one, is too long or one of too many, so the files that it matches count as deployed'
      deployments.unread.push({ path: file, region: startOf(unread.line), reason })
    }
    const lines = read.map(({ pattern }) => pattern)
    for (const below of checkout.below(folder)) {
      const line = lines.find((one) => isIgnored(below.slice(folder === '' ? 0 : folder.length + 1), one))
      if (line !== undefined) deployments.ignored.set(below, `the line ${line} of ${file} leaves it out`)
    }
  }
}

/** A line is a pattern of base names; with `/*` behind it, of those of folders. */
function isIgnored(place: string, line: string): boolean {
  const options = { dot: true, nobrace: true, noext: true, nocomment: true, nonegate: true }
  const parts = place.split('/')
  const folders = parts.slice(0, -1)
  if (line.endsWith('/*')) return folders.some((name) => minimatch(name, line.slice(0, -2), options))
  return parts.some((name) => minimatch(name, line, options))
}

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}
