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

test('one of an object that a patch takes from the list of its Kustomization is not, and the patch is named', async () => {
  const web = (more: string) => flux('web', './apps/web/app', more)
  const files = {
    'flux/apps.yaml': stream(flux('apps', './apps', patches), settings),
    'apps/kustomization.yaml': 'resources: [web/flux.yaml]\n',
    'apps/web/flux.yaml': web(''),
    'apps/web/app/kustomization.yaml': 'resources: [web.yaml]\n',
    'apps/web/app/web.yaml': ingress('DOMAIN'),
  }
  const head = {
    'apps/web/flux.yaml': web('  postBuild: {substituteFrom: [{kind: Secret, name: tunnel}]}\n'),
    'apps/web/app/web.yaml': ingress('TUNNEL'),
  }
  const { findings } = await judgeChange(files, head, 'helm', ['ingress-tls@1.7.0'])
  expect(findings.filter(({ rule }) => rule === 'ingress-tls/variables-set').map(({ text }) => text)).toEqual([
    `Ingress web/web has web.\${TUNNEL}, and nothing sets the variable TUNNEL, so Flux makes web. of it. Its Kustomization names Secret tunnel under substituteFrom, but a patch of the Kustomization above it replaces that list. Name Secret tunnel in the patch, too, or use a variable that is set.`,
  ])
})
