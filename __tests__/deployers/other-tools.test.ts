import { describe, expect, test } from '@jest/globals'
import { otherTools } from '../../src/deployers/fleet-helmfile/other-tools'
import { change } from '../source/probe'

/** The tool that takes a file of a side with these files, and its folder; the files that were read. */
async function toolOf(file: string, files: Readonly<Record<string, string>>) {
  const read: string[] = []
  const found = await otherTools([file], Object.keys(files), async (paths) => {
    read.push(...paths)
    return new Map(paths.map((path) => [path, files[path] ?? '']))
  })
  const tool = found.find((one) => one.takes(file))
  return { tool: tool && `${tool.tool} in ${tool.folder || '.'} by ${tool.mark}`, read }
}

describe('the tool that takes a file', () => {
  const cases: [file: string, files: Readonly<Record<string, string>>, tool: string | undefined][] = [
    ['k/web/values.yml', { 'k/.kluctl.yaml': '', 'k/web/values.yml': '' }, 'Kluctl in k by k/.kluctl.yaml'],
    ['k/web/a.yaml', { 'k/deployment.yaml': 'deployments:\n  - path: web\n' }, 'Kluctl in k by k/deployment.yaml'],
    ['k/a.yaml', { 'k/deployment.yaml': 'kind: Deployment\n' }, undefined],
    [
      't/main.jsonnet',
      { 't/spec.json': '{"apiVersion": "tanka.dev/v1alpha1"}', 't/main.jsonnet': '' },
      'Tanka in t by t/spec.json',
    ],
    ['lib/a/x.libsonnet', { 'lib/jsonnetfile.json': '{}' }, 'Jsonnet in lib by lib/jsonnetfile.json'],
    ['x.jsonnet', { 'x.jsonnet': '{}' }, 'Jsonnet in . by x.jsonnet'],
    ['app/lib/chart.ts', { 'app/cdk8s.yaml': '' }, 'cdk8s in app by app/cdk8s.yaml'],
    ['tf/values/web.yaml', { 'tf/main.tf': 'resource "helm_release" "web" {\n}\n' }, 'Terraform in tf by tf/main.tf'],
    ['tf/other.tf', { 'tf/main.tf': '  resource "kubernetes_manifest" "web" {\n}\n' }, 'Terraform in tf by tf/main.tf'],
    ['tf/main.tf', { 'tf/main.tf': '# resource "helm_release"\nresource "aws_s3_bucket" "x" {\n}\n' }, undefined],
    [
      'p/index.ts',
      { 'p/Pulumi.yaml': '', 'p/package.json': '{"@pulumi/kubernetes": "4"}' },
      'Pulumi in p by p/package.json',
    ],
    ['p/index.ts', { 'p/package.json': '{"@pulumi/kubernetes": "4"}' }, undefined],
    ['vendir.yml', { 'vendir.yml': '' }, 'Carvel vendir in . by vendir.yml'],
    ['y/schema.yaml', { 'y/schema.yaml': '#@data/values-schema\n---\n' }, 'Carvel ytt in y by y/schema.yaml'],
    ['m/templates/a.cue', { 'm/timoni.cue': '' }, 'Timoni in m by m/timoni.cue'],
    ['c/a.cue', { 'c/b.cue': 'apiVersion: "v1"\n' }, 'CUE in c by c/b.cue'],
    [
      'x/templates/a.j2',
      { 'x/inventory/targets/one.yml': 'parameters:\n  kapitan:\n    vars: {}\n' },
      'Kapitan in x by x/inventory/targets/one.yml',
    ],
    [
      'roles/web/templates/ingress.yaml.j2',
      { 'roles/web/tasks/main.yml': '- name: x\n  kubernetes.core.k8s:\n    state: present\n' },
      'Ansible in roles/web by roles/web/tasks/main.yml',
    ],
    ['s/skaffold.yaml', { 's/skaffold.yaml': '' }, 'Skaffold in s by s/skaffold.yaml'],
    ['d/web.yaml.tmpl', { 'd/web.yaml.tmpl': 'apiVersion: v1\n' }, 'a template engine in d by d/web.yaml.tmpl'],
    ['d/web.yaml.tmpl', { 'd/web.yaml.tmpl': 'a: b\n' }, undefined],
    [
      'web/web-values.yaml',
      { 'web/install.sh': 'set -e\nhelm upgrade --install web acme/web -f ./web-values.yaml\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    [
      'values/prod.yml',
      { Makefile: 'deploy:\n\t@helm install web acme/web -f values/prod.yml\n' },
      'a script that runs helm in . by Makefile',
    ],
    [
      'web/snmp/helm-values.yaml',
      { 'web/install.sh': 'helm upgrade --install snmp acme/snmp \\\n  -f ./snmp/helm-values.yaml\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    [
      'k8s/ingress_values.yaml',
      { 'k8s/deploy.ps1': 'if ($x) {\n  helm install --values $ingressValues web\n}\n' },
      'a script that runs helm in k8s by k8s/deploy.ps1',
    ],
    [
      'config/clusters/north/common.values.yaml',
      { 'deployer/hub/upgrade.py': 'cmd = [\n    "helm",\n    "upgrade",\n    "--install",\n]\n' },
      'a program that runs helm in . by deployer/hub/upgrade.py',
    ],
    [
      'config/prod.yaml',
      { 'deploy.py': "check_call(['helm', 'upgrade', '-f', os.path.join('config', release)])\n" },
      'a program that runs helm in . by deploy.py',
    ],
    ['config/prod.yaml', { 'deploy.py': "check_call(['helm', 'lint'])\n" }, undefined],
    [
      'apps/web/values-prod.yaml',
      {
        '.github/workflows/deploy.yml':
          'steps:\n  - run: |\n      helm upgrade web apps/web \\\n        -f "$VALUES"\n',
      },
      'a workflow that runs helm in . by .github/workflows/deploy.yml',
    ],
    [
      'clusters/prod/infra-values.yaml',
      { 'scripts/deploy.sh': 'helm upgrade argocd acme/argo-cd \\\n  -f ../clusters/prod/argocd-values.yaml\n' },
      undefined,
    ],
    [
      'clusters/prod/argocd-values.yaml',
      { 'scripts/deploy.sh': 'helm upgrade argocd acme/argo-cd \\\n  --values=../clusters/prod/argocd-values.yaml\n' },
      'a workflow that runs helm in . by scripts/deploy.sh',
    ],
    [
      'web/prod-values.yaml',
      { 'web/install.sh': 'helm upgrade web acme/web "$@"\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    ['web/prod-values.yaml', { 'web/install.sh': 'helm upgrade web acme/web\n' }, undefined],
    [
      'env/prod/web.yaml',
      { 'deploy.sh': 'helm upgrade web acme/web --set a=b -f ./env/$STAGE/web.yaml\n' },
      'a script that runs helm in . by deploy.sh',
    ],
    ['env/prod/shop.yaml', { 'deploy.sh': 'helm upgrade web acme/web -f ./env/$STAGE/web.yaml\n' }, undefined],
    ['env/prod/web.yaml', { 'deploy.sh': 'helm upgrade web acme/web -f test/web.yaml\n' }, undefined],
    ['web/prod-values.yaml', { 'web/install.sh': 'helm upgrade "$NAME" acme/web -f values.yaml\n' }, undefined],
    [
      'web/prod-values.yaml',
      { 'web/install.sh': 'helm upgrade web acme/web -f values.yaml $MORE\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    [
      'web/prod-values.yaml',
      { 'web/install.sh': 'helm upgrade -if prod-val?es.yaml web acme/web\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    [
      'web/prod-values.yaml',
      { 'web/install.sh': 'sops -d prod-values.yaml >plain.yaml\nhelm upgrade web acme/web -f plain.yaml\n' },
      'a script that runs helm in web by web/install.sh',
    ],
    ['apps/web/values.yaml', { '.github/workflows/test.yml': '  - run: helm install acme/cert-manager\n' }, undefined],
    ['apps/web/values.yaml', { '.github/workflows/test.yml': '# helm install web -f values.yaml\n' }, undefined],
    [
      'traefik/values.yaml',
      { 'traefik/README.md': 'Run:\n\n    helm install -f values.yaml traefik traefik/traefik\n' },
      'a command in a README in traefik by traefik/README.md',
    ],
    ['traefik/values.yaml', { 'README.md': '    helm install -f values.yaml traefik traefik/traefik\n' }, undefined],
    [
      'cluster/config-defaults.yaml',
      { 'cluster/config-defaults.yaml': 'replicas: "2"\n', 'cluster/cluster.yaml': '' },
      'Cluster Lifecycle Manager in cluster by cluster/config-defaults.yaml',
    ],
    ['cluster/config-defaults.yaml', {}, undefined],
    ['apps/home/values.yaml', { 'apps/home/main.k': 'import yaml\n' }, 'KCL in apps/home by apps/home/main.k'],
    ['apps/home/values.yaml', { 'apps/home/main.jsonnet': '{}\n' }, 'Jsonnet in apps/home by apps/home/main.jsonnet'],
    [
      'tf/resources/exporter.yaml',
      { 'tf/exporter.tf': 'resource "helm_release" "exporter" {\n}\n' },
      'Terraform in tf by tf/exporter.tf',
    ],
    ['web/settings.yaml', { 'web/install.sh': 'helm upgrade web acme/web\n' }, undefined],
    ['web/values.yaml', { 'web/test.sh': 'helm template web .\n# helm upgrade\n' }, undefined],
    ['README.md', { 'README.md': 'apiVersion: v1', '.kluctl.yaml': '' }, undefined],
  ]
  test.each(cases)('%s of %j is %s', async (file, files, expected) => {
    expect((await toolOf(file, { [file]: '', ...files })).tool).toBe(expected)
  })

  test('is the one of the nearest folder', async () => {
    const files = { '.kluctl.yaml': '', 'a/b/cdk8s.yaml': '', 'a/.kluctl.yaml': '', 'a/b/c.yaml': '' }
    expect((await toolOf('a/b/c.yaml', files)).tool).toBe('Kluctl in a by a/.kluctl.yaml')
  })

  test('is found without a look into other folders', async () => {
    const others = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`other/${index}/main.tf`, '']))
    const { read } = await toolOf('tf/a.tf', { 'tf/a.tf': '', 'tf/main.tf': '', ...others })
    expect(read.sort()).toEqual(['tf/a.tf', 'tf/main.tf'])
  })

  test('is nothing that is read for a file that no tool takes', async () => {
    expect((await toolOf('main.rb', { 'main.rb': '', 'main.tf': '' })).read).toEqual([])
  })
})

test('changed files of other tools are listed, one entry for each tool and folder, and what is judged is not', async () => {
  const main = 'resource "helm_release" "web" {\n}\n'
  const ingress = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\n'
  const base = { 'tf/main.tf': main, 'tf/a.tf': '', 'tf/gone.tf': '', 'tf/ingress.yaml': ingress, 'tf/same.tf': '' }
  const { inspected } = await change(base, {
    'tf/main.tf': `${main}# more\n`,
    'tf/a.tf': '# a\n',
    'tf/gone.tf': null,
    'tf/ingress.yaml': `${ingress}spec: {}\n`,
    'notes.txt': 'x',
  })
  expect(inspected.skipped).toEqual([
    {
      path: 'tf/a.tf',
      reason:
        'not judged, because Terraform uses it and the objects depend on variables and on the state of other resources: run `helm template` in CI with the values that Terraform passes, commit its output and have that checked, or have Argo CD or Flux deploy the chart (the same applies to tf/gone.tf, tf/main.tf)',
    },
  ])
})
