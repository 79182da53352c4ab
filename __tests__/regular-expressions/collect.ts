import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** A regular expression of the sources, and where it is written. */
export interface Written {
  readonly source: string
  readonly flags: string
  readonly at: string
}

/** All regular expression literals of the sources, and the places that make one of a text. */
export function collect(folder: string): { readonly literals: readonly Written[]; readonly made: readonly string[] } {
  const literals: Written[] = []
  const made: string[] = []
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!entry.endsWith('.ts')) continue
    const file = ts.createSourceFile(
      entry,
      readFileSync(join(folder, entry), 'utf8'),
      { languageVersion: ts.ScriptTarget.Latest },
      true,
    )
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/')
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
        literals.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), at: `${entry}:${line}` })
      }
      if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText(file) === 'RegExp')
        made.push(node.getText(file))
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return { literals, made }
}
