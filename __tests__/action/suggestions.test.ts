import { describe, expect, test } from '@jest/globals'
import { diffLines } from '../../src/action/diff-lines'
import { suggestionsIn } from '../../src/action/suggestions'
import { judgeWithFixes, type Texts } from '../harness'
import { ingress } from '../source/objects'
import { patchOf } from './patches'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])

/** The comments on a change, with the diff that GitHub shows of it, or another one. */
async function commentsOn(base: Texts, head: Texts, rule: string, shown: Texts = head) {
  const { report } = await judgeWithFixes({ base, head }, rule)
  const files = Object.keys({ ...base, ...shown })
  const diff = new Map(files.map((file) => [file, diffLines(patchOf(base[file], shown[file]))] as const))
  const comments = suggestionsIn(report, diff)
  return { patches: report.patches ?? [], comments, suggested: comments.filter(({ side }) => side === 'RIGHT') }
}

const covered = 'ingress-tls/host-covered'

/** The head after the suggestions were applied as GitHub does: whole lines, the block without its fence. */
function clicked(text: string, comments: Awaited<ReturnType<typeof commentsOn>>['suggested']): string {
  const lines = text.split('\n')
  for (const { startLine, line, text: body } of [...comments].sort((a, b) => b.line - a.line)) {
    const [, , block = ''] = body.match(/^(`{3,})suggestion\n([\s\S]*?)\n\1$/m) ?? []
    lines.splice(startLine - 1, line - startLine + 1, ...block.split('\n'))
  }
  return lines.join('\n')
}

describe('a suggestion', () => {
  test.each<[string, string, string]>([
    ['of an item of a list', sound, holed],
    [
      'of two findings at one line',
      sound,
      ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com', 'c.example.com']),
    ],
    ['beside a text with fences', `# \`\`\`\n${sound}`, holed.replace('hosts: [', 'hosts: [ # `````\n        ')],
    ['in the second of two documents', `${sound}---\n${sound}`, `${sound.replaceAll('web', 'api')}---\n${holed}`],
  ])('%s makes the file that --fix writes', async (_, base, head) => {
    const { patches, suggested } = await commentsOn({ 'web.yaml': base }, { 'web.yaml': head }, covered)
    expect(suggested.length).toBeGreaterThan(0)
    expect(clicked(head, suggested)).toBe(patches[0]?.after)
  })

  test('of lines that were removed stands at a line that the diff shows', async () => {
    const tls = '  tls:\n    - secretName: web-tls\n      hosts: [a.example.com]\n'
    const head = sound.replace(tls, '')
    const { suggested } = await commentsOn({ 'web.yaml': sound }, { 'web.yaml': head }, 'ingress-tls/tls-kept')
    expect(suggested.map(({ startLine, line }) => [startLine, line])).toEqual([[6, 6]])
    expect(clicked(head, suggested)).toBe(sound)
  })
})

