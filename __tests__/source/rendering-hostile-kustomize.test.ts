import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { chart, judged } from './hostile'
import { configMap, role } from './objects'
import { type Files, temporaryFolder } from './repository'

describe('Kustomizations', () => {
  test('an entry that would fetch, or read outside of the repository, is refused at its line, with no request made', async () => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end(configMap('fetched'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const written: readonly (readonly [text: string, line: number, taken: string, more?: Files])[] = [
      ...[
        'https://bases.example/web?ref=main',
        'git@github.com:owner/name',
        'github.com/owner/name//folder?ref=v1',
        'ssh://git@bases.example/web',
        'file:///tmp/web',
        'git::https://bases.example/web',
        'gh:owner/name',
        'user@bases.example/web',
        '/etc',
        '../../..',
        `${url}/resource.yaml`,
      ].map((taken) => [`resources:\n  - cm.yaml\n  - ${taken}\n`, 3, taken] as const),
      [`resources: [cm.yaml]\ncommonLabels:\n  u: &u ${url}/alias.yaml\ncrds:\n  - *u\n`, 3, `${url}/alias.yaml`],
      [`patches:\n  - path: ${url}/patch.yaml\n`, 2, `${url}/patch.yaml`],
      ['configMapGenerator:\n  - name: a\n    files:\n      - b=/etc/passwd\n', 4, 'b=/etc/passwd'],
      [`commonLabels:\n  u: &u ${url}/alias\nconfigMapGenerator:\n  - name: a\n    files: [*u]\n`, 2, `${url}/alias`],
      [`secretGenerator:\n  - name: a\n    env: ${url}/env\n`, 3, `${url}/env`],
      [
        'generators:\n  - plugin.yaml\n',
        4,
        `${url}/plugin`,
        {
          'plugin.yaml': `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: ["${url}/plugin"]\n`,
        },
      ],
      [
        'transformers:\n  - plugin.yaml\n',
        4,
        `${url}/plugin`,
        {
          'plugin.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: "${url.replace('h', '\\x68')}/plugin"\n`,
        },
      ],
      [
        `generators:\n  - |\n    apiVersion: builtin\n    kind: ConfigMapGenerator\n    metadata: {name: a}\n    files: [${url}/inline]\n`,
        2,
        `${url}/inline`,
      ],
    ]
    const files: Record<string, Files[string]> = {}
    for (const [index, [text, , , more]] of written.entries()) {
      const folder = `k${String(index).padStart(2, '0')}`
      files[`${folder}/kustomization.yaml`] = text
      files[`${folder}/cm.yaml`] = configMap('web')
      for (const [name, content] of Object.entries(more ?? {})) files[`${folder}/${name}`] = content
    }
    const { status, said } = await judged(files)
    server.close()
    expect(said).toEqual(
      written.map(([, line, taken, more], index) => {
        const file = `k${String(index).padStart(2, '0')}/${more ? 'plugin' : 'kustomization'}.yaml`
        return `introduced head/${file}:${line} It uses ${taken}, which is not in this repository; copy it into this repository and name the copy.`
      }),
    )
    expect(status).toBe(1)
    expect(requests).toEqual([])
  })

  test('an entry that is malformed or would run a program is reported', async () => {
    const ran = path.join(temporaryFolder(), 'ran')
    const plugin = `apiVersion: example.com/v1\nkind: Plugin\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./run.sh}\n`
    const { status, said } = await judged({
      'a/kustomization.yaml': '',
      'b/kustomization.yaml': '- a\n',
      'c/kustomization.yaml': 'resources:\n\t- a.yaml\n',
      'd/kustomization.yaml': 'resources: []\n',
      'd/kustomization.yml': 'resources: []\n',
      'e/kustomization.yaml': `x: ${'['.repeat(100_000)}`,
      'f/kustomization.yaml': 'resources: [.]\n',
      'g/kustomization.yaml': 'generators: [plugin.yaml]\n',
      'g/plugin.yaml': plugin,
      'g/run.sh': `#!/bin/sh\ntouch ${ran}\n`,
      'h/kustomization.yaml': 'patches: [{path: p.yaml}]\n',
      'h/p.yaml': { link: '/etc/passwd' },
    })
    const words = (folder: string, text: string) =>
      expect.stringMatching(
        new RegExp(`^introduced head/${folder}/kustomization.yaml:1 Kustomize cannot build it: ${text}`),
      )
    expect(said).toEqual([
      words('a', 'kustomization.yaml is empty\\. Fix this error; `kustomize build a` shows all of it\\.$'),
      words('b', 'invalid Kustomization: json: cannot unmarshal array'),
      'introduced head/c/kustomization.yaml:2 Kustomize cannot read it: tabs are not allowed as indentation.',
      words('d', 'Found multiple kustomization files under: d\\.$'),
      'introduced head/e/kustomization.yaml:1 Kustomize cannot read it: it is nested too deeply.',
      words('f', '.*cycle detected'),
      'introduced head/g/plugin.yaml:1 This change is not judged: the Kustomization g is built without the plugin Plugin, which kustomize does not have. The objects of the generator are not seen. Commit its output, unless that is a Secret.',
      words('h', '.*there is no file h/p.yaml\\. Fix this error; `kustomize build h` shows all of it\\.$'),
    ])
    expect(status).toBe(1)
    expect(existsSync(ran)).toBe(false)
  })

  test('a vendored chart of an inflated Kustomization is all that helm gives it', async () => {
    const { said, report } = await judged({
      'k/kustomization.yaml': 'helmCharts:\n  - name: sub\n',
      'k/charts/sub/Chart.yaml': chart('sub'),
      'k/charts/sub/values.yaml': '{}\n',
      'k/charts/sub/templates/role.yaml': role('inflated'),
      'l/kustomization.yaml': 'helmCharts:\n  - name: sub\n    version: 1.0.0\n    repo: http://127.0.0.1:9\n',
      'l/charts/sub/Chart.yaml': chart('sub'),
    })
    expect(said).toEqual([
      expect.stringMatching(
        /^introduced head\/l\/kustomization\.yaml:1 This change is not judged: the chart sub of http:\/\/127\.0\.0\.1:9 is not/,
      ),
    ])
    expect(report.inspected.skipped).toContainEqual({
      path: 'l/kustomization.yaml',
      reason: 'the chart sub of http://127.0.0.1:9 is not in this repository',
    })
    // The chart that is not here counts too: its values are judged.
    expect(report.inspected.changes).toEqual({ added: 2, changed: 0, removed: 0 })
  })
})
