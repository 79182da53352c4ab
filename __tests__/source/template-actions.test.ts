import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { filesInChart } from '../../src/render/answers/packed-chart'
import { UncertainActions } from '../../src/render/answers/uncertain-actions'
import { actionsOf, type Term, termsOf } from '../../src/template/template-actions'
import { tool } from '../tools'
import { temporaryFolder, writeFiles } from './repository'

describe('the actions of a template', () => {
  const words = (template: string) => actionsOf(template).map((action) => action.words.map(({ text }) => text))
  const cases: [template: string, expected: string[][]][] = [
    ['a {{ .b }} c', [['.b']]],
    ['{{- if eq .a "}}" -}}', [['if', 'eq', '.a', '"}}"']]],
    ['{{/* lookup */}}{{- /* x }} */ -}}{{now}}', [['now']]],
    [
      '{{ $x := (lookup "v1" `a` "" "").data | len }}',
      [['$x', ':=', '(', 'lookup', '"v1"', '`a`', '""', '""', ')', '.data', '|', 'len']],
    ],
    ['{{ \'\\\'\' }}{{ "\\"{{" }}', [["'\\''"], ['"\\"{{"']]],
    ['{{ if\n  .a\n}}', [['if', '.a']]],
    ['{{ unended "', [['unended', '"']]],
    ['{{ -3 }}', [['-3']]],
    ['{{}}', []],
  ]
  test.each(cases)('%j', (template, expected) => {
    expect(words(template)).toEqual(expected)
    for (const { words: its } of actionsOf(template))
      for (const { text, from, to } of its) expect(template.slice(from, to)).toBe(text)
  })

  test('are grouped by their parentheses, also where one is missing', () => {
    const [action] = actionsOf('{{ and (not .a) (or .b (c)) ) (d }}')
    const shape = (terms: readonly Term[]): unknown[] =>
      terms.map((term) => ('text' in term ? term.text : shape(term.group)))
    expect(shape(termsOf(action?.words ?? []))).toEqual(['and', ['not', '.a'], ['or', '.b', ['c']], ['d']])
  })
})

describe('conditions that are not known', () => {
  const files = (text: string, helpers = '') =>
    new Map([
      ['t.yaml', text],
      ['_h.tpl', helpers],
    ])
  const found = (text: string, helpers = '') => {
    const uncertain = new UncertainActions(files(text, helpers), new Set(['lookup']), false)
    return uncertain.conditionsOf('t.yaml').map(({ from, to }) => text.slice(from, to))
  }
  const cases: [template: string, expected: string[]][] = [
    ['{{ if .Values.lookup }}{{ end }}', []],
    ['{{ if "lookup" }}{{ end }}', []],
    ['{{ if and .a (not (lookup "x")) .b }}{{ end }}', ['lookup "x"']],
    ['{{ if or .a (eq (lookup "x").data.b "c") }}{{ end }}', ['eq (lookup "x").data.b "c"']],
    ['{{ if (lookup "x").data }}{{ end }}', ['(lookup "x").data']],
    ['{{ if .a }}{{ else if lookup "x" | empty }}{{ end }}', ['lookup "x" | empty']],
    ['{{ $a := lookup "x" }}{{ $b := $a.c }}{{ if $b }}{{ end }}{{ if $c }}{{ end }}', ['$b']],
    ['{{ range $i, $x := (lookup "x").items }}{{ if $x.y }}{{ end }}{{ end }}', ['(lookup "x").items', '$x.y']],
    ['{{ define "other" }}{{ $a := lookup "x" }}{{ end }}{{ $a := 1 }}{{ if $a }}{{ end }}', []],
  ]
  test.each(cases)('%s', (template, expected) => {
    expect(found(template)).toEqual(expected)
  })

  test('follow named templates of other files', () => {
    const helpers =
      '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ lookup "x" }}{{ end }}{{ define "c" }}{{ end }}'
    expect(found('{{ if include "a" . }}{{ end }}{{ if include "c" . }}{{ end }}', helpers)).toEqual(['include "a" .'])
  })
})

describe('a packed chart', () => {
  test('has the files that helm packs', () => {
    const folder = temporaryFolder()
    const long = `templates/${'long-name/'.repeat(20)}x.yaml`
    writeFiles(folder, {
      'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
      'c/templates/a.yaml': 'a: é\n',
      [`c/${long}`]: 'b\n',
    })
    execFileSync(tool('helm'), ['package', path.join(folder, 'c'), '-d', folder], { stdio: 'ignore' })
    const files = filesInChart(readFileSync(path.join(folder, 'c-1.0.0.tgz')))
    expect(files.map(({ path: file }) => file).sort()).toEqual(['Chart.yaml', 'templates/a.yaml', long].sort())
    expect(files.find(({ path: file }) => file === 'templates/a.yaml')?.content.toString('utf8')).toBe('a: é\n')
  })

  test('of a broken or hostile archive nothing leads out of its folder', () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'x/a.txt': 'a', 'b.txt': 'b' })
    const make = (...args: readonly string[]) => {
      execFileSync('tar', ['-czPf', 'out.tgz', ...args], { cwd: folder })
      return filesInChart(readFileSync(path.join(folder, 'out.tgz'))).map(({ path: file }) => file)
    }
    expect(make('--transform', 's#x/a#c/../../a#', 'x/a.txt')).toEqual([])
    expect(make('--transform', 's#x/a#c/sub/a#', 'x/a.txt', 'b.txt')).toEqual(['sub/a.txt'])
    expect(filesInChart(Buffer.from('no archive'))).toEqual([])
  })
})
