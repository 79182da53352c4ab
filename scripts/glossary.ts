import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/**
 * A Markdown table of every exported type in `src/`, by name, with the first sentence of its comment.
 *
 * @throws where a type has no comment
 */
export function glossary(): string {
  const rows = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const folder = path.dirname(file).replaceAll(path.sep, '/')
      return typesIn(path.join('src', file)).map(({ name, meaning }) => `| \`${name}\` | \`${folder}/\` | ${meaning} |`)
    })
  return ['| type | folder | meaning |', '| --- | --- | --- |', ...[...new Set(rows)].sort()].join('\n')
}

function typesIn(file: string): { name: string; meaning: string }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.flatMap((node) => {
    const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)
    if (!isType || !node.name || !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
    const comment = ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node)[0]?.comment)
    if (!comment) throw new Error(`${file}: ${node.name.text} has no comment that says what it is.`)
    const [sentence = ''] = comment.replace(/\s+/g, ' ').split(/(?<=[.:]) (?=[A-Z`-])/)
    return [{ name: node.name.text, meaning: sentence.replace(/[.:]$/, '').replaceAll('|', '\\|') }]
  })
}
