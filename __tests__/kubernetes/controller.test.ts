import { describe, expect, test } from '@jest/globals'
import { type Controller, controllersOf } from '../../src/kubernetes/controllers/controller'
import { Arguments } from '../../src/kubernetes/workload/arguments'
import type { Manifest } from '../../src/manifest/manifest'
import { manifestIn } from '../manifest/manifests'

interface Parts {
  kind?: string
  namespace?: string
  image?: string
  command?: unknown[]
  args?: unknown[]
  env?: object[]
  envFrom?: object[]
  spec?: object
}

function workload({ kind = 'Deployment', namespace = 'edge', spec = {}, ...container }: Parts): Manifest {
  const { image = 'registry.k8s.io/ingress-nginx/controller:v1.12.1' } = container
  const containers = [{ name: 'controller', ...container, image }]
  const metadata = { name: 'web', ...(namespace ? { namespace } : {}) }
  const object = { apiVersion: 'apps/v1', kind, metadata, spec: { template: { spec: { ...spec, containers } } } }
  return manifestIn(JSON.stringify(object))
}

function controllerOf(parts: Parts): Controller {
  const [controller] = controllersOf(workload(parts))
  if (!controller) throw new Error('no controller was recognised')
  return controller
}

const fieldRef = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } })

describe('a workload of any kind that runs Pods', () => {
  const pod = {
    spec: { containers: [{ name: 'controller', image: 'registry.k8s.io/ingress-nginx/controller:v1.12.1' }] },
  }
  const template = { template: pod }
  test.each<[string, string, object, boolean]>([
    ['v1', 'Pod', pod.spec, true],
    ['v1', 'ReplicationController', template, true],
    ['v1', 'ReplicationController', { ...template, replicas: 0 }, false],
    ['apps/v1', 'ReplicaSet', template, true],
    ['apps/v1', 'ReplicaSet', { ...template, replicas: 0 }, false],
    ['apps/v1', 'DaemonSet', template, true],
    // Their Pods come to an end.
    ['batch/v1', 'Job', template, false],
    ['batch/v1', 'CronJob', { jobTemplate: { spec: template } }, false],
    ['argoproj.io/v1alpha1', 'Rollout', template, true],
    ['apps.kruise.io/v1alpha1', 'CloneSet', template, true],
    ['apps.openshift.io/v1', 'DeploymentConfig', template, true],
    ['example.org/v1', 'Deployment', template, false],
  ])('%s %s with %j runs a controller: %#', (apiVersion, kind, spec, runs) => {
    const manifest = manifestIn(
      JSON.stringify({ apiVersion, kind, metadata: { name: 'web', namespace: 'edge' }, spec }),
    )
    expect(controllersOf(manifest).map(({ facts, release }) => [facts.name, release])).toEqual(
      runs ? [['ingress-nginx', '1.12.1']] : [],
    )
  })
})

