import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { opened } from './in-memory'
import { ingress, kustomization as kustomize, name } from './kustomize-objects'
import { configMap, role } from './objects'
import { change, object, url } from './probe'
import type { Files } from './repository'

const broken = kustomize('resources: [gone.yaml]')
const notBuilt = (report: Awaited<ReturnType<typeof change>>) =>
  report.inspected.skipped.filter(({ reason }) => reason.includes('which no Argo CD or Flux object deploys'))

/** Flux deploys `apps`, and says so. */
const flux: Files = {
  'flux/source.yaml': repository(),
  'flux/apps.yaml': kustomization('apps', './apps'),
  'apps/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'apps/web.yaml': ingress('web.example.com'),
}

const argo: Files = {
  'argocd/apps.yaml': object(
    'argoproj.io/v1alpha1',
    'Application',
    'apps',
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: apps}\n`,
  ),
  'apps/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'apps/web.yaml': ingress('web.example.com'),
}

describe('a Kustomization that nothing deploys', () => {
  const old: Files = { 'old/kustomization.yaml': broken, 'old/notes.yaml': 'a: 1\n' }

  test('and that did not build at the base is listed, whatever it does not build for now', async () => {
    const other = kustomize('resources: [gone.yaml, more.yaml]')
    const report = await change(old, { 'old/kustomization.yaml': `# An archive.\n${other}` })
    expect(lines(report)).toEqual(['introduced notice head/old/kustomization.yaml:4 source/not-judged'])
    expect(notBuilt(report)).toMatchObject([
      { path: 'old/kustomization.yaml', reason: expect.stringContaining('the Kustomization old, which no Argo CD') },
    ])
  })

  test('and that did build at the base is an error', async () => {
    const base = {
      ...flux,
      'old/kustomization.yaml': kustomize('resources: [web.yaml]'),
      'old/web.yaml': ingress('b.example.com'),
    }
    const report = await change(base, { 'old/kustomization.yaml': broken })
    expect(lines(report)).toContain('introduced error head/old/kustomization.yaml:3 source/unrendered')
  })

  test('and that is new is an error where no object names the folders that are deployed', async () => {
    expect(lines(await change({ 'notes.txt': 'x' }, old))).toEqual([
      'introduced error head/old/kustomization.yaml:3 source/unrendered',
    ])
  })

  test.each([
    ['Flux', flux],
    ['Argo CD', argo],
  ])('and that is new is listed where objects of %s name the folders that are deployed', async (_, base) => {
    const report = await change(base, old)
    expect(lines(report)).toEqual([])
    expect(notBuilt(report)).toHaveLength(1)
  })

  test('and that is new is an error where only the change names folders', async () => {
    expect(lines(await change({ 'notes.txt': 'x' }, { ...flux, ...old }))).toEqual([
      'introduced error head/old/kustomization.yaml:3 source/unrendered',
    ])
  })

  test('and that is new is listed where another tool deploys what it names', async () => {
    const report = await change({ 'other/.kluctl.yml': 'targets: [{name: prod}]\n' }, old)
    expect(lines(report)).toEqual([])
    expect(notBuilt(report)).toHaveLength(1)
  })

  test('and that is new is listed where it takes in one that did not build at the base', async () => {
    const base = { 'a/kustomization.yaml': broken, 'b/kustomization.yaml': kustomize('resources: [../a]') }
    const taking = { 'c/kustomization.yaml': kustomize('resources: [../a]') }
    const report = await change(base, taking)
    expect(lines(report)).toEqual(['introduced notice head/c/kustomization.yaml:1 source/not-judged'])
    expect(notBuilt(report)).toMatchObject([{ path: 'a/kustomization.yaml' }])
    const more = { 'a/kustomization.yaml': kustomize('resources: [other.yaml]'), ...taking }
    expect(lines(await change({ 'a/kustomization.yaml': kustomize('resources: []') }, more))).toEqual([
      'introduced error head/a/kustomization.yaml:3 source/unrendered',
    ])
  })

  test('hides no manifest that was judged', async () => {
    const base = { ...flux, 'old/kustomization.yaml': broken, 'plain/role.yaml': role(name) }
    const taken = { 'old/kustomization.yaml': kustomize('resources: [gone.yaml, ../plain/role.yaml]') }
    expect(lines(await change(base, taken))).toEqual([])
    const renamed = await change(base, { ...taken, 'plain/role.yaml': role('other') })
    expect(lines(renamed)).toEqual(['introduced error base/plain/role.yaml:1 protected-rbac/object-kept'])
  })
})

