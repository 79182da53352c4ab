import { describe, expect, test } from '@jest/globals'
import { checkJson, guard, lines } from '../cli/guard'
import { configMap, ingress } from '../source/objects'
import { TestRepository } from '../source/repository'

const file = '.github/ingress-guard.yaml'
const covered = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['b.example.com'])
const hole = 'introduced error head/web.yaml:11 ingress-tls/host-covered'
const suggestion = 'Explain why this is intended.'

/** Entries of `exceptions`, from line 3 on. */
function config(...entries: readonly string[]): string {
  return `format: 1\nexceptions:\n${entries.map((entry) => `  - {${entry}}\n`).join('')}`
}

function exception(reason: string, more = '', expires = '2026-12-31'): string {
  return `rule: ingress-tls/host-covered, object: Ingress/shop/web, reason: ${reason}, expires: ${expires}${more}`
}

/** Judges the changes of the second commit, on 2026-11-21. */
async function judged(base: Record<string, string>, head: Record<string, string>) {
  const repo = new TestRepository()
  repo.commit(base)
  repo.commit(head)
  return checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
}

describe('the reason that was suggested', () => {
  test('is an error at its line in a config of the head', async () => {
    const entry = `  - rule: ingress-tls/host-covered\n    object: Ingress/shop/web\n    reason: ${suggestion}\n    expires: 2026-12-31\n`
    const report = await judged({ 'web.yaml': covered }, { [file]: `format: 1\nexceptions:\n${entry}` })
    expect(lines(report)).toContain(`introduced error head/${file}:5 config/exception-unexplained`)
    expect(report.findings.find(({ rule }) => rule === 'config/exception-unexplained')?.text).toBe(
      'The exception from ingress-tls/host-covered for Ingress/shop/web has the reason that was suggested with it, so reviewers cannot judge it. Write why it is intended.',
    )
    expect(report.status).toBe(1)
  })

  test.each(['explain why this is intended', 'Say why this is wanted.', '" Explain  why this is intended. "'])(
    'also as %s',
    async (reason) => {
      const report = await judged({ 'web.yaml': covered }, { [file]: config(exception(reason)) })
      expect(lines(report)).toContain(`introduced error head/${file}:3 config/exception-unexplained`)
    },
  )

  test('holds at the base, with a warning', async () => {
    const report = await judged({ [file]: config(exception(suggestion)), 'web.yaml': covered }, { 'web.yaml': holed })
    expect(lines(report)).toEqual([`existing warning base/${file}:3 config/exception-unexplained`, hole])
    expect(report.findings[1]?.exception?.reason).toBe(suggestion)
    expect(report.status).toBe(0)
  })

  test('of the base is no error of a change that adds another exception', async () => {
    const own = exception(suggestion)
    const more = exception('moved', '').replace('shop/web', 'shop/cart')
    const report = await judged({ [file]: config(own), 'web.yaml': covered }, { [file]: config(own, more) })
    expect(lines(report).filter((line) => line.includes('error'))).toEqual([])
  })

  test('is an error of a revision that is judged whole', async () => {
    const repo = new TestRepository()
    repo.commit({ [file]: config(exception(suggestion)), 'web.yaml': holed })
    const report = await checkJson('--repo', repo.dir, '--all')
    expect(lines(report)).toContain(`existing error head/${file}:3 config/exception-unexplained`)
    expect(report.status).toBe(1)
  })

  test('is not taken for one that says more', async () => {
    const reason = '"Explain why this is intended: the CDN has the certificate."'
    const report = await judged({ 'web.yaml': covered }, { [file]: config(exception(reason)) })
    expect(lines(report)).toEqual([`introduced notice head/${file}:1 config/changed`])
  })
})

