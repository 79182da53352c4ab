import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { stream } from './objects'
import { judgeChange } from './rendered'

function flux(name: string, path: string, more = ''): string {
  return `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: flux-system}
spec:
  interval: 1h
  path: ${path}
  prune: true
  sourceRef: {kind: GitRepository, name: home}
${more}`
}

/** Gives all Kustomizations below it the variables of a ConfigMap. */
const patches = `  patches:
    - target: {group: kustomize.toolkit.fluxcd.io, kind: Kustomization}
      patch: |
        apiVersion: kustomize.toolkit.fluxcd.io/v1
        kind: Kustomization
        metadata: {name: any}
        spec:
          postBuild:
            substituteFrom: [{kind: ConfigMap, name: settings}]
`

const settings = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: flux-system}\ndata: {DOMAIN: example.com}\n`

function ingress(domain: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: web}\nspec:\n  rules: [{host: "web.\${${domain}}"}]\n`
}

/** The findings of an Ingress that is added below a Kustomization that cannot be built, so that its patches are not applied. */
async function added(domain: string): Promise<string[]> {
  const base = {
    'flux/apps.yaml': stream(flux('apps', './apps', patches), settings),
    'apps/kustomization.yaml': 'resources: [web/flux.yaml, absent.yaml]\n',
    'apps/web/flux.yaml': flux('web', './apps/web/app', '  postBuild: {substitute: {APP: web}}\n'),
    'apps/web/app/kustomization.yaml': 'resources: []\n',
  }
  const head = {
    'apps/web/app/kustomization.yaml': 'resources: [web.yaml]\n',
    'apps/web/app/web.yaml': ingress(domain),
  }
  return lines(await judgeChange(base, head, 'helm', ['ingress-tls@1.7.0'])).filter((line) =>
    line.includes('variables-set'),
  )
}

test('a variable that patches give to other Kustomizations is set', async () => {
  expect(await added('DOMAIN')).toEqual([])
})

test('one that neither they nor the Kustomization give is not', async () => {
  expect(await added('DOMIAN')).toEqual(['introduced error head/apps/web/app/web.yaml:5 ingress-tls/variables-set'])
})
