import { describe, expect, test } from '@jest/globals'
import { isFolder, repositoryName } from '../../src/revision/repository-name'

describe('one name for all the ways a repository is written', () => {
  test.each([
    'https://github.com/Acme/Platform.git',
    'https://github.com/acme/platform',
    'https://github.com/acme/platform/',
    'http://user:token@github.com/acme/platform.git',
    'https://github.com:443/acme/platform.git',
    'ssh://git@github.com/acme/platform.git',
    'ssh://git@github.com:22/acme/platform',
    'ssh://git@ssh.github.com:443/acme/platform.git',
    'https://www.github.com/acme/platform',
    'https://github.com//acme//platform',
    'git@github.com:acme/platform.git',
    'git@github.com:/acme/platform.git',
    'github.com/acme/platform',
    ' https://github.com/acme/platform.git\n',
  ])('%s', (written) => {
    expect(repositoryName(written)).toBe('github.com/acme/platform')
  })

  test.each([
    ['https://github.com/acme/platform-two', 'github.com/acme/platform-two'],
    ['https://gitlab.com/acme/platform', 'gitlab.com/acme/platform'],
    ['git@gitlab.example.com:2022/platform', 'gitlab.example.com/2022/platform'],
    ['https://github.com/acme/platform.github.io', 'github.com/acme/platform.github.io'],
  ])('%s is another', (written, name) => {
    expect(repositoryName(written)).toBe(name)
  })
})

test.each([
  ['/srv/git/platform.git', true],
  ['file:///srv/git/platform', true],
  ['../platform', true],
  ['C:\\git\\platform', true],
  ['git@github.com:acme/platform.git', false],
  ['https://github.com/acme/platform', false],
])('%s is a folder: %s', (remote, folder) => {
  expect(isFolder(remote)).toBe(folder)
})
