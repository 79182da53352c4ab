// Waits for renderings to be ended, with so much time that an honest one is done on any machine.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { fake, helms, judged, small } from './hostile'
import { configMap } from './objects'
import { temporaryFolder } from './repository'

const limits = { ...small, seconds: 30 }

describe.each(helms)('with %s', (program) => {
  const lost = 'It is unknown whether this change keeps ClusterRole web.'

  test('a template that never ends is ended', async () => {
    const forever = '{{ range until 30000 }}{{ range until 30000 }}{{ range until 30000 }}{{ end }}{{ end }}{{ end }}'
    const { status, said } = await judged({ 'app/templates/web.yaml': forever }, { helm: program, limits })
    expect(said).toEqual([
      `introduced head/app/Chart.yaml:1 Helm was stopped because it did not finish within 30 seconds. ${lost}`,
    ])
    expect(status).toBe(1)
  })
})

test('its children end with it', async () => {
  const pids = path.join(temporaryFolder(), 'pids')
  const script = `trap '' TERM INT HUP\nsh -c 'trap "" TERM; echo $$ >> ${pids}; sleep 600' &\nsleep 600`
  await judged({ 'app/values.yaml': 'a: 2\n' }, { helm: fake(script), limits })
  const alive = () =>
    readFileSync(pids, 'utf8')
      .trim()
      .split('\n')
      .filter((pid) => existsSync(`/proc/${pid}`) && !/ Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  expect(alive()).toEqual([])
})

test('a Kustomization that takes in two that take in two, and so on, is ended', async () => {
  const files: Record<string, string> = { 'a23/cm.yaml': configMap('web'), 'b23/cm.yaml': configMap('web') }
  for (let step = 0; step < 24; step++) {
    const resources = step < 23 ? `../a${step + 1}, ../b${step + 1}` : 'cm.yaml'
    for (const name of ['a', 'b'])
      files[`${name}${step}/kustomization.yaml`] = `namePrefix: ${name}${step}\nresources: [${resources}]\n`
  }
  files['b0/kustomization.yaml'] = 'resources: [../a0]\n'
  const { status, said } = await judged(files, { limits })
  expect(said).toEqual([
    'introduced head/b0/kustomization.yaml:1 Kustomize was stopped because it did not finish within 30 seconds.',
  ])
  expect(status).toBe(1)
})
