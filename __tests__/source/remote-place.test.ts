import { describe, expect, test } from '@jest/globals'
import { remotePlaceOf } from '../../src/sources/remote-place'

/** `REPOSITORY FOLDER @REF`, or `file URL of PLACE`. */
function inShort(entry: string): string {
  const place = remotePlaceOf(entry)
  if (!place) return 'none'
  if (place.kind === 'file') return `file ${place.url}${place.place === place.url ? '' : ` of ${place.place}`}`
  return [place.repository, place.folder, place.ref && `@${place.ref}`, place.isFile && 'file']
    .filter(Boolean)
    .join(' ')
}

describe('an entry that names', () => {
  const repository = 'https://github.com/acme/base'
  test.each([
    ['a repository', repository, repository],
    ['a folder', `${repository}//deploy/web?ref=v1.2.3`, `${repository} deploy/web @v1.2.3`],
    ['a folder of GitHub without a mark', `${repository}/deploy/web/?ref=v1`, `${repository} deploy/web @v1`],
    ['GitHub without a scheme', 'github.com/acme/base//deploy', `${repository} deploy`],
    [
      'GitHub by its short form',
      'git@github.com:acme/base.git//deploy?ref=v1',
      'ssh://git@github.com/acme/base.git deploy @v1',
    ],
    ['a forced protocol', 'git::https://git.example.com/a/b.git//c?ref=v1', 'https://git.example.com/a/b.git c @v1'],
    ['a folder behind .git', 'https://git.example.com/a/b.git/c/d?ref=v1', 'https://git.example.com/a/b.git c/d @v1'],
    ['a group within a group', 'https://git.example.com/a/b/c//d?ref=v1', 'https://git.example.com/a/b/c d @v1'],
    ['a host without a mark', 'https://git.example.com/a/b/c?ref=v1', 'https://git.example.com/a/b c @v1'],
    [
      'a repository of Azure',
      'https://me@dev.azure.com/org/project/_git/repo/a?ref=v1',
      'https://dev.azure.com/org/project/_git/repo a @v1',
    ],
    ['a repository by ssh', 'ssh://git@example.com:2222/a/b//c', 'ssh://git@example.com:2222/a/b c'],
    ['a password', 'https://me:secret@github.com/acme/base?ref=v1', `${repository} @v1`],
    ['a version in place of a ref', `${repository}?version=v1`, `${repository} @v1`],
    ['a time limit and submodules', `${repository}?timeout=9s&ref=v1&submodules=false`, `${repository} @v1`],
    ['an option as its ref', `${repository}?ref=--upload-pack=id`, `${repository} @--upload-pack=id`],
    ['a raw file', 'https://raw.githubusercontent.com/acme/base/v1/a/b.yaml', `${repository} a/b.yaml @v1 file`],
    [
      'a raw file of a branch',
      'https://raw.githubusercontent.com/acme/base/refs/heads/main/b.yaml',
      `${repository} b.yaml @refs/heads/main file`,
    ],
    ['a raw file of its page', `${repository}/raw/v1/a.yaml`, `${repository} a.yaml @v1 file`],
    [
      'a raw file of GitLab',
      'https://gitlab.com/a/b/c/-/raw/v1/d/e.yaml',
      'https://gitlab.com/a/b/c d/e.yaml @v1 file',
    ],
    [
      'a file of a release',
      `${repository}/releases/download/v1/a.yaml`,
      `file ${repository}/releases/download/v1/a.yaml of ${repository}/releases`,
    ],
    [
      'a release of another repository by its path',
      `${repository}/releases/../../other/releases/download/v1/a.yaml`,
      `file ${repository}/releases/../../other/releases/download/v1/a.yaml of https://github.com/acme/other/releases`,
    ],
    ['a file', 'https://example.com/v1.2/install.yaml', 'file https://example.com/v1.2/install.yaml'],
  ])('%s', (_, entry, expected) => {
    expect(inShort(entry)).toBe(expected)
  })

  test.each([
    ['a path', '../base'],
    ['a local repository', 'file:///srv/base.git//a?ref=v1'],
    ['a forced local repository', 'git::file:///srv/base.git'],
    ['a command', 'ext::sh -c id'],
    ['a command with a host', 'ext::sh%20-c%20id@host/a/b'],
    ['the protocol of git', 'git://example.com/a/b'],
    ['an option', '--upload-pack=id@example.com:a/b'],
    ['a folder outside of the repository', `${repository}//a/../../b`],
    ['a host alone', 'https://example.com'],
    ['a path of a host without a scheme', 'gitlab.com/a/b'],
    ['a line break', `${repository}\n//a`],
    ['a backslash', `${repository}\\a`],
  ])('%s is no place', (_, entry) => {
    expect(inShort(entry)).toBe('none')
  })
})
