import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A new version that breaks something, and the rule that is to name it at the line of the version. */
export interface Breaking {
  readonly chart: string
  readonly rule: string
  /** A published version, and the one that follows it; otherwise the newest, and an edit of it. */
  readonly published?: readonly [string, string]
  /** Edits a file of the chart, or adds one. */
  readonly edit?: { readonly file: string; readonly at?: string; readonly text: string }
  /** Objects of other files that depend on what goes, as YAML. */
  readonly users?: string
}

export const breaking: readonly Breaking[] = [
  {
    chart: 'external-dns',
    rule: 'protected-rbac/secrets-withheld',
    edit: {
      file: 'templates/clusterrole.yaml',
      at: 'rules:\n',
      text: 'rules:\n  - {apiGroups: [""], resources: [secrets], verbs: [get, list, watch]}\n',
    },
  },
  {
    chart: 'kong',
    rule: 'protected-rbac/webhook-scope',
    edit: {
      file: 'templates/guard.yaml',
      text: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: {{ .Release.Name }}-guard}
webhooks:
  - name: pods.guard.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: {service: {name: guard, namespace: {{ .Release.Namespace }}}}
    failurePolicy: Fail
    rules:
      - {apiGroups: [""], apiVersions: ["*"], resources: [pods], operations: [CREATE, UPDATE]}
`,
    },
  },
  {
    chart: 'metallb',
    rule: 'protected-rbac/cluster-object-kept',
    published: ['0.13.12', '0.14.9'],
    users: `apiVersion: metallb.io/v1beta1
kind: AddressPool
metadata: {name: pool, namespace: metallb-system}
spec: {protocol: layer2, addresses: [192.0.2.0/28]}
`,
  },
  {
    chart: 'metallb',
    rule: 'version-matrix/definition-serves',
    edit: {
      file: 'charts/crds/templates/crds.yaml',
      at: 'served: true\n      storage: false',
      text: 'served: false\n      storage: false',
    },
    users: `apiVersion: metallb.io/v1beta1
kind: BGPPeer
metadata: {name: router, namespace: metallb-system}
spec: {myASN: 64500, peerASN: 64501, peerAddress: 192.0.2.1}
`,
  },
  {
    chart: 'traefik',
    rule: 'controller-scope/class-kept',
    edit: {
      file: 'templates/ingressclass.yaml',
      at: 'controller: traefik.io/ingress-controller',
      text: 'controller: traefik.io/ingress-controller-v4',
    },
  },
]

/** Packages an edited copy of a packaged chart, at a version of its own. */
export function packageEdit(
  { chart, edit }: Breaking,
  [from, to]: readonly [string, string],
  { helm, into }: { helm: string; into: string },
): void {
  if (!edit) return
  const work = mkdtempSync(path.join(tmpdir(), 'ingress-guard-chart-'))
  try {
    execFileSync('tar', ['--extract', '--gzip', '--directory', work, '--file', path.join(into, `${chart}-${from}.tgz`)])
    const file = path.join(work, chart, edit.file)
    const text = edit.at === undefined ? edit.text : readFileSync(file, 'utf8').replace(edit.at, edit.text)
    if (!text.includes(edit.text)) throw new Error(`${edit.file} of ${chart} ${from} does not have ${edit.at}`)
    writeFileSync(file, text)
    execFileSync(helm, ['package', path.join(work, chart), '--version', to, '--destination', into], { stdio: 'ignore' })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
