import { describe, expect, test } from '@jest/globals'
import { withPlaceholders } from '../../src/sources/replaced-fields'

const text = `# a comment
kind: HTTPRoute
metadata:
  name: web
  annotations: {example.com/owner: team}
spec:
  empty:
  port: 80 # a port
  long: >-
    of two
    lines
  hosts: [web.suffix, "static.suffix"]
  parents:
    - {name: edge, section: http}
    - name: other
      section: http
---
kind: Service
metadata: {name: web}
spec: {port: 80}
`

const source = { kind: 'ConfigMap', name: 'info', fieldPath: 'data.suffix' }
const given = '<ConfigMap info data suffix>'

/** The lines that differ. */
function filled(target: object, select: object = { kind: 'HTTPRoute', name: 'web' }) {
  const lines = text.split('\n')
  const after = withPlaceholders(text, [{ source, targets: [{ select, ...target }] }]).split('\n')
  expect(after).toHaveLength(lines.length)
  return after.flatMap((line, index) => (line === lines[index] ? [] : [`${index + 1}:${line}`]))
}

describe('fields that replacements fill in', () => {
  test.each<[path: string, expected: string[]]>([
    ['spec.port', [`8:  port: "${given}" # a port`]],
    ['spec.hosts.1', [`12:  hosts: [web.suffix, "${given}"]`]],
    ['spec.hosts.*', [`12:  hosts: ["${given}", "${given}"]`]],
    ['spec.hosts.[=web.suffix]', [`12:  hosts: ["${given}", "static.suffix"]`]],
    ['spec.parents.[name=other].section', [`16:      section: "${given}"`]],
    ['metadata.annotations.example\\.com/owner', [`5:  annotations: {example.com/owner: "${given}"}`]],
    ['metadata.annotations.[example.com/owner]', [`5:  annotations: {example.com/owner: "${given}"}`]],
    ['metadata.name', []],
    ['spec.empty', []],
    ['spec.long', []],
    ['spec.parents', []],
    ['spec.none.at.all', []],
  ])('%s', (path, expected) => {
    expect(filled({ fieldPaths: [path] })).toEqual(expected)
  })

  test.each<[what: string, index: number, host: string]>([
    ['the first part', 0, `${given}.suffix`],
    ['a later part', 1, `web.${given}`],
    ['a part before', -1, `${given}.web.suffix`],
    ['a part after', 5, `web.suffix.${given}`],
  ])('%s of a text', (_, index, host) => {
    expect(filled({ fieldPaths: ['spec.hosts.0'], options: { delimiter: '.', index } })).toEqual([
      `12:  hosts: ["${host}", "static.suffix"]`,
    ])
  })

  test('objects that a target may reject stay as they are', () => {
    expect(filled({ fieldPaths: ['spec.port'], reject: [{ name: 'web' }] })).toEqual([])
  })

  test.each<[what: string, select: object, lines: number[]]>([
    ['of a kind', { kind: 'Service' }, [20]],
    ['of a name', { name: 'web' }, [8, 20]],
    ['of a group', { kind: 'Service', group: 'apps' }, []],
    ['of a pattern, which may select none', { kind: 'Serv.*' }, []],
    ['of labels, which it may not have', { kind: 'Service', labelSelector: 'app=web' }, []],
    ['of another name', { kind: 'Service', name: 'we' }, []],
  ])('objects %s', (_, select, lines) => {
    expect(filled({ fieldPaths: ['spec.port'] }, select).map((line) => Number(line.split(':')[0]))).toEqual(lines)
  })
})
