import { expect, test } from '@jest/globals'
import { configMap, ingress, role } from '../source/objects'
import { TestRepository } from '../source/repository'
import { checkJson, lines } from './guard'

/** The report on a change. */
async function judged(base: string, head: string) {
  const repo = new TestRepository()
  repo.commit({ 'big.yaml': base, 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) })
  repo.commit({ 'big.yaml': head, 'web.yaml': ingress('web', ['a.example.com'], ['b.example.com']) })
  return checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
}

const hole = 'introduced error head/web.yaml:11 ingress-tls/host-covered'

test('10,000 documents in one file, changed in one place', async () => {
  const documents = Array.from({ length: 10_000 }, (_, index) => configMap(`c${index}`))
  const text = documents.join('---\n')
  const report = await judged(
    `${text}---\n${role('system:last')}`,
    text.replace('name: c5000\n', 'name: c5000\n  labels: {a: b}\n'),
  )
  expect(lines(report)).toEqual(['introduced error base/big.yaml:70001 protected-rbac/object-kept', hole])
  expect(report.inspected.changes).toEqual({ added: 0, changed: 2, removed: 1 })
})

test('a document of 50 MB is a finding in its file, and the rest is judged', async () => {
  const big = configMap('big', `"${'x'.repeat(50 * 1024 * 1024)}"`)
  const report = await judged(configMap('big'), big)
  expect(lines(report)).toEqual(['introduced error head/big.yaml:1 source/unreadable', hole])
  expect(report.findings[0]?.text).toBe(
    'This file cannot be read: this one document has 50 MiB, and an API server accepts at most 3 MiB; split it. It is unknown whether this change keeps ConfigMap big. Fix it, or list the file under `ignore:` in the config if it is not a manifest.',
  )
})

test('50 MB of documents, changed in one place', async () => {
  const text = Array.from({ length: 1000 }, (_, index) =>
    configMap(`c${index}`, `"${'line of text '.repeat(4000)}"`),
  ).join('---\n')
  expect(text.length).toBeGreaterThan(50_000_000)
  const report = await judged(text, text.replace('name: c500\n', 'name: c500\n  labels: {a: b}\n'))
  expect(lines(report)).toEqual([hole])
  expect(report.inspected.changes).toEqual({ added: 0, changed: 2, removed: 0 })
})
