import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A tool that reads the same files, and what it does with them. */
export interface Peer {
  readonly name: string
  readonly does: string
  readonly doesNot: string
  /** Its program and arguments for a folder of manifests. */
  readonly command: (folder: string) => readonly [program: string, ...args: string[]]
  /** The exit status with the findings of these files. */
  readonly status: number
}

const folder = path.resolve('.tools/peers')

/** From the Go module proxy, pinned by version; Go holds each against its public checksums. */
const modules = {
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
  conftest: 'github.com/open-policy-agent/conftest@v0.71.1',
}

/** Each host of an Ingress is in one of its TLS entries, as ingress-tls/host-covered asks. */
const policy = `package main
import rego.v1
deny contains message if {
  input.kind == "Ingress"
  host := input.spec.rules[_].host
  not covered(host)
  message := sprintf("%s: no TLS entry lists %s", [input.metadata.name, host])
}
covered(host) if input.spec.tls[_].hosts[_] == host
`

/** The peers that can be built here, and why others are left out: no Go, or not in the module proxy. */
export function peers(): { readonly built: readonly Peer[]; readonly leftOut: readonly string[] } {
  if (spawnSync('go', ['version']).error) return { built: [], leftOut: ['the peers, as there is no Go to build them'] }
  mkdirSync(folder, { recursive: true })
  const rego = mkdtempSync(path.join(tmpdir(), 'ingress-guard-rego-'))
  writeFileSync(path.join(rego, 'covered.rego'), policy)
  const all: Peer[] = [
    {
      name: 'kubeconform',
      does: 'parses each document; its schemas are left out, as they come from the network',
      doesNot: 'compare objects or revisions',
      command: (files) => [path.join(folder, 'kubeconform'), '-skip', kinds, '-n', '2', files],
      status: 0,
    },
    {
      name: 'conftest, one rule',
      does: 'parses each document and runs the rule on hosts without a certificate, in Rego',
      doesNot: 'compare objects or revisions; give a line',
      command: (files) => [path.join(folder, 'conftest'), 'test', '--policy', rego, '--quiet', files],
      status: 1,
    },
    {
      name: 'kube-score',
      does: 'parses each document and scores workloads, Services and Ingresses',
      doesNot: 'compare revisions; render; know controllers',
      command: (files) => [
        'sh',
        '-c',
        `find ${files} -name '*.yaml' | xargs ${path.join(folder, 'kube-score')} score -o ci`,
      ],
      status: 123,
    },
  ]
  const faults = new Map(all.map((peer) => [peer, faultIn(peer.name.split(',')[0] ?? '')]))
  return {
    built: all.filter((peer) => faults.get(peer) === undefined),
    leftOut: [...faults.values()].flatMap((fault) => fault ?? []),
  }
}

const kinds = ['Deployment', 'Service', 'Ingress', 'Secret', 'Role'].join()

/** Builds a peer; why it could not be built. */
function faultIn(name: string): string | undefined {
  if (existsSync(path.join(folder, name))) return undefined
  const from = Object.entries(modules).find(([one]) => one === name)?.[1] ?? ''
  try {
    execFileSync('go', ['install', from], { env: { ...process.env, GOBIN: folder }, stdio: 'pipe' })
    return undefined
  } catch (error) {
    const [line = ''] = String(error instanceof Error && 'stderr' in error ? error.stderr : error).split('\n')
    return `${name}, as ${from} could not be built: ${line}`
  }
}