describe('arguments', () => {
  const valueGiven = (parts: Parts) => {
    const container = workload(parts).root.at('spec', 'template', 'spec', 'containers', 0)
    return new Arguments(container).get('flag')?.value
  }

  test.each<[string, Parts, string | undefined]>([
    ['with an equals sign', { args: ['--flag=a'] }, 'a'],
    ['as two words', { args: ['--flag', 'a'] }, 'a'],
    ['with one dash', { args: ['-flag=a'] }, 'a'],
    ['in the command', { command: ['/x', '--flag=a'], args: ['--other=b'] }, 'a'],
    ['given twice: the last', { args: ['--flag=a', '--flag=b'] }, 'b'],
    ['with an equals sign in it', { args: ['--flag=tier=web'] }, 'tier=web'],
    ['empty', { args: ['--flag='] }, ''],
    ['at the end', { args: ['--flag'] }, ''],
    ['of another name', { args: ['--flags=a', '--no-flag=b'] }, undefined],
    ['by a literal', { args: ['--flag=$(A)'], env: [{ name: 'A', value: 'a' }] }, 'a'],
    ['by the last of two', { args: ['--flag=$(A)'], env: ['a', 'b'].map((value) => ({ name: 'A', value })) }, 'b'],
    [
      'by the namespace',
      { args: ['--flag=$(N)/x'], env: [{ name: 'N', ...fieldRef('metadata.namespace') }] },
      'edge/x',
    ],
    [
      'by no namespace',
      { namespace: '', args: ['--flag=$(N)'], env: [{ name: 'N', ...fieldRef('metadata.namespace') }] },
      undefined,
    ],
    ['by the name of a Pod', { args: ['--flag=$(P)'], env: [{ name: 'P', ...fieldRef('metadata.name') }] }, undefined],
    ['by nothing that is written', { args: ['--flag=$(A)'] }, undefined],
    ['by itself', { args: ['--flag=$(A)'], env: [{ name: 'A', value: '$(A)' }] }, undefined],
    ['escaped', { args: ['--flag=$$(A)'] }, '$(A)'],
    ['filled in later', { args: ['--flag={{ x }}'] }, undefined],
  ])('%s', (_, parts, value) => {
    expect(valueGiven(parts)).toBe(value)
  })

  test('variables say what no flag does, lists go on, and case may not count', () => {
    const of = (parts: Parts, style: object) =>
      new Arguments(workload(parts).root.at('spec', 'template', 'spec', 'containers', 0), style)
    const env = [{ name: 'A_B_C', value: 'x' }]
    expect(of({ env }, { variables: 'A_' }).get('b-c')?.value).toBe('x')
    expect(of({ env, args: ['--b-c=y'] }, { variables: 'A_' }).get('b-c')?.value).toBe('y')
    expect(of({ env: [{ name: 'A_B', valueFrom: { secretKeyRef: {} } }] }, { variables: 'A_' }).get('b')).toMatchObject(
      {
        value: undefined,
      },
    )
    expect(
      of({ args: ['--P.Q=1', '--p.q[1]=2'] }, { anyCase: true })
        .all('p.q')
        .map(({ value }) => value),
    ).toEqual(['1', '2'])
    const nested = of({ args: ['--p.q=1'] }, {})
    expect([nested.has('p'), nested.has('p.q'), nested.has('q')]).toEqual([true, true, false])
    const alone = of({ args: ['--p=1'], env: [{ name: 'A_Q', value: '2' }] }, { variables: 'A_', exclusive: true })
    expect(alone.get('q')).toBeUndefined()
  })

  test('settings from all keys of a ConfigMap are unknown', () => {
    const { watched, claims } = controllerOf({ image: 'kong/kubernetes-ingress-controller:3.5', envFrom: [{}] })
    expect([watched.scope, claims]).toEqual(['unknown', []])
  })

  test('a flag that is true alone has its value after an equals sign only', () => {
    const isOn = (...args: string[]) =>
      new Arguments(workload({ args }).root.at('spec', 'template', 'spec', 'containers', 0)).isOn('flag', true)
    expect([isOn(), isOn('--flag'), isOn('--flag=false'), isOn('--flag=F'), isOn('--flag', 'false')]).toEqual([
      true,
      true,
      false,
      false,
      true,
    ])
    expect(isOn('--flag={{ x }}')).toBe(undefined)
  })
})