describe('files that no root reaches', () => {
  const web = (of: string, routed = 'web.example.com', more = '') =>
    object(
      'networking.k8s.io/v1',
      'Ingress',
      of,
      'shop',
      `spec:\n  tls: [{hosts: [web.example.com], secretName: web-tls}]\n  rules:\n    - host: ${routed}\n      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}\n${more}`,
    )
  const judge = async (base: Files, head: Files) => {
    return lines(await checkOpened(opened(base, head, url), '--policy', 'ingress-tls@1.1.0'))
  }
  const twice = (file: string) => `introduced warning head/${file} ingress-tls/host-unique`
  const byFlux = { ...flux, 'apps/web.yaml': web('web') }
  const byArgo = { ...argo, 'apps/web.yaml': web('web') }
  const archive = { 'archive/web.yaml': web('old') }
  const built = { 'archive/kustomization.yaml': kustomize('resources: [web.yaml]'), ...archive }
  const unlisted = {
    'apps/old/kustomization.yaml': kustomize('resources: [web.yaml]'),
    'apps/old/web.yaml': web('old'),
  }

  test.each<[by: string, base: Files, head: Files]>([
    ['Flux', byFlux, archive],
    ['Argo CD', byArgo, archive],
    ['Flux, when a Kustomization builds it', byFlux, built],
    ['Argo CD, when a Kustomization builds it', byArgo, built],
    ['Flux, when a Kustomization does not list it', byFlux, unlisted],
    ['Flux, when that is edited', { ...byFlux, ...archive }, { 'apps/web.yaml': web('web', undefined, '# edited\n') }],
  ])('is compared with nothing that objects deploy: of %s', async (_, base, head) => {
    expect(await judge(base, head)).toEqual([])
  })

  test('loses nothing with a controller that goes', async () => {
    const ofNginx = (of: string) => web(of).replace('spec:\n', 'spec:\n  ingressClassName: nginx\n')
    const controller = object(
      'apps/v1',
      'Deployment',
      'nginx',
      'edge',
      'spec: {template: {spec: {containers: [{name: c, image: "registry.k8s.io/ingress-nginx/controller:v1.12.2", args: [/nginx-ingress-controller]}]}}}\n',
    )
    const lost = async (more: Files) => {
      const base = { ...flux, 'apps/kustomization.yaml': kustomize('resources: [web.yaml, nginx.yaml]'), ...more }
      const taken = { 'apps/kustomization.yaml': kustomize('resources: [web.yaml]'), 'apps/nginx.yaml': null }
      const run = checkOpened(
        opened({ ...base, 'apps/nginx.yaml': controller }, taken, url),
        '--policy',
        'controller-scope@^1',
      )
      return (await run).findings.filter(({ rule }) => rule.endsWith('controller-kept')).map(({ text }) => text)
    }
    expect(await lost({ 'archive/web.yaml': ofNginx('old') })).toEqual([])
    expect(await lost({ 'archive/web.yaml': ofNginx('old'), 'apps/web.yaml': ofNginx('web') })).toEqual([
      expect.stringContaining('so nothing serves Ingress shop/web afterwards.'),
    ])
  })

  test('is listed, and so is the reason in the account of its files', async () => {
    const { inspected } = await checkOpened(opened(byFlux, archive, url), '--policy', 'ingress-tls@1.1.0')
    expect(inspected.skipped).toEqual([
      {
        path: 'archive',
        reason: expect.stringMatching(/^no Argo CD or Flux object that is known deploys it, .* compared with no other/),
      },
    ])
    expect(inspected.files).toMatchObject([
      { path: 'archive/web.yaml', state: 'judged', reason: expect.stringMatching(/as nothing known deploys them$/) },
    ])
  })

  const more = (count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`more/${index}.yaml`, configMap(`more-${index}`)]))

  test('is compared where the objects name the smaller part of the manifests', async () => {
    // Flux names four files: its own two, and those of apps.
    expect(await judge({ ...byFlux, ...more(4) }, archive)).toEqual([])
    expect(await judge({ ...byFlux, ...more(5) }, archive)).toEqual([twice('archive/web.yaml:10')])
    const other = Object.fromEntries(Object.keys(more(5)).map((file) => [file, 'hosts: all\n']))
    expect(await judge({ ...byFlux, ...other }, archive)).toEqual([])
  })

  test('is compared where the only object deploys another repository', async () => {
    const elsewhere = String(argo['argocd/apps.yaml']).replace(url, 'https://github.com/acme/other')
    expect(await judge({ ...byArgo, 'argocd/apps.yaml': elsewhere }, archive)).toEqual([twice('archive/web.yaml:10')])
  })

  test('is compared where nothing names a folder', async () => {
    expect(await judge({ 'apps/web.yaml': web('web') }, archive)).toEqual([twice('archive/web.yaml:10')])
  })

  test.each<[why: string, more: Files]>([
    [
      'an ApplicationSet may name any folder',
      {
        'argocd/set.yaml': object(
          'argoproj.io/v1alpha1',
          'ApplicationSet',
          'all',
          'argocd',
          `spec:\n  generators: [{scmProvider: {github: {organization: acme}}}]\n  template: {metadata: {name: x}, spec: {source: {repoURL: "${url}", path: "{{path}}"}}}\n`,
        ),
      },
    ],
    [
      'a folder is still to be filled in',
      { 'flux/more.yaml': kustomization('more', ['./apps/$', '{STAGE}'].join('')) },
    ],
    [
      'a chart makes Applications',
      {
        'root/Chart.yaml': 'apiVersion: v2\nname: root\nversion: 1.0.0\n',
        'root/templates/apps.yaml':
          '{{- range .Values.apps }}\napiVersion: argoproj.io/v1alpha1\nkind: Application\n{{- end }}\n',
      },
    ],
    [
      'the values of a chart from elsewhere do',
      {
        'argocd/apps.yaml': object(
          'argoproj.io/v1alpha1',
          'Application',
          'more',
          'argocd',
          `spec:\n  source:\n    repoURL: https://argoproj.github.io/argo-helm\n    chart: argocd-apps\n    helm: {values: "applications: {x: {source: {repoURL: '${url}', path: archive}}}"}\n`,
        ),
      },
    ],
    ['another tool deploys the folder', { 'archive/fleet.yaml': 'defaultNamespace: shop\n' }],
    [
      'a patch completes an object',
      {
        'argocd/kustomization.yaml': kustomize(
          'resources: [app.yaml]',
          `patches: [{target: {kind: Application}, patch: '[{"op": "replace", "path": "/spec/source/path", "value": "archive"}]'}]`,
        ),
        'argocd/app.yaml': object(
          'argoproj.io/v1alpha1',
          'Application',
          'apps',
          'argocd',
          `spec:\n  source: {repoURL: "${url}", path: apps}\n`,
        ),
      },
    ],
    ['it is beside an object that somebody applies', { 'archive/apps.yaml': kustomization('again', './apps') }],
  ])('is compared as before where %s', async (_, more) => {
    expect(await judge({ ...byFlux, ...more }, archive)).toEqual([twice('archive/web.yaml:10')])
  })

  test('is compared with nothing beside a copy of an object that is deployed', async () => {
    const base = {
      'cluster/source.yaml': repository(),
      'cluster/all.yaml': kustomization('all', './flux'),
      ...byFlux,
      'archive/flux/apps.yaml': kustomization('apps', './apps'),
    }
    const added = { 'archive/flux/web.yaml': web('old') }
    expect(await judge(base, added)).toEqual([])
    const another = { 'archive/flux/apps.yaml': kustomization('others', './apps') }
    expect(await judge({ ...base, ...another }, added)).toEqual([twice('archive/flux/web.yaml:10')])
  })

  test('is compared as before where the config declares its cluster', async () => {
    const config = 'format: 1\nclusters: {prod: {paths: ["**"]}}\n'
    expect(await judge({ ...byFlux, '.github/ingress-guard.yaml': config }, archive)).toEqual([
      twice('archive/web.yaml:10'),
    ])
  })

  test('is still judged by itself', async () => {
    expect(await judge(byFlux, { 'archive/web.yaml': web('old', 'other.example.com') })).toEqual([
      'introduced notice head/archive/web.yaml:7 ingress-tls/entry-used',
      'introduced error head/archive/web.yaml:9 ingress-tls/host-covered',
    ])
  })

  test('is compared once the change names it', async () => {
    const named = { 'flux/archive.yaml': kustomization('archive', './archive') }
    expect(await judge({ ...byFlux, ...archive }, named)).toEqual([twice('flux/archive.yaml:8')])
  })

  test('stays compared when only the change no longer names it', async () => {
    const base = {
      ...byFlux,
      'flux/more.yaml': kustomization('more', './more'),
      'more/notes.yaml': configMap('notes', 'x'),
    }
    expect(await judge(base, { 'flux/more.yaml': null, 'more/web.yaml': web('old') })).toEqual([
      twice('more/web.yaml:10'),
    ])
  })
})
