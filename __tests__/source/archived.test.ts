import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { ingress, kept, kustomization as kustomize, name } from './kustomize-objects'
import { role } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const base: Files = {
  'flux/source.yaml': repository(),
  'flux/apps.yaml': kustomization('apps', './apps'),
  'apps/kustomization.yaml': kustomize('resources: [web/ks.yaml, edge/ks.yaml]'),
  'apps/web/ks.yaml': kustomization('web', './apps/web/app'),
  'apps/web/app/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'apps/web/app/web.yaml': ingress('a.example.com'),
  'apps/edge/ks.yaml': kustomization('edge', './apps/edge/app', 'prune: true'),
  'apps/edge/app/kustomization.yaml': kustomize('resources: [role.yaml]'),
  'apps/edge/app/role.yaml': role(name),
}

/** The head where the files of an app go to a folder beside the others, and no Kustomization lists them any more. */
function moved(app: string, folder: string): Record<string, string | null> {
  const files = Object.entries(base).filter(([file]) => file.startsWith(`apps/${app}/`))
  const rest = app === 'web' ? 'edge' : 'web'
  return {
    'apps/kustomization.yaml': kustomize(`resources: [${rest}/ks.yaml]`),
    ...Object.fromEntries(
      files.flatMap(([file, text]) => [
        [file, null],
        [file.replace('apps/', `${folder}/`), text],
      ]),
    ),
  }
}

describe('an app that moves into an archive', () => {
  test('is not deployed from a folder that is not there', async () => {
    expect(lines(await change(base, moved('web', 'archive')))).toEqual([])
    expect(lines(await change(base, moved('web', 'apps/.archive')))).toEqual([])
  })

  test('is gone with the protected objects in it', async () => {
    const { findings } = await change(base, moved('edge', 'archive'))
    expect(findings.map(({ rule, level, text }) => `${level} ${rule} ${text}`)).toEqual([
      expect.stringMatching(`^error ${kept} .*It remains only in archive/edge/app/kustomization\\.yaml, an archive`),
    ])
  })

  test('is not where a folder is applied with all that is in it', async () => {
    const { 'apps/kustomization.yaml': __, ...whole } = base
    const { 'apps/kustomization.yaml': _, ...head } = moved('web', 'apps/archive')
    expect(lines(await change(whole, head))).toContain(
      'introduced error head/apps/archive/web/ks.yaml:7 source/unrendered',
    )
  })

  test('is not where its folder has another name', async () => {
    const report = await change(base, moved('web', 'more'))
    expect(lines(report)).toContain('introduced error head/more/web/ks.yaml:7 source/unrendered')
  })
})
