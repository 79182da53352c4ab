import type { Static } from 'typebox'
import * as Type from 'typebox'

const FileCounts = Type.Object(
  {
    judged: Type.Integer(),
    input: Type.Integer(),
    'not-judged': Type.Integer(),
    'not-deployed': Type.Integer(),
    'not-kubernetes': Type.Integer(),
    described: Type.Integer(),
  },
  { description: 'Files by state: docs/reads.md explains the states.' },
)

const ReleaseCounts = Type.Object(
  { rendered: Type.Integer(), 'by-values': Type.Integer(), 'not-seen': Type.Integer() },
  { description: 'Releases by how they are seen.' },
)

const Causes = (description: string) =>
  Type.Array(
    Type.Object({
      causes: Type.Array(Type.String(), { description: 'The ids of the cause.' }),
      title: Type.String(),
      files: Type.Integer({ description: 'Files for which this is the cause.' }),
      releases: Type.Integer({ description: 'Releases that are not seen.' }),
      partly: Type.Integer({ description: 'Releases that are rendered without a part.' }),
      effect: Type.String(),
      remedy: Type.String({ description: 'The command or the line of config that changes it.' }),
      from: Type.Array(Type.Object({ url: Type.String(), releases: Type.Integer() }), {
        description: 'The repositories of charts that the releases take charts from.',
      }),
      places: Type.Array(Type.Object({ path: Type.String(), reason: Type.String() })),
    }),
    { description },
  )

/** How much of a revision is seen. Keys are added in later versions, never changed or removed within format 1. */
export const CoverageJson = Type.Object(
  {
    files: FileCounts,
    releases: ReleaseCounts,
    folders: Type.Array(Type.Object({ folder: Type.String(), files: FileCounts, releases: ReleaseCounts }), {
      description: 'The folders of the repository, without files that are not of Kubernetes: at most 20.',
    }),
    notSeen: Causes('What is not seen, by cause.'),
    notDeployed: Causes('What nothing known deploys, by cause.'),
  },
  { title: 'How much of a repository ingress-guard sees' },
)
/** The output of `coverage --format json`. */
export type CoverageJson = Static<typeof CoverageJson>
