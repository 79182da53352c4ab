import { describe } from '@jest/globals'
import { helmReleases } from './helm-releases'
import { versionedReleases } from './versioned-releases'

describe('with Helm 3', () => {
  helmReleases('helm3')
  versionedReleases('helm3')
})
