// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { configMap, release, repository, sourceRef } from './flux-objects'
import { change, chart, hostsOf, object, probe, role, url, whole } from './probe'
import type { Files } from './repository'

const fluxKustomization = (name: string, spec: string) =>
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', name, 'flux-system', `spec:\n${spec}`)

const application = (name: string, path: string, more = '') =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    name,
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: ${path}${more}}\n  destination: {namespace: ${name}}\n`,
  )

const entry = (folder: string, host: string): Files => ({
  [`${folder}/kustomization.yaml`]: 'resources: [web.yaml]\n',
  [`${folder}/web.yaml`]: probe('web', host),
})

describe('objects that a cluster completes by patches', () => {
  // Flux itself, its path and its variables are in a patch for each cluster, and the source of all is in another.
  const files: Files = {
    'clusters/base/kustomization.yaml': `resources: [../../flux/source.yaml, ../../flux/own.yaml, ../../flux/shop.yaml]
patches:
  - path: ../../flux/every.yaml
    target: {kind: Kustomization}
`,
    'clusters/one/kustomization.yaml': 'resources: [../base]\npatches: [{path: own.yaml}]\n',
    'clusters/one/own.yaml': fluxKustomization(
      'own',
      '  path: ./clusters/one\n  postBuild: {substitute: {ENVIRONMENT: one, DOMAIN: one.example.com}}\n',
    ),
    'flux/source.yaml': repository(),
    'flux/own.yaml': fluxKustomization('own', `  path: ./clusters/\${ENVIRONMENT}\n  ${sourceRef}\n`),
    'flux/shop.yaml': fluxKustomization(
      'shop',
      '  path: ./shop/${ENVIRONMENT}\n  postBuild: {substitute: {HOST: "shop.${DOMAIN}"}}\n',
    ),
    'flux/every.yaml': fluxKustomization('every', `  prune: true\n  ${sourceRef}\n`),
    ...entry('shop/one', '"${HOST}"'),
  }

  test('are read as completed, with the values of what applies them', async () => {
    expect(await hostsOf(files)).toEqual(['/web shop.one.example.com'])
  })

  test('are judged in a change of a file that only the completed path leads to', async () => {
    const report = await change(
      { ...files, 'shop/one/kustomization.yaml': 'resources: [web.yaml, role.yaml]\n', 'shop/one/role.yaml': role },
      { 'shop/one/kustomization.yaml': 'resources: [web.yaml]\n', 'shop/one/role.yaml': null },
    )
    expect(lines(report)).toEqual(['introduced error head/shop/one/kustomization.yaml:1 protected-rbac/object-kept'])
  })
})

describe('objects that a rendering brings', () => {
  const apps: Files = {
    'apps/Chart.yaml': 'apiVersion: v2\nname: apps\nversion: 1.0.0\n',
    'apps/values.yaml': 'apps: []\n',
    'apps/values-prod.yaml': 'apps: [shop]\n',
    'apps/templates/app.yaml': `{{- range .Values.apps }}
---
${application('{{ . }}', 'deploy/{{ . }}')}{{- end }}
`,
  }

  test('are followed where a chart renders Applications', async () => {
    expect(await hostsOf({ ...apps, ...entry('deploy/shop', 'shop.example.com') })).toEqual([
      'shop/web shop.example.com',
    ])
  })

  test('are followed for each set of values of the chart', async () => {
    const files = {
      ...apps,
      'apps/values-test.yaml': 'apps: [trial]\n',
      ...entry('deploy/shop', 'shop.example.com'),
      ...entry('deploy/trial', 'trial.example.com'),
    }
    expect((await hostsOf(files)).sort()).toEqual(['shop/web shop.example.com', 'trial/web trial.example.com'])
  })

  test('are of the same repository where only what installs the chart names it', async () => {
    const template = `{{- range .Values.apps }}
