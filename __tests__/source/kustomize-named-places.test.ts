import { describe, test } from '@jest/globals'
import { asItem, each, elsewhere, outer, plugin, url } from './kustomize-containment'

describe('a file that is named has to be in the revision', () => {
  test('in every field, however it is written', () =>
    each([
      [
        `configMapGenerator:\n  - name: a\n    files:\n      - k/ey=${outer}/secret.txt\n`,
        4,
        elsewhere(`k/ey=${outer}/secret.txt`),
      ],
      [`configMapGenerator:\n  - name: a\n    files: [k/ey=${url}/a]\n`, 3, elsewhere(`k/ey=${url}/a`)],
      [`configMapGenerator:\n  - name: a\n    files: [HTTPS:/x]\n`, 3, elsewhere('HTTPS:/x')],
      [
        'configMapGenerator:\n  - name: a\n    files: [a=b=../../../../etc/hosts]\n',
        3,
        elsewhere('a=b=../../../../etc/hosts'),
      ],
      [
        'secretGenerator:\n  - {name: a, envs: [cm.yaml]}\n  - {name: b, env: ../../x.env}\n',
        3,
        elsewhere('../../x.env'),
      ],
      [
        `configMapGenerator:\n  - name: a\n    files: [cm.yaml]\n    files: [${outer}/secret.txt]\n`,
        4,
        elsewhere(`${outer}/secret.txt`),
      ],
      [
        `commonLabels: &x {env: ${outer}/secret.txt}\nconfigMapGenerator:\n  - {name: a, <<: *x}\n`,
        1,
        elsewhere(`${outer}/secret.txt`),
      ],
      [
        `configMapGenerator:\n  - name: a\n    files: [!!binary ${Buffer.from(`${outer}/secret.txt`).toString('base64')}]\n`,
        3,
        elsewhere(`${outer}/secret.txt`),
      ],
      [`resources: [cm.yaml]\npatches:\n  - path: ${url}/p.yaml\n`, 3, elsewhere(`${url}/p.yaml`)],
      ['resources: [cm.yaml]\npatches: [{path: ../../p.yaml}]\n', 2, elsewhere('../../p.yaml')],
      [
        `resources: [cm.yaml]\npatchesStrategicMerge:\n  - ${outer}/secret.yaml\n`,
        3,
        elsewhere(`${outer}/secret.yaml`),
      ],
      [`resources: [cm.yaml]\npatchesStrategicMerge:\n  - "${url}/?a: b"\n`, 3, elsewhere(`${url}/?a: b`)],
      ['resources: [cm.yaml]\npatchesStrategicMerge:\n  - "a: b\\n /../../../etc/hosts"\n', 3, elsewhere('a: b')],
      [
        `resources: [cm.yaml]\npatchesJson6902:\n  - path: ${url}/j\n    target: {kind: ConfigMap, name: own, version: v1}\n`,
        3,
        elsewhere(`${url}/j`),
      ],
      [`resources: [cm.yaml]\nreplacements: [{path: ${outer}/secret.yaml}]\n`, 2, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nopenapi: {path: ${url}/o}\n`, 2, elsewhere(`${url}/o`)],
      [`resources: [cm.yaml]\ncrds: [${outer}/secret.yaml]\n`, 2, elsewhere(`${outer}/secret.yaml`)],
      [`resources: [cm.yaml]\nconfigurations: [${url}/c]\n`, 2, elsewhere(`${url}/c`)],
      [`resources: [cm.yaml]\ntransformers: [${url}/t]\n`, 2, elsewhere(`${url}/t`)],
      [`resources: [cm.yaml]\nvalidators: [${url}/v]\n`, 2, elsewhere(`${url}/v`)],
      [
        `resources: [cm.yaml]\n---\nresources: [cm.yaml]\n--- {}\n`.replace('[cm.yaml]', `[cm.yaml, ${outer}]`),
        1,
        elsewhere(outer),
      ],
    ]))

  test('in plugins of kustomize', () =>
    each([
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`a=${url}/a`),
        { 'p.yaml': plugin('ConfigMapGenerator', `files: ["a=${url}/a"]\n`) },
        'p.yaml',
      ],
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`${url}/e`),
        { 'p.yaml': `apiVersion: /builtin\nkind: SecretGenerator\nmetadata: {name: x}\nenvs: ["${url}/e"]\n` },
        'p.yaml',
      ],
      [
        'generators: [p.yaml]\n',
        4,
        elsewhere(`${outer}/secret.yaml`),
        { 'p.yaml': plugin('HelmChartInflationGenerator', `valuesFile: ${outer}/secret.yaml\nname: a\nrepo: x\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/t`),
        { 'p.yaml': plugin('ValueAddTransformer', `targetFilePath: ${url}/t\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/r`),
        { 'p.yaml': plugin('ReplacementTransformer', `replacements: [{path: "${url}/r"}]\n`) },
        'p.yaml',
      ],
      [
        'transformers: [p.yaml]\n',
        4,
        elsewhere(`${url}/s`),
        { 'p.yaml': plugin('PatchStrategicMergeTransformer', `paths: ["${url}/s"]\n`) },
        'p.yaml',
      ],
      [
        `transformers:\n${asItem(plugin('PatchJson6902Transformer', `path: ${outer}/secret.yaml`))}`,
        2,
        elsewhere(`${outer}/secret.yaml`),
      ],
      [
        'transformers: [parts]\n',
        4,
        elsewhere(`${url}/p`),
        {
          'parts/kustomization.yaml': 'resources: [p.yaml]\n',
          'parts/p.yaml': plugin('PatchTransformer', `path: "${url}/p"\n`),
        },
        'parts/p.yaml',
      ],
      [
        'transformers: [parts]\n',
        1,
        'It uses plugins from the Kustomization k08/parts, which may change the files they read; name the plugin files here.',
        {
          'parts/kustomization.yaml': `resources: [p.yaml]\npatches:\n  - target: {kind: PatchTransformer}\n    patch: '[{"op": "add", "path": "/path", "value": "${url}/p"}]'\n`,
          'parts/p.yaml': plugin('PatchTransformer', 'patch: ""\n'),
        },
      ],
    ]))

  test('in what helm is given', () =>
    each([
      [`helmGlobals: {chartHome: ${outer}}\nhelmCharts: [{name: a, valuesFile: cm.yaml}]\n`, 1, elsewhere(outer)],
      [`helmGlobals: {configHome: ${outer}}\nhelmCharts: [{name: a}]\n`, 1, elsewhere(outer)],
      [
        'helmCharts: [{name: ../../../etc}]\n',
        1,
        '../../../etc is not a valid chart name; use the name of a folder inside the charts folder.',
      ],
      [
        'helmCharts: [{name: a, repo: x, version: 1/../../../..}]\n',
        1,
        '1/../../../.. is not a valid version; write it without a slash.',
      ],
      [
        `helmCharts: [{name: a, releaseName: --post-renderer=${outer}/bin/ran}]\n`,
        1,
        `Helm reads --post-renderer=${outer}/bin/ran as an option; use a name that starts with a letter.`,
      ],
      [
        'helmCharts: [{name: a, additionalValuesFiles: ["cm.yaml,/etc/hosts"]}]\n',
        1,
        'Helm reads cm.yaml,/etc/hosts as more than one file; use a name without commas and quotes.',
      ],
      [`helmCharts: [{name: a, additionalValuesFiles: [${url}/v]}]\n`, 1, elsewhere(`${url}/v`)],
      [
        `helmChartInflationGenerator: [{chartName: a, values: ${outer}/secret.yaml}]\n`,
        1,
        elsewhere(`${outer}/secret.yaml`),
      ],
    ]))
})
