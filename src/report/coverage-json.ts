import { type CauseCoverage, type Coverage, overviewOf } from '../ledger/coverage'
import type { CoverageJson } from './coverage-schema'

export function coverageJson(coverage: Coverage): CoverageJson {
  const { files, releases, folders, notSeen, notDeployed } = overviewOf(coverage)
  return {
    files: { ...files },
    releases: { ...releases },
    folders: folders.map((one) => ({ folder: one.folder, files: { ...one.files }, releases: { ...one.releases } })),
    notSeen: notSeen.map(causeInJson),
    notDeployed: notDeployed.map(causeInJson),
  }
}

function causeInJson({ causes, places, from, ...cause }: CauseCoverage): CoverageJson['notSeen'][number] {
  return {
    ...cause,
    causes: [...causes],
    from: from.map((one) => ({ ...one })),
    places: places.map((one) => ({ ...one })),
  }
}