---
${application('{{ . }}', 'deploy/{{ . }}').replace(url, '{{ $.Values.repository }}')}{{- end }}
`
    const files = { ...apps, 'apps/templates/app.yaml': template, ...entry('deploy/shop', 'shop.example.com') }
    expect(await hostsOf(files)).toEqual(['shop/web shop.example.com'])
  })

  test('are followed through further ones', async () => {
    const deeper = {
      ...apps,
      'deploy/shop/kustomization.yaml': 'namePrefix: x-\nresources: [more.yaml]\n',
      'deploy/shop/more.yaml': application('more', 'deploy/more'),
      ...entry('deploy/more', 'more.example.com'),
    }
    expect(await hostsOf(deeper)).toEqual(['more/web more.example.com'])
  })

  test.each<[string, Files]>([
    [
      'by a resource that has no name of a manifest',
      { 'top/kustomization.yaml': 'resources: [app.txt]\n', 'top/app.txt': application('shop', 'x/vendor/shop') },
    ],
    [
      'by a patch',
      {
        'top/kustomization.yaml': `resources: [app.yaml]
patches:
  - target: {kind: Application}
    patch: '[{"op": "replace", "path": "/spec/source/path", "value": "x/vendor/shop"}]'
`,
        'top/app.yaml': application('shop', 'nowhere'),
      },
    ],
    [
      'by a chart',
      {
        'top/Chart.yaml': 'apiVersion: v2\nname: top\nversion: 1.0.0\n',
        'top/templates/app.yaml': application('shop', 'x/{{ "vendor" }}/shop'),
      },
    ],
  ])('lead to a folder that `ignore` hides %s', async (_, files) => {
    expect(await hostsOf({ ...files, ...entry('x/vendor/shop', 'hidden.example.com') })).toEqual([
      'shop/web hidden.example.com',
    ])
  })

  test('have the values of a ConfigMap that is generated beside them', async () => {
    const generated = {
      ...chart,
      'flux/source.yaml': repository(),
      'releases/kustomization.yaml': `resources: [web.yaml]
configMapGenerator: [{name: web-values, namespace: shop, files: [values.yaml]}]
generatorOptions: {disableNameSuffixHash: true}
`,
      'releases/values.yaml': 'host: generated.example.com\n',
      'releases/web.yaml': release('valuesFrom: [{kind: ConfigMap, name: web-values}]'),
    }
    expect(await hostsOf(generated)).toEqual(['shop/web generated.example.com'])
  })

  test('end, with an entry of the list, where each brings the next without an end', async () => {
    const endless = {
      'endless/Chart.yaml': 'apiVersion: v2\nname: endless\nversion: 1.0.0\n',
      'endless/templates/app.yaml': application('{{ .Release.Name }}x', 'endless'),
      'root.yaml': application('x', 'endless'),
    }
    const { findings, inspected, status } = await whole(endless)
    expect([findings, status]).toEqual([[], 0])
    expect(inspected.skipped).toContainEqual({
      path: 'endless/templates/app.yaml',
      reason:
        'Application argocd/xxxxxxxxxx: its rendering deploys further renderings, more than 8 levels deep; deeper ones are not followed',
    })
  })

  test('are unknown, and not removed, where what brings them renders no longer', async () => {
    const files = {
      ...apps,
      'deploy/shop/kustomization.yaml': 'resources: [role.yaml]\n',
      'deploy/shop/role.yaml': role,
    }
    const report = await change(files, { 'apps/templates/app.yaml': '{{ fail "no" }}\n' })
    expect(lines(report)).toEqual(['introduced error head/apps/templates/app.yaml:1 source/unrendered'])
  })

  test('are the same on both sides of a change that touches none of them', async () => {
    const before = {
      ...apps,
      ...entry('deploy/shop', 'shop.example.com'),
      'note.yaml': configMap('note', 'shop', 'a: b'),
    }
    const report = await change(before, { 'note.yaml': configMap('note', 'shop', 'a: c') })
    expect(lines(report).filter((line) => line.startsWith('introduced'))).toEqual([])
  })
})
