import type { FileDeployments } from '../common/file-deployments'
import { folderOf, most } from './helmfile'
import { filesFor } from './helmfile-paths'

/** `readFile "nginx.conf"`, and with a path of several parts `readFile (printf "%s/nginx.conf" .Environment.Name)`. */
const reading = /\breadFile +\(?(?:printf +)?["`]([^"`\n]+)["`]/g
const piped = /["`]([^"`\n]+)["`] *\| *readFile\b/g

/**
 * Takes the files that templates of helmfile read: those of helmfiles and of values that are not filled in. A path is
 * relative to the template.
 */
export async function takeFilesRead(deployments: FileDeployments): Promise<void> {
  const { checkout } = deployments.surroundings
  const templates = [...deployments.templates, ...deployments.taken.map(({ path }) => path)]
  for (const [template, text] of await checkout.texts([...new Set(templates)])) {
    const written = [reading, piped].flatMap((form) => [...text.matchAll(form)].map(([, path = '']) => path))
    const reason = `${template} reads it, which is a template that only helmfile fills in`
    for (const path of [...new Set(written)].slice(0, most.globs))
      for (const place of filesFor(folderOf(template), path.replace(/%[a-z]/g, '*'), checkout))
        deployments.taken.push({ path: place, reason })
  }
}
