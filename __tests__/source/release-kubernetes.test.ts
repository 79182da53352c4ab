import { versionedReleases } from './versioned-releases'

versionedReleases('helm')
