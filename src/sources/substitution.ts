import { parseDocument } from 'yaml'
import { entryOf } from '../entry'

/**
 * Replaces Flux's variables in a rendered object: `${name}`, `${name:-default}`, `${name:=default}`; `$${name}` escapes
 * `${name}`. https://fluxcd.io/flux/components/kustomize/kustomizations/#post-build-variable-substitution
 *
 * An unknown name stays as written, and so do bash's string functions: the content of a Secret in the cluster is
 * unknown, and an empty string would look like a real value.
 */
export function substituted(text: string, substitutions: Readonly<Record<string, string>> | undefined): string {
  if (!substitutions || !text.includes('${') || isLeftAlone(text)) return text
  // After the last brace no variable is closed; a search for its end from each `${` would take quadratic time.
  const end = text.lastIndexOf('}') + 1
  const filled = text
    .slice(0, end)
    .replace(/\$?\$\{([A-Za-z_]\w*)(?:(:?)[-=]([^}]*))?\}/g, (written, name: string, colon, fallback?: string) => {
      if (written.startsWith('$$')) return written.slice(1)
      const value = entryOf(substitutions, name)
      // With a colon an empty value counts as none.
      if (fallback !== undefined && (colon ? !value : value === undefined)) return fallback
      return value ?? written
    })
  return filled + text.slice(end)
}

/** An object may opt out of substitution. */
function isLeftAlone(text: string): boolean {
  if (!text.includes('kustomize.toolkit.fluxcd.io/substitute')) return false
  const document = parseDocument(text, { logLevel: 'silent', version: '1.1' })
  return ['annotations', 'labels'].some(
    (field) => document.getIn(['metadata', field, 'kustomize.toolkit.fluxcd.io/substitute']) === 'disabled',
  )
}
