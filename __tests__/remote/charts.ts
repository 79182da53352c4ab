import path from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { checkOpenedOnline } from '../cli/guard'
import { chart, indexOf, type Server, serve, sha256 } from '../fetch/servers'
import { readFolder, root } from '../harness'
import { opened } from '../source/in-memory'
import { url } from '../source/probe'
import type { Files } from '../source/repository'
import { tool } from '../tools'

/** Versions of charts, each with its files. */
export type Versions = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

/** A repository of charts on loopback: `{ edge: { '1.0.0': files } }`. */
export async function chartRepository(charts: Versions): Promise<Server> {
  const server = await serve()
  const listed: Record<string, { version: string; url: string; digest: string }[]> = {}
  for (const [name, versions] of Object.entries(charts)) {
    listed[name] = []
    for (const [version, files] of Object.entries(versions)) {
      const archive = await chart(name, version, files)
      const file = `${name}-${version}.tgz`
      server.answers.set(`/charts/${file}`, archive)
      listed[name].push({ version, url: file, digest: sha256(archive) })
    }
  }
  server.answers.set('/charts/index.yaml', indexOf(listed))
  return server
}

/** The URL of the repository that a server has. */
export function urlOf({ url }: Server): string {
  return `${url}/charts`
}

/** A repository of charts that is served while the tests of a file run. */
export interface ServedCharts {
  readonly url: string
  /** The paths that were asked for. */
  readonly asked: string[]
  /** A config that allows to fetch from it, and its HelmRepository in a file. */
  used(file?: string): Files
}

/** Serves charts to the tests of the file that calls it. */
export function serveCharts(charts: Versions): ServedCharts {
  let server: Server | undefined
  beforeAll(async () => {
    server = await chartRepository(charts)
  })
  afterAll(() => server?.close())
  const running = (): Server => {
    if (!server) throw new Error('Charts are served only while tests run.')
    return server
  }
  return {
    get url() {
      return urlOf(running())
    },
    get asked() {
      return running().asked
    },
    used: (file = 'charts.yaml') => ({ ...allowing(urlOf(running())), [file]: helmRepository(urlOf(running())) }),
  }
}

/** The config that lets the tests' own servers be asked. */
export function allowing(...urls: readonly string[]): Files {
  return { '.github/ingress-guard.yaml': `format: 1\nnetwork: {charts: ${JSON.stringify(urls)}}\n` }
}

/** An Ingress with the host that its TLS lists, and another one. */
export function ingressWith(host: string): string {
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [covered.example.com], secretName: web}]
  rules:
    - host: covered.example.com
    - host: ${host}
`
}

/** A chart whose value `exposed` is a host of its Ingress; its TLS lists the default alone. */
export const exposing = {
  'values.yaml': 'exposed: covered.example.com\n',
  'templates/ingress.yaml': ingressWith('"{{ .Values.exposed }}"'),
}

/** The chart of outage 004. */
export const nginx = ((): Record<string, string> => {
  const { 'Chart.yaml': _, ...files } = readFolder(path.join(root, 'incidents/004/head/charts/ingress-nginx'))
  return files
})()

/** Judges a change, with the network. */
export async function changeOnline(base: Files, head: Files, ...options: readonly string[]) {
  const tools = ['--helm', tool('helm'), '--kustomize', tool('kubectl')]
  const report = await checkOpenedOnline(opened(base, head, url), ...tools, ...options)
  // A reader has no file of a chart that was fetched.
  expect(JSON.stringify(report)).not.toContain('.git/charts')
  return report
}

type Report = Awaited<ReturnType<typeof changeOnline>>

/** `error head/a.yaml:3 ingress-tls/host-covered`, a line for each introduced finding. */
export function introduced({ findings }: Report): string[] {
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(
      ({ level, rule, location: { side, path: file, region } }) =>
        `${level} ${side}/${file}:${region.startLine} ${rule}`,
    )
}

/** `a.yaml judged`, a line for each changed file. */
export function states({ inspected }: Report): string[] {
  return (inspected.files ?? []).map(({ path: file, state, cause }) => [file, state, cause].filter(Boolean).join(' '))
}

export function helmRepository(url: string, name = 'charts'): string {
  return `apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata:
  name: ${name}
  namespace: flux-system
spec:
  interval: 1h
  url: ${url}
`
}

export interface Release {
  readonly namespace?: string
  readonly chart: string
  readonly version: string
  readonly repository?: string
  /** Lines of YAML, from the margin. */
  readonly values?: string
}

function indented(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(by))
}

/** A HelmRelease: its version is in line 11, and its values start in line 17. */
export function helmRelease(name: string, { namespace = name, chart: its, version, repository, values }: Release) {
  return `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  interval: 1h
  chart:
    spec:
      chart: ${its}
      version: ${version}
      sourceRef:
        kind: HelmRepository
        name: ${repository ?? 'charts'}
        namespace: flux-system
${values ? `  values:\n${indented(values, 4)}` : ''}`
}

/** An Application: its version is in line 12, and what follows `helm:` starts in line 14. */
export function application(name: string, { namespace = name, chart: its, version, repository, values }: Release) {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
  namespace: argocd
spec:
  destination: { server: https://kubernetes.default.svc, namespace: ${namespace} }
  project: default
  source:
    repoURL: ${repository}
    chart: ${its}
    targetRevision: ${version}
${values ? `    helm:\n${indented(values, 6)}` : ''}`
}
