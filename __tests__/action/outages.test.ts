import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { gitIn } from '../source/repository'
import { tool } from '../tools'
import { type Outcome, type Remote, remoteOf } from './checkout'
import { counts, failed, firstLine, run, short } from './step'

describe.each([
  ['this Node', 2, 'helm3', process.execPath],
  ['Node 24', 1, 'helm', tool('node24')],
])('with %s in a checkout of depth %d', (_, depth, helm, node) => {
  /** With depth 2 the base is there, so the remote is not asked. */
  function judgeIncident(incident: string): { remote: Remote; outcome: Outcome } {
    const remote = remoteOf(incident)
    const checkout = remote.checkout({ depth })
    if (depth === 2) gitIn(checkout.dir, 'remote', 'set-url', 'origin', 'file:///nowhere')
    return { remote, outcome: run(checkout, { event: remote.pullRequest(), node }) }
  }

  test('outage 001 is stopped on its lines', () => {
    const { remote, outcome } = judgeIncident('001')
    const said = `ingress-guard found 1 error and blocks this change. Inspected ${short(remote.base)} → HEAD (${short(remote.merge)}): 0 added, 1 changed, 0 removed; read 7 objects in 6 files. 1 changed file: 1 judged.`
    const file = 'teams/orders/ingress.yaml'
    expect(outcome.commands).toEqual([
      expect.stringMatching(
        /^::error title=ingress-tls\/controller-crash,file=teams\/orders\/ingress\.yaml,line=21,.* crashes: all its replicas exit, and all their hosts go down\. .* Also ingress-tls\/host-covered: .* Also ingress-tls\/secret-type: /,
      ),
      `::error::${said}`,
    ])
    expect(firstLine(outcome)).toBe(said)
    expect(counts(outcome)).toEqual(failed(1))
    const report = JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))
    expect(report).toMatchObject({ format: 1, verdict: 'fail' })
    expect(report.findings.map(({ location }: never) => location)).toMatchObject([
      { side: 'head', path: file, region: { startLine: 21 } },
    ])
    expect(outcome.status).toBe(1)
  })

  test(`outage 004 is stopped on its values lines, with ${helm}`, () => {
    const remote = remoteOf('004')
    const inputs = { helm: tool(helm) }
    const outcome = run(remote.checkout({ depth }), { event: remote.pullRequest(), inputs, node })
    const file = 'teams/two/values.yaml'
    expect(outcome.commands).toEqual([
      expect.stringMatching(
        new RegExp(
          `^::error title=controller-scope/namespace-isolated,file=${file},line=5,endLine=5,.*::Deployment two/`,
        ),
      ),
      expect.stringMatching(
        new RegExp(
          `^::error title=controller-scope/status-source,file=${file},line=7,endLine=7,.* does not set --publish-service, so it writes the addresses of its nodes `,
        ),
      ),
      expect.stringMatching(
        /^::error::ingress-guard found 2 errors and blocks this change\. .* in 3 files and 3 rendered releases and Kustomizations\. 1 changed file: 1 input of what was judged\.$/,
      ),
    ])
    const report = JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))
    expect(report.inspected.tools).toEqual([{ name: helm, version: expect.stringMatching(/^v[34]\./) }])
    expect(report.findings[0].sources).toEqual([
      {
        kind: 'helm',
        path: 'charts/ingress-nginx',
        release: 'ingress-nginx',
        namespace: 'two',
        values: [file],
        cluster: '',
      },
    ])
  })

  test('outage 002 is stopped where the objects were', () => {
    const { outcome } = judgeIncident('002')
    expect(outcome.status).toBe(1)
    expect(counts(outcome)).toEqual(failed(6))
    const place =
      /^::error title=protected-rbac\/object-kept,file=(.*?)::(removed: was line \d+) .*? removes (\S+ \S+):/
    const removals = outcome.commands.filter((command) => command.includes('object-kept'))
    expect(removals.map((command) => command.match(place)?.slice(1).join(' '))).toEqual([
      'cluster/rbac/defaults.yaml,line=40,endLine=40 removed: was line 41 ClusterRole system:discovery',
      'cluster/rbac/defaults.yaml,line=40,endLine=40 removed: was line 65 ClusterRoleBinding system:discovery',
      'cluster/rbac/defaults.yaml,line=78,endLine=78 removed: was line 120 ClusterRole system:public-info-viewer',
      'cluster/rbac/defaults.yaml,line=78,endLine=78 removed: was line 138 ClusterRoleBinding system:public-info-viewer',
      'cluster/rbac/controller-manager.yaml removed: was line 1 ClusterRole system:kube-controller-manager',
      'cluster/rbac/controller-manager.yaml removed: was line 89 ClusterRoleBinding system:kube-controller-manager',
    ])
    expect(firstLine(outcome)).toMatch(
      /^ingress-guard found 6 errors and blocks this change\. Inspected .*, 6 removed; read /,
    )
  })
})
