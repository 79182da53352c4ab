import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { judge } from './regular-expressions/judge'

const judged: { linear: string[]; exceptions: Record<string, string> } = JSON.parse(
  readFileSync(new URL('./regular-expressions/judged.json', import.meta.url), 'utf8'),
)

function judgedAgain(written: string) {
  const end = written.lastIndexOf('/')
  return judge(written.slice(1, end), written.slice(end + 1))
}

describe('the entry of a regular expression', () => {
  test.each(judged.linear)('%p takes linear time', (written) => {
    expect(judgedAgain(written)).toBe('linear')
  })

  test.each(Object.keys(judged.exceptions))('%p is an exception for a reason', (written) => {
    expect(judgedAgain(written)).not.toBe('linear')
  })
})
