import { endsOf, gravest, wordsOf } from '../../kubernetes/versions/breach'
import { asksForKernel, breachesOf, rowsWith } from '../../kubernetes/versions/matrix'
import { matrixParams } from '../../kubernetes/versions/matrix-facts'
import { firstSubject, matrixSubjectsOf, subjectKinds, subjectPartners } from '../../kubernetes/versions/matrix-subject'
import { settingKinds } from '../../kubernetes/versions/setting'
import { defineRule } from '../../rule/rule'

type Args = ReturnType<typeof wordsOf>

export default defineRule({
  id: 'version-matrix/kernel-supported',
  summary: 'The components that run on the nodes work with their kernels.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: subjectKinds,
  reads: settingKinds.filter((kind) => !subjectKinds.includes(kind)),
  params: matrixParams,
  messages: {
    unsupported: ({ name, grounds, reasons, remedies }: Args) =>
      `${name} does not work with ${grounds}: ${reasons}. ${remedies}.`,
    unstable: ({ name, grounds, reasons, remedies }: Args) =>
      `${name} may fail with ${grounds}: ${reasons}. ${remedies}.`,
    noted: ({ name, grounds, reasons, remedies }: Args) => `${name} with ${grounds}: ${reasons}. ${remedies}.`,
  },
  partners: subjectPartners,
  check({ manifest, snapshot, params, report, skip }) {
    const subjects = matrixSubjectsOf(manifest, snapshot)
    if (subjects.length === 0) return
    const rows = rowsWith(params.matrix).filter(asksForKernel)
    for (const subject of subjects) {
      if (!subject.isMain) continue
      if (subject.release === undefined && subject.isBrought)
        skip(subject.at, `${subject.name} does not declare its release`)
      const breaches = breachesOf(subject, rows, snapshot.facts)
      if (breaches.length === 0) continue
      const message = ({ error: 'unsupported', warning: 'unstable', notice: 'noted' } as const)[gravest(breaches)]
      const keys = [subject.component, ...breaches.map(({ row }) => row.id)]
      report(endsOf(subject, breaches), message, wordsOf(subject, breaches, rows), { keys })
    }
    const told = snapshot.facts.nodes.some(({ kernel }) => kernel)
    const first = told ? undefined : firstSubject(snapshot, rows)
    if (first?.at.manifest === manifest) {
      skip(
        first.at,
        'the kernel of the nodes is unknown, so its support was not checked; set `kernel:` under `clusters:` in the config',
      )
    }
  },
})
