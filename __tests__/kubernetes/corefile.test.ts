import { describe, expect, test } from '@jest/globals'
import { readCorefile } from '../../src/kubernetes/protection/corefile'

const whole = `# of the cluster
.:53 {
    errors
    health {
       lameduck 5s
    }
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
    }
    forward . /etc/resolv.conf
}
`

describe('a Corefile has', () => {
  test.each<[string, string, object]>([
    [
      'its blocks',
      whole,
      { blocks: [{ addresses: ['.:53'], plugins: ['errors', 'health', 'kubernetes', 'forward'] }], imports: [] },
    ],
    ['nothing', '# nothing\n', { blocks: [], imports: [] }],
    [
      'one server without braces',
      '.:53\nforward . 8.8.8.8\nlog\n',
      { blocks: [{ addresses: ['.:53'], plugins: ['forward', 'log'] }], imports: [] },
    ],
    [
      'addresses on two lines',
      'a.example,\nb.example {\n  whoami\n}\n',
      { blocks: [{ addresses: ['a.example,', 'b.example'], plugins: ['whoami'] }], imports: [] },
    ],
    [
      'a snippet for several servers',
      '(common) {\n  errors\n  forward . 8.8.8.8\n}\n.:53 {\n  import common\n}\n',
      { blocks: [{ addresses: ['.:53'], plugins: ['errors', 'forward'] }], imports: [] },
    ],
    [
      'imports of files',
      'import custom/*.server\n.:53 {\n  import custom/*.override\n  log\n}\n',
      {
        blocks: [{ addresses: ['.:53'], plugins: ['import', 'log'] }],
        imports: ['custom/*.server', 'custom/*.override'],
      },
    ],
    [
      'a comment with a brace',
      '.:53 { # {\n  log # }\n}\n',
      { blocks: [{ addresses: ['.:53'], plugins: ['log'] }], imports: [] },
    ],
    [
      'quoted braces and breaks',
      '.:53 {\n  template IN A {\n    answer "{{ .Name }} 60\n }"\n  }\n}\n',
      { blocks: [{ addresses: ['.:53'], plugins: ['template'] }], imports: [] },
    ],
    [
      'an address of the environment',
      '{$ZONE}:53 {\n  log\n}\n',
      { blocks: [{ addresses: ['{$ZONE}:53'], plugins: ['log'] }], imports: [] },
    ],
  ])('%s', (_, text, expected) => {
    expect(readCorefile(text)).toEqual(expected)
  })
})

describe('a Corefile is refused', () => {
  test.each<[string, string, string]>([
    ['all on one line', '.:53 { forward . /etc/resolv.conf }', 'the } after forward is on the line of a plugin'],
    ['an open block', '.:53 {\n  log\n', 'the { of a server block is never closed'],
    ['an open plugin', '.:53 {\n  health {\n    lameduck 5s\n}\n', 'the { of a server block is never closed'],
    ['a brace too many', '.:53 {\n  log\n}\n}\n', '} is where a server'],
    ['a brace at its address', '.:53{\n  log\n}\n', '.:53{ is where a server'],
    ['a plugin that is open to the end', '.:53 {\n  hosts {\n', 'the { of hosts is never closed'],
  ])('%s', (_, text, fault) => {
    expect(readCorefile(text)).toEqual({ fault: expect.stringContaining(fault) })
  })
})
