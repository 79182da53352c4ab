import { helmReleases } from './helm-releases'

helmReleases('helm3')
