import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { change, hostsOf, probe, role, whole } from './probe'
import type { Files } from './repository'

const target = (cluster: string, ...overlays: string[]) =>
  `{clusterName: ${cluster}, yaml: {overlays: [${overlays.join()}]}}`

const bundle = (targets: string[], more = '') => `${more}targetCustomizations: [${targets.join()}]\n`

const host = (name: string) => `spec: {rules: [{host: ${name}.example.com}]}\n`

const files: Files = {
  'lib/web/fleet.yaml': bundle([target('east', 'east')], 'defaultNamespace: shop\n'),
  'lib/web/ingress.yaml': probe('web', 'covered.example.com'),
  'lib/web/overlays/east/ingress_patch.yaml': host('east'),
}

const listed = async (given: Files) =>
  (await whole({ ...files, ...given })).inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)

describe('the overlays of a bundle of plain YAML', () => {
  test.each<[what: string, given: Files, expected: string[]]>([
    ['patch its files', {}, ['shop/web east.example.com']],
    [
      'leave them as they are for other clusters',
      {
        'lib/web/ingress.yaml': probe('web', 'all.example.com'),
        'lib/web/overlays/east/ingress_patch.yaml': host('covered'),
      },
      ['shop/web all.example.com'],
    ],
    [
      'replace its files, and add others',
      {
        'lib/web/overlays/east/ingress_patch.yaml': null,
        'lib/web/overlays/east/ingress.yaml': probe('web', 'other.example.com'),
        'lib/web/overlays/east/sub/new.yaml': probe('new', 'new.example.com'),
      },
      ['shop/new new.example.com', 'shop/web other.example.com'],
    ],
    [
      'are laid over it in order',
      {
        'lib/web/fleet.yaml': bundle([target('east', 'east', 'last'), target('west', 'last')], 'namespace: shop\n'),
        'lib/web/overlays/last/ingress_patch.yaml': host('last'),
        'lib/web/overlays/last/more.yaml': probe('more', 'more.example.com'),
      },
      ['shop/more more.example.com', 'shop/web last.example.com'],
    ],
    [
      'patch with operations',
      {
        'lib/web/overlays/east/ingress_patch.yaml':
          '[{op: replace, path: /spec/rules/0/host, value: op.example.com}]\n',
      },
      ['shop/web op.example.com'],
    ],
    [
      'are all that it has',
      {
        'lib/web/ingress.yaml': null,
        'lib/web/overlays/east/ingress_patch.yaml': null,
        'lib/web/overlays/east/a.yaml': probe('a', 'a.example.com'),
      },
      ['shop/a a.example.com'],
    ],
  ])('%s', async (_, given, expected) => {
    expect((await hostsOf({ ...files, ...given })).sort()).toEqual(expected)
    expect(await listed(given)).toEqual([])
  })

  test('make a finding at the line of the patch, in the cluster of the target', async () => {
    const report = await change(
      {
        ...files,
        'lib/web/ingress.yaml': probe('web', 'covered.example.com'),
        'lib/web/overlays/east/ingress_patch.yaml': host('covered'),
      },
      { 'lib/web/overlays/east/ingress_patch.yaml': host('east') },
    )
    expect(lines(report)).toEqual([
      'introduced error head/lib/web/overlays/east/ingress_patch.yaml:1 ingress-tls/host-covered',
    ])
    expect(report.findings.map(({ cluster }) => cluster)).toEqual(['east'])
    expect(report.inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual([
      'lib/web/overlays/east/ingress_patch.yaml input',
    ])
  })

  test('take an object away where the change replaces its file', async () => {
    const base = { ...files, 'lib/web/role.yaml': role }
    const report = await change(base, { 'lib/web/overlays/east/role.yaml': probe('x', 'covered.example.com') })
    expect(lines(report)).toContain('introduced error base/lib/web/role.yaml:1 protected-rbac/object-kept')
    expect(report.findings.map(({ cluster }) => cluster)).toEqual(['east'])
  })

  test.each<[what: string, given: Files, reason: string]>([
    [
      'of a file that is not there',
      { 'lib/web/overlays/east/gone_patch.yaml': host('x') },
      'lib/web/overlays/east/ingress_patch.yaml: a patch that Fleet applies to lib/web/ingress.yaml, and that is not applied here, because the bundle has no file gone.yaml, which lib/web/overlays/east/gone_patch.yaml patches',
    ],
    [
      'of a file with several objects',
      { 'lib/web/ingress.yaml': `${probe('a', 'a.example.com')}---\n${probe('b', 'b.example.com')}` },
      'lib/web/overlays/east/ingress_patch.yaml: a patch that Fleet applies to lib/web/ingress.yaml, and that is not applied here, because the bundle has more or other documents in ingress.yaml than lib/web/overlays/east/ingress_patch.yaml can be laid over',
    ],
    [
      'outside the bundle',
      { 'lib/web/fleet.yaml': bundle([target('east', '../../other')]) },
      'lib/web/fleet.yaml: its overlay ../../other leads out of the folder overlays, and is not followed',
    ],
    [
      'with too many files',
      Object.fromEntries(
        Array.from({ length: 2001 }, (_, index) => [`lib/web/overlays/east/c${index}.yaml`, 'a: b\n']),
      ),
      'lib/web/overlays/east/ingress_patch.yaml: a patch that Fleet applies to lib/web/ingress.yaml, and that is not applied here, because the bundle has more than 2000 files in its overlay east',
    ],
  ])('are listed: a patch %s', async (_, given, reason) => {
    expect(await listed(given)).toContain(reason)
  })

  test('leave a bundle as it is that has none', async () => {
    const given = {
      'lib/web/fleet.yaml': bundle(['{clusterName: east}']),
      'lib/web/ingress.yaml': probe('web', 'all.example.com'),
    }
    expect(await hostsOf({ ...files, ...given, 'lib/web/overlays/east/ingress_patch.yaml': null })).toEqual([
      '/web all.example.com',
    ])
  })
})
