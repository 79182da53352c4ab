import { describe, expect, test } from '@jest/globals'
import { type Clock, LocatingTime } from '../../src/locate/locating-time'
import { guardOnline } from '../cli/guard'
import { opened } from '../source/in-memory'
import { ingress } from '../source/objects'
import { policies, toolsOf } from '../source/rendered'

/** A clock that is so many milliseconds later with each look at it. */
function ticking(by: number): Clock & { time: number } {
  return {
    time: 0,
    now() {
      this.time += by
      return this.time
    },
    wait: () => new Promise(() => {}),
  }
}

describe('lines are searched for', () => {
  test.each([
    ['ten seconds after a short run', 500, 10_000],
    ['as long as the run took', 12_000, 12_000],
    ['half a minute after a long run', 200_000, 30_000],
  ])('%s', (_, took, expected) => {
    const clock = { now: () => took, wait: () => new Promise(() => {}) }
    const time = new LocatingTime(clock, 0)
    clock.now = () => took + expected - 1
    expect(time.isOver).toBe(false)
    clock.now = () => took + expected
    expect(time.isOver).toBe(true)
  })

  test('but not when the time is used up, and work that goes on is not waited for', async () => {
    const clock = { now: () => 0, wait: () => Promise.resolve() }
    const time = new LocatingTime(clock, 0)
    expect(await time.within(() => new Promise(() => {}))).toBeUndefined()
    clock.now = () => 10_000
    expect(await time.within(() => Promise.reject(new Error('It is not started.')))).toBeUndefined()
  })
})

describe('a line of many that a change writes', () => {
  const hosts = Array.from({ length: 12 }, (_, index) => `h${index}.example.com`)
  const patch = (at: number) =>
    hosts.map(
      (host, index) =>
        `    - {op: replace, path: /spec/rules/${index}/host, value: ${index === at ? 'open' : `x${index}`}.${host}}`,
    )
  const files = (at: number | undefined) => ({
    'app/kustomization.yaml': 'resources: [web.yaml]\npatches: [{path: patch.yaml, target: {kind: Ingress}}]\n',
    'app/web.yaml': ingress(
      'web',
      hosts.flatMap((host, index) => [host, `x${index}.${host}`]),
      hosts,
    ),
    'app/patch.yaml': (at === undefined
      ? hosts.map((host, index) => `    - {op: replace, path: /spec/rules/${index}/host, value: ${host}}`)
      : patch(at)
    )
      .join('\n')
      .concat('\n'),
  })

  async function placeWith(clock: Clock) {
    const host = { open: async () => opened(files(undefined), files(5)), clock }
    const argv = ['check', '--offline', '--format', 'json', ...toolsOf(), '--policy', ...policies]
    const { stdout } = await guardOnline(argv, false, host)
    const { findings } = JSON.parse(stdout)
    expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(['ingress-tls/host-covered'])
    return findings[0]
  }

  test('is found while there is time', async () => {
    expect(await placeWith(ticking(0))).toMatchObject({
      location: { path: 'app/patch.yaml', region: { startLine: 6 }, precision: 'exact' },
    })
  })

  test('is named by its file when the time is used up, with the same verdict', async () => {
    const note = 'the line that causes it could not be found in time'
    // After two trials: the file is known by then.
    expect(await placeWith(ticking(2_000))).toMatchObject({
      location: { path: 'app/patch.yaml', precision: 'file', note },
    })
    // Before the first one.
    expect(await placeWith(ticking(40_000))).toMatchObject({
      location: { path: 'app/kustomization.yaml', precision: 'file', note },
    })
  })
})