describe('no suggestion changes what it does not show', () => {
  test.each<[string, string]>([
    ['line ends of Windows', holed.replaceAll('\n', '\r\n')],
    ['a tab', holed.replace('hosts: [a.example.com]', 'hosts: [a.example.com]\t# x')],
    ['an invisible character', holed.replace('hosts: [a.example.com]', 'hosts: [a.example.com] # \u200b')],
    ['a separator of lines', holed.replace('hosts: [a.example.com]', 'hosts: [a.example.com] # \u2028')],
    ['a mark of direction', holed.replace('hosts: [a.example.com]', 'hosts: [a.example.com] # \u202e')],
  ])('in a line with %s', async (_, head) => {
    const { patches, comments } = await commentsOn({ 'web.yaml': sound }, { 'web.yaml': head }, covered)
    expect(comments).toEqual([])
    // In the working tree, every other byte stays.
    const after = patches[0]?.after ?? ''
    expect(after.replace(', b.example.com', '')).toBe(head)
  })

  test('in the last line of a file that does not end with one', async () => {
    const head = `spec:\n  rules: [{host: a.example.com}, {host: b.example.com}]\n${sound
      .split('\n')
      .slice(0, 5)
      .join('\n')}`
    const flow = `${head}\n`.replace('spec:\n', '').replace(/^ {2}rules.*\n/, '')
    const last = `${flow}spec: {rules: [{host: a.example.com}, {host: b.example.com}], tls: [{hosts: [a.example.com], secretName: web-tls}]}`
    const { patches, comments } = await commentsOn({ 'web.yaml': sound }, { 'web.yaml': last }, covered)
    expect(patches).toHaveLength(1)
    expect(comments).toEqual([])
  })

  test('where the pull request has other lines than what was judged, or does not show them', async () => {
    const other = holed.replace('hosts: [a.example.com]', 'hosts: [a.example.com] # theirs')
    for (const shown of [other, `# moved\n${holed}`, sound]) {
      const { suggested } = await commentsOn({ 'web.yaml': sound }, { 'web.yaml': holed }, covered, {
        'web.yaml': shown,
      })
      expect(suggested).toEqual([])
    }
  })

  test('of a Secret, but its type', async () => {
    const secret = (type: string) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: web-tls, namespace: shop}\ndata:\n  tls.crt: eA==\n  tls.key: c2VjcmV0\ntype: ${type}\n# end\n`
    const base = { 'web.yaml': sound, 'secret.yaml': secret('kubernetes.io/tls') }
    const gone = { 'web.yaml': sound, 'secret.yaml': secret('kubernetes.io/tls').replace(/ {2}tls\.key: .*\n/, '') }
    const lost = await commentsOn(base, gone, 'ingress-tls/secret-type')
    expect(lost.patches[0]?.after).toContain('c2VjcmV0')
    expect(lost.suggested).toEqual([])
    expect(JSON.stringify(lost.comments)).not.toContain('c2VjcmV0')
    const added = { 'web.yaml': sound, 'secret.yaml': secret('kubernetes.io/basic-auth') }
    const { suggested } = await commentsOn(
      { 'web.yaml': sound, 'secret.yaml': '# none\n' },
      added,
      'ingress-tls/secret-type',
    )
    expect(suggested.map(({ text }) => text.split('\n').slice(-4))).toEqual([
      ['```suggestion', 'type: kubernetes.io/tls', '```', ''],
    ])
  })
})

describe('no fix is given', () => {
  test.each<[string, Texts]>([
    [
      'in JSON',
      {
        'web.json': JSON.stringify({
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: 'web', namespace: 'shop' },
          spec: { tls: [{ hosts: ['a.example.com'], secretName: 't' }], rules: [{ host: 'b.example.com' }] },
        }),
      },
    ],
    ['where an anchor may be used elsewhere', { 'web.yaml': holed.replace('hosts: [a', 'hosts: &hosts [a') }],
    [
      'in a template of a chart',
      { 'chart/Chart.yaml': 'name: a\nversion: 1.0.0\n', 'chart/templates/web.yaml': holed },
    ],
    ['in the config of the gate', { '.github/ingress-guard.yaml': holed }],
  ])('%s', async (_, head) => {
    const { report } = await judgeWithFixes(
      { base: { 'a.yaml': '# a\n' }, head: { 'a.yaml': '# a\n', ...head } },
      covered,
    )
    expect(report.patches).toEqual([])
    expect(report.findings.filter(({ fix }) => fix)).toEqual([])
  })

  test('a byte order mark stays', async () => {
    const { report, fixed } = await judgeWithFixes(
      { base: { 'web.yaml': sound }, head: { 'web.yaml': `\ufeff${holed}` } },
      covered,
    )
    expect(report.patches).toHaveLength(1)
    expect(fixed['web.yaml']).toBe(`\ufeff${holed.replace('[a.example.com]', '[a.example.com, b.example.com]')}`)
  })
})
