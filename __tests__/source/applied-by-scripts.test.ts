import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { ingress } from './objects'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const judge = (base: Files, head: Files) => judgeChange(base, head, 'helm', ['ingress-tls@^1'])

const states = ({ inspected }: Awaited<ReturnType<typeof judge>>) =>
  (inspected.files ?? []).map(
    ({ path, state, cause, reason }) => `${path} ${[state, cause].join(' ').trim()}: ${reason}`,
  )

const secured = ingress('root', ['a.example.com'], ['a.example.com'])
const open = ingress('root', ['b.example.com'], ['a.example.com'])

const orphan = 'it is an orphan: the Kustomization of apps/web does not list it'

/** A file beside a Kustomization that does not list it, and a file that names it. */
const beside = (namer: string, text: string): Files => ({
  'apps/web/kustomization.yaml': kustomization('resources: [map.yaml]'),
  'apps/web/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n',
  'apps/web/root.yaml': secured,
  [namer]: text,
})

describe('a file beside a Kustomization', () => {
  test.each<[string, string, string]>([
    ['from the root', 'scripts/up.sh', 'kubectl apply -f apps/web/root.yaml\n'],
    [
      'from the folder of the script',
      'apps/web/up.sh',
      'kubectl --context prod create -n web --filename=./root.yaml\n',
    ],
    ['behind a variable', 'scripts/up.sh', 'kubectl apply \\\n  --server-side -f "$ROOT_DIR/apps/web/root.yaml"\n'],
    ['by a tail behind a variable', 'Makefile', 'up:\n\t@oc apply -f a.yaml,$(APPS)/web/root.yaml # first\n'],
    [
      'after another command',
      'Taskfile.yaml',
      'tasks:\n  up:\n    - cd x && kubectl replace -f {{.APPS}}/../web/root.yaml\n',
    ],
  ])('is judged where a script applies it %s', async (_, namer, text) => {
    const report = await judge(beside(namer, text), { 'apps/web/root.yaml': open })
    expect(states(report)).toEqual(['apps/web/root.yaml judged: its objects are judged'])
    expect(places(report)).toEqual([expect.stringMatching(/root\.yaml:\d+ exact ingress-tls\/host-covered$/)])
  })

  test.each<[string, string]>([
    ['scripts/up.sh', 'echo "now run kubectl apply -f apps/web/root.yaml"\n'],
    ['scripts/up.sh', '# kubectl apply -f apps/web/root.yaml\n'],
    ['scripts/up.sh', 'kubectl delete -f apps/web/root.yaml\n'],
    ['scripts/up.sh', 'sops exec-file "$ROOT/apps/web/root.yaml" "kubectl apply -f {}"\n'],
    ['Justfile', 'up:\n  apply.py web/root.yaml\n'],
    ['README.md', 'Then run `kubectl apply -f apps/web/root.yaml`.\n'],
    ['README.md', 'The first object is in ~/src/cluster/apps/web/root.yaml.\n'],
  ])('is said to be named by %s: %j', async (namer, text) => {
    const report = await judge(beside(namer, text), { 'apps/web/root.yaml': open })
    expect(states(report)).toEqual([
      `apps/web/root.yaml not-deployed named-orphan: ${orphan}; ${namer} names it, so something else may deploy it`,
    ])
  })

  test.each<[string, string]>([
    ['README.md', 'There is a file root.yaml, and another/root.yaml, and web/root.yaml.bak.\n'],
    ['main.go', 'apps/web/root.yaml\n'],
  ])('is an orphan where its path is not in %s: %j', async (namer, text) => {
    const report = await judge(beside(namer, text), { 'apps/web/root.yaml': open })
    expect(states(report)).toEqual([`apps/web/root.yaml not-deployed orphan: ${orphan}`])
  })

  test('is judged by the scripts of the base alone', async () => {
    const script = 'kubectl apply -f apps/web/root.yaml\n'
    const added = await judge(beside('scripts/up.sh', '\n'), { 'apps/web/root.yaml': open, 'scripts/up.sh': script })
    expect(states(added)[0]).toMatch(/^apps\/web\/root\.yaml not-deployed named-orphan: /)
    const removed = await judge(beside('scripts/up.sh', script), { 'apps/web/root.yaml': open, 'scripts/up.sh': null })
    expect(states(removed)[0]).toBe('apps/web/root.yaml judged: its objects are judged')
  })

  test('that it no longer lists is not deployed, although a script applies it', async () => {
    const base = beside('scripts/up.sh', 'kubectl apply -f apps/web/root.yaml\n')
    const listed = kustomization('resources: [map.yaml, root.yaml]')
    const report = await judge(
      { ...base, 'apps/web/kustomization.yaml': listed },
      { 'apps/web/kustomization.yaml': kustomization('resources: [map.yaml]'), 'apps/web/root.yaml': open },
    )
    expect(places(report).join()).toContain('source/unrendered')
    expect(report.inspected.changes.removed).toBe(1)
  })
})
