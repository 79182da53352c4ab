import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { DeclarationSite } from '../../sources/source'
import { declarationSite, type GitOpsSources } from '../common/gitops-sources'

/**
 * The line that names the folder of a source: in the Application, or in the one template of the ApplicationSet that makes
 * it. The whole object where another template, or a rendering, writes the line.
 */
export function siteOfPath(manifest: Manifest, at: Cursor, named: GitOpsSources): DeclarationSite {
  if (at.manifest === manifest) return named.siteOf(manifest, at)
  const generated = named.repositoryIndex.generatedBySets.get(manifest)
  const own = manifest.root.at('spec', 'template', ...at.path)
  return generated?.hasOneTemplate && own.exists ? named.siteOf(manifest, own) : declarationSite(manifest)
}