describe('an exception from known-defect', () => {
  const controller = (tag: string) =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ingress-nginx-controller, namespace: ingress-nginx}\nspec:\n  template:\n    spec:\n      containers:\n        - name: controller\n          image: registry.k8s.io/ingress-nginx/controller:${tag}\n          args: [/nginx-ingress-controller]\n`
  const defects = async (keys: string, reason = 'no snippets here') => {
    const entry = `rule: version-matrix/known-defect, object: Deployment/ingress-nginx/ingress-nginx-controller, reason: ${reason}, expires: 2026-12-31${keys}`
    const report = await judged(
      { [file]: config(entry), 'a.yaml': configMap('a') },
      { 'controller.yaml': controller('v1.12.0') },
    )
    const severe = report.findings.find(({ message }) => message === 'severe')
    return { report, severe }
  }

  test('names the defects that it covers, and covers no other', async () => {
    const { severe: all } = await defects('')
    const [component, ...ids] = all?.keys ?? []
    expect(component).toBe('ingress-nginx')
    expect(ids.length).toBeGreaterThan(1)
    const { report, severe } = await defects(`, keys: [${ids.join(', ')}]`)
    expect(severe?.exception?.reason).toBe('no snippets here')
    expect(lines(report).filter((line) => line.includes('config/'))).toEqual([])
    const { report: less, severe: left } = await defects(`, keys: [${ids.slice(1).join(', ')}]`)
    expect(left?.exception).toBeUndefined()
    expect(lines(less)).toContain(`existing notice base/${file}:3 config/exception-unused`)
  })

  test('that names none covers all, with a notice', async () => {
    const { report, severe } = await defects('')
    expect(severe?.exception?.reason).toBe('no snippets here')
    expect(lines(report)).toContain(`existing notice base/${file}:3 config/exception-unnamed`)
  })

  test('is suggested with their names', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    repo.commit({ 'controller.yaml': controller('v1.12.0') })
    const { stdout } = await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'])
    expect(stdout).toMatch(
      /rule: version-matrix\/known-defect\n +object: .*\n +keys:\n(?: +- (?:CVE-[\d-]+|[\w-]+)\n)+ +reason: /,
    )
  })

  test('alone takes keys', async () => {
    const repo = new TestRepository()
    repo.commit({ [file]: config(exception('moved', ', keys: [a.example.com]')), 'web.yaml': covered })
    const { status, stderr } = await guard(['check', '--repo', repo.dir, '--all'])
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('Only an exception from version-matrix/known-defect takes `keys:`; remove them.'),
    ])
  })
})

describe('a proposal', () => {
  const proposed = async (text: string, more: Record<string, string> = {}) => {
    const repo = new TestRepository()
    repo.commit({ [file]: text, 'web.yaml': covered })
    repo.commit({ 'web.yaml': holed, ...more })
    const { stdout } = await guard([
      ...['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'],
      ...['--today', '2026-11-21'],
    ])
    return stdout.slice(stdout.indexOf('If this change'))
  }
  const renewed =
    '      - rule: ingress-tls/host-covered\n        object: Ingress/shop/web\n        reason: moved\n        expires: 2026-12-21\n'

  test('takes the place of an exception that has expired, with its reason', async () => {
    expect(await proposed(config(exception('moved', '', '2026-11-20')))).toBe(
      `If this change is intended, first put this in place of the exception at line 3 of ${file}, which has expired, in a separate pull request (extend a list that exists already):\n\n    exceptions:\n${renewed}\nAfter its merge, update the branch of this change (merge or rebase): the config of its base is the one in force.\n`,
    )
  })

  test('renews the glob that covered the finding', async () => {
    const text = await proposed(config(exception('moved', ', cluster: ""', '2026-11-20').replace('shop/web', 'shop/*')))
    expect(text).toContain('object: Ingress/shop/*\n')
    expect(text.match(/- rule:/g)).toHaveLength(1)
  })

  test('adds what has had none', async () => {
    const text = await proposed(config(exception('moved', '', '2026-11-20')), {
      'cart.yaml': ingress('cart', ['x.example.com'], ['y.example.com']),
    })
    expect(text).toContain(
      `first put the first entry of this in place of the exception at line 3 of ${file}, which has expired, and add the others in a separate pull request`,
    )
    expect(text).toContain(
      `    exceptions:\n${renewed}      - rule: ingress-tls/host-covered\n        object: Ingress/shop/cart\n`,
    )
  })
})

describe('a glob that matches no file is a notice at its line', () => {
  const globs = 'format: 1\nignore: ["**/vendor/**", old/**]\nclusters: {prod: {paths: [apps/**, prdo/**]}}\n'

  test('of the config in force', async () => {
    const report = await judged({ [file]: globs, 'apps/web.yaml': covered }, { 'apps/a.yaml': configMap('a') })
    expect(lines(report)).toEqual([
      `existing notice base/${file}:2 config/glob-unmatched`,
      `existing notice base/${file}:3 config/glob-unmatched`,
    ])
    expect(report.findings.map(({ text }) => text)).toEqual([
      'The glob "old/**" under `ignore` matches no file. Correct it, or remove it.',
      'The glob "prdo/**" under `clusters.prod.paths` matches no file. Correct it, or remove it.',
    ])
  })

  test('of a change of it, once', async () => {
    const more = globs.replace('prdo/**', 'prdo/**, new/**')
    const report = await judged({ [file]: globs, 'apps/web.yaml': covered }, { [file]: more })
    expect(lines(report).filter((line) => line.includes('glob-unmatched'))).toEqual([
      `existing notice base/${file}:2 config/glob-unmatched`,
      `existing notice base/${file}:3 config/glob-unmatched`,
      `introduced notice head/${file}:3 config/glob-unmatched`,
    ])
  })

  test('of an exception: it covers nothing', async () => {
    const terms = 'reason: it was there once, expires: 2026-12-31'
    const unused = config(
      `rule: ingress-tls/host-covered, object: Ingress/shop/gone-*, ${terms}`,
      `rule: source/not-judged, path: gone/**, ${terms}`,
    )
    const report = await judged({ [file]: unused, 'apps/web.yaml': covered }, { 'apps/a.yaml': configMap('a') })
    expect(lines(report)).toEqual([
      `existing notice base/${file}:3 config/exception-unused`,
      `existing notice base/${file}:4 config/exception-unused`,
    ])
  })

  test('unless it matches below a link', async () => {
    const repo = new TestRepository()
    repo.commit({ [file]: globs, old: { link: 'apps' }, prdo: { link: 'apps' }, 'apps/web.yaml': covered })
    expect(lines(await checkJson('--repo', repo.dir, '--all')).filter((line) => line.includes('glob'))).toEqual([])
  })
})