describe('controllers', () => {
  test.each<[string, Parts, string | undefined]>([
    ['the project’s', {}, '1.12.1'],
    [
      'of a chroot, by tag and digest',
      { image: 'k8s.gcr.io/ingress-nginx/controller-chroot:v1.3.0@sha256:0a' },
      '1.3.0',
    ],
    ['of old', { image: 'quay.io/kubernetes-ingress-controller/nginx-ingress-controller:0.32.0' }, '0.32.0'],
    ['of RKE', { kind: 'DaemonSet', image: 'rancher/nginx-ingress-controller:nginx-0.25.1-rancher1' }, '0.25.1'],
    ['of a mirror, without a tag', { image: 'mirror.example.com:5000/ingress-nginx/controller' }, undefined],
    ['by its program', { kind: 'StatefulSet', image: 'a:1', args: ['/nginx-ingress-controller'] }, undefined],
    ['of Bitnami', { image: 'docker.io/bitnami/nginx-ingress-controller:1.11.2-debian-12-r0' }, '1.11.2'],
    ['of a minor', { image: 'nginx/nginx-ingress:3.7-ubi' }, '3.7.0'],
    ['of any day', { image: 'cgr.dev/chainguard/ingress-nginx-controller:latest' }, undefined],
    ['before a release', { image: 'traefik:v3.7.0-ea.2', args: ['--providers.kubernetesingress'] }, undefined],
    ['of a day', { image: 'haproxytech/kubernetes-ingress:3.3.0-snapshot.4' }, undefined],
  ])('%s', (_, parts, release) => {
    expect(controllerOf(parts).release).toBe(release)
  })

  test.each<[string, Parts]>([
    ['the default backend', { image: 'registry.k8s.io/defaultbackend-amd64:1.5' }],
    ['the job of the webhook', { image: 'registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.5.2' }],
    ['a Job', { kind: 'Job' }],
  ])('not %s', (_, parts) => {
    expect(controllersOf(workload(parts))).toEqual([])
  })

  test('each value is at the argument it was read from, or where one would be', () => {
    const { watched, status, place } = controllerOf({
      args: ['--watch-namespace', 'shop', '--publish-service=edge/web'],
    })
    expect([watched.scope, watched.at.string]).toEqual(['namespaces', 'shop'])
    expect(status.writes === 'source' && status.at.string).toBe('--publish-service=edge/web')
    expect(place.path.at(-1)).toBe('args')
    const bare = controllerOf({ command: ['/nginx-ingress-controller'] })
    expect([bare.watched.scope, bare.watched.at.path.at(-1)]).toEqual(['all', 'command'])
  })

  test.each<[string, Parts, string[]]>([
    ['before 1.0.0', { image: 'x/nginx-ingress-controller:0.51.0' }, ['nginx by name, unclassed']],
    ['before 1.0.0, named', { image: 'x/nginx-ingress-controller:0.51.0', args: ['--ingress-class=a'] }, ['a by name']],
    ['from 1.0.0 on', {}, ['nginx of k8s.io/ingress-nginx']],
    ['from 1.0.0 on, named', { args: ['--controller-class=x/y', '--ingress-class=a'] }, ['a of x/y']],
    [
      'of either',
      { image: 'x/nginx-ingress-controller:latest' },
      ['nginx by name, unclassed', 'nginx of k8s.io/ingress-nginx'],
    ],
    ['named by a flag', { image: 'x/nginx-ingress-controller', args: ['--controller-class=x/y'] }, ['nginx of x/y']],
    ['filled in later', { args: ['--controller-class={{ x }}'] }, []],
  ])('claims %s', (_, parts, claims) => {
    const said = controllerOf(parts).claims.map(
      ({ names, controller, unclassed }) =>
        `${names.join()} ${controller ? `of ${controller}` : 'by name'}${unclassed ? ', unclassed' : ''}`,
    )
    expect(said).toEqual(claims)
  })

  test('in a shell every setting is unknown', () => {
    const { inShell, watched, claims, status } = controllerOf({
      command: ['sh', '-c', 'exec /nginx-ingress-controller'],
    })
    expect([inShell, watched.scope, claims, status.writes]).toEqual([true, 'unknown', [], 'unknown'])
  })

  test.each<[string, Parts, string[]]>([
    ['before 1.0.0', { image: 'x/nginx-ingress-controller:0.51.0' }, ['ConfigMap ingress-controller-leader-nginx']],
    [
      'before 1.0.0, of a class',
      { image: 'x/nginx-ingress-controller:0.51.0', args: ['--election-id=web', '--ingress-class=a'] },
      ['ConfigMap web-a'],
    ],
    [
      'from 1.0.0 on',
      { image: 'x/nginx-ingress-controller:1.2.1', args: ['--ingress-class=a'] },
      ['ConfigMap ingress-controller-leader'],
    ],
    ['of 1.3.0', { image: 'x/nginx-ingress-controller:1.3.0' }, ['ConfigMap+Lease ingress-controller-leader']],
    ['after 1.3.0', { args: ['--election-id=web'] }, ['Lease web']],
    ['turned off', { args: ['--disable-leader-election'] }, []],
    ['filled in later', { args: ['--election-id={{ x }}'] }, []],
    ['in a shell', { command: ['sh', '-c', 'exec /nginx-ingress-controller'] }, []],
  ])('locks %s', (_, parts, locks) => {
    const { locks: found } = controllerOf(parts)
    expect(found.map(({ kinds, name }) => `${kinds.join('+')} ${name}`)).toEqual(locks)
    expect(found.every(({ namespace }) => namespace === 'edge')).toBe(true)
  })

  const of = ({ facts, release, watched, claims, status, locks }: Controller) => [
    `${facts.name} ${release}`,
    watched.scope === 'namespaces' ? watched.names.join() : watched.scope,
    claims.map(({ names, controller = '-', by, unclassed }) => [names, controller, by, unclassed].join('|')).join(),
    locks.map(({ kinds, namespace, name }) => `${kinds.join('+')} ${namespace}/${name}`).join(),
    status.writes === 'source' ? `${status.flag}=${status.value}` : status.writes,
  ]

  test.each<[Parts, string[]]>([
    [
      { image: 'nginx/nginx-ingress:3.2.1', args: ['-watch-namespace=b,a', '-ingress-class=f5'] },
      [
        'nginx-inc 3.2.1',
        'a,b',
        'f5|nginx.org/ingress-controller|name|false',
        'ConfigMap+Lease edge/nginx-ingress-leader-election',
        'nothing',
      ],
    ],
    [
      {
        image: 'private-registry.nginx.com/nginx-ic/nginx-plus-ingress:5.1.0',
        args: ['-report-ingress-status', '-external-service=web', '-enable-leader-election=false'],
      },
      ['nginx-inc 5.1.0', 'all', 'nginx|nginx.org/ingress-controller|name|false', '', 'external-service=web'],
    ],
    [
      {
        image: 'kong/kubernetes-ingress-controller:3.5',
        args: [],
        env: [
          { name: 'CONTROLLER_INGRESS_CLASS', value: 'internal' },
          { name: 'CONTROLLER_KONG_ADMIN_SVC', value: 'edge/admin' },
          { name: 'CONTROLLER_PUBLISH_SERVICE', value: 'edge/proxy' },
        ],
      },
      [
        'kong 3.5.0',
        'all',
        'internal|ingress-controllers.konghq.com/kong|name|false',
        'Lease edge/5b374a9e.konghq.com',
        'publish-service=edge/proxy',
      ],
    ],
    [
      { image: 'kong/kubernetes-ingress-controller:1.3.0' },
      ['kong 1.3.0', 'all', 'kong|-|name|false', 'ConfigMap edge/ingress-controller-leader-kong', 'fallback'],
    ],
    [
      { image: 'haproxytech/kubernetes-ingress:3.2.11', args: ['--ingress.class=a', '--namespace-whitelist=x'] },
      ['haproxytech 3.2.11', 'x', 'a|haproxy.org/ingress-controller/a|controller|false', '', 'nothing'],
    ],
    [
      { image: 'quay.io/jcmoraisjr/haproxy-ingress:v0.16.1', args: ['--controller-class=a', '--election-id=%s-x'] },
      [
        'haproxy-ingress 0.16.1',
        'all',
        'haproxy|haproxy-ingress.github.io/controller/a|controller|false',
        'Lease edge/haproxy-x',
        'fallback',
      ],
    ],
    [
      {
        image: 'ghcr.io/projectcontour/contour:v1.33.6',
        command: ['contour'],
        args: ['serve', '--ingress-class-name=b,a', '--watch-namespaces=x,y'],
        env: [{ name: 'CONTOUR_NAMESPACE', ...fieldRef('metadata.namespace') }],
      },
      ['contour 1.33.6', 'x,y', 'a,b|-|name|false', 'Lease edge/leader-elect', 'service'],
    ],
  ])('%#', (parts, said) => {
    expect(of(controllerOf(parts))).toEqual(said)
  })

  test('the manager of Envoy is no Contour', () => {
    const parts = { image: 'ghcr.io/projectcontour/contour:v1.33.6', args: ['envoy', 'shutdown-manager'] }
    expect(controllersOf(workload(parts))).toEqual([])
  })

  test('Traefik is a controller for each provider', () => {
    const args = [
      '--providers.kubernetesIngress.ingressClass=a',
      '--providers.kubernetescrd=false',
      '--providers.kubernetesingressnginx',
      '--providers.kubernetesingressnginx.watchNamespace=x',
    ]
    expect(controllersOf(workload({ image: 'docker.io/traefik:v3.7', args })).map(of)).toEqual([
      ['traefik 3.7.0', 'all', 'a|traefik.io/ingress-controller|both|false', '', 'nothing'],
      ['traefik-ingress-nginx 3.7.0', 'x', 'nginx|k8s.io/ingress-nginx|controller|false', '', 'nothing'],
    ])
  })

  test('a lock is at the flag that names it, and of no certain kind where the release is unknown', () => {
    const { locks } = controllerOf({
      image: 'x/nginx-ingress-controller',
      args: ['--ingress-class=a', '--election-id', 'web'],
    })
    expect(locks.map(({ name }) => name)).toEqual(['web-a', 'web', 'web', 'web'])
    expect(locks[0]?.at.string).toBe('web')
  })

  test('the account is the one that is named, or the default one', () => {
    const account = (spec: object) => {
      const { serviceAccount } = controllerOf({ spec })
      return [serviceAccount.namespace, serviceAccount.name, serviceAccount.at.path.at(-1)]
    }
    expect(account({ serviceAccountName: 'web' })).toEqual(['edge', 'web', 'serviceAccountName'])
    expect(account({ serviceAccount: 'old' })).toEqual(['edge', 'old', 'serviceAccount'])
    expect(controllerOf({}).serviceAccount.name).toBe('default')
  })
})
