// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are quoted from the code
import path from 'node:path'
import { expect, test } from '@jest/globals'
import ts from 'typescript'
import { root } from './harness'

/** Keys that only our own code names. Keys from files are looked up by `entryOf`. */
const allowed = [
  'src/entry.ts: object[key]',
  'src/engine/evaluate.ts: active.rule.messages[message]',
  'src/revision/git-command.ts: env[name]',
  'src/revision/git-command.ts: env[`GIT_CONFIG_KEY_${first + index}`]',
  'src/revision/git-command.ts: env[`GIT_CONFIG_VALUE_${first + index}`]',
]

/** A program of the files under `src/`, and maybe of one more text. */
function programOf(more?: { readonly name: string; readonly text: string }): ts.Program {
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(root, 'tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic({ messageText }) {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
      },
    },
  )
  if (!config) throw new Error('tsconfig.json cannot be read.')
  const host = ts.createCompilerHost(config.options)
  if (!more) {
    const files = config.fileNames.filter((file) => file.startsWith(path.join(root, 'src/')))
    return ts.createProgram(files, config.options, host)
  }
  const { getSourceFile, fileExists } = host
  host.fileExists = (file) => file === more.name || fileExists(file)
  host.getSourceFile = (file, version) =>
    file === more.name ? ts.createSourceFile(file, more.text, version, true) : getSourceFile(file, version)
  return ts.createProgram([more.name], config.options, host)
}

/** Whether a type has values besides its literal ones; numbers name no inherited key. */
function isOpen(type: ts.Type): boolean {
  if (type.isUnion()) return type.types.some(isOpen)
  return (type.flags & (ts.TypeFlags.StringLiteral | ts.TypeFlags.NumberLike | ts.TypeFlags.ESSymbolLike)) === 0
}

/** The places that reach what an object inherits by a key that is not written there, or set it. */
function openKeysIn(program: ts.Program, file: ts.SourceFile): string[] {
  const checker = program.getTypeChecker()
  const found: string[] = []
  const isOpenKey = (node: ts.Expression) => !ts.isStringLiteralLike(node) && isOpen(checker.getTypeAtLocation(node))
  const say = (node: ts.Node) => {
    found.push(`${path.relative(root, file.fileName)}: ${node.getText(file).replace(/\s+/g, ' ')}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && isOpenKey(node.argumentExpression)) say(node)
    else if (
      ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.InKeyword &&
      !ts.isPrivateIdentifier(node.left) &&
      isOpenKey(node.left)
    )
      say(node)
    // It sets the keys that it copies, and setting `__proto__` sets the prototype.
    else if (ts.isCallExpression(node) && node.expression.getText(file) === 'Object.assign') {
      if (node.arguments.slice(1).some((argument) => !ts.isObjectLiteralExpression(argument))) say(node)
    } else if (ts.isForInStatement(node)) say(node)
    // `const { [key]: value } = object`
    else if (ts.isBindingElement(node) && node.propertyName && ts.isComputedPropertyName(node.propertyName)) {
      if (isOpenKey(node.propertyName.expression)) say(node)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

test('no object is indexed by a key that a file may name', () => {
  const program = programOf()
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(path.join(root, 'src/')))
  expect(files.length).toBeGreaterThan(100)
  const found = files.flatMap((file) => openKeysIn(program, file))
  expect(found.filter((place) => !allowed.includes(place))).toEqual([])
}, 300_000)

test('each forbidden form is found', () => {
  const name = path.join(root, 'src/sample.ts')
  const text = `
declare const table: Record<string, string>
declare const list: string[]
declare const key: string
declare const loose: any
declare const known: 'a' | 'b'
export const found = [table[key], list[loose], loose[key], key in table, Object.assign({}, table)]
for (const one in table) found.push(one)
export const { [key]: taken } = table
export const fine = [table['a'], table.a, table[known], list[0], list[list.length], known in table, { [key]: 1 }]
`
  const program = programOf({ name, text })
  const file = program.getSourceFile(name)
  expect(file && openKeysIn(program, file).map((place) => place.replace('src/sample.ts: ', ''))).toEqual([
    'table[key]',
    'list[loose]',
    'loose[key]',
    'key in table',
    'Object.assign({}, table)',
    'for (const one in table) found.push(one)',
    '[key]: taken',
  ])
}, 300_000)
