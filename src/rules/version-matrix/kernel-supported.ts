import { settingKinds } from '../../kubernetes/versions/detect-setting'
import { asksForKernel, rowsWith, violationsOf } from '../../kubernetes/versions/matrix'
import { matrixParams } from '../../kubernetes/versions/matrix-facts'
import { firstSubject, matrixSubjectsOf, subjectKinds, subjectPartners } from '../../kubernetes/versions/matrix-subject'
import { endsOf, highestSeverity, violationWords } from '../../kubernetes/versions/violation'
import { defineRule } from '../../rule/rule'

type Args = ReturnType<typeof violationWords>

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
  check({ manifest, snapshot, params, report, skip, today }) {
    const subjects = matrixSubjectsOf(manifest, snapshot)
    if (subjects.length === 0) return
    const rows = rowsWith(params.matrix).filter(asksForKernel)
    for (const subject of subjects) {
      if (!subject.isMain) continue
      if (subject.release === undefined && subject.isBrought)
        skip(subject.at, `${subject.name} does not declare its release`)
      const breaches = violationsOf(subject, rows, snapshot.facts)
      if (breaches.length === 0) continue
      const message = ({ error: 'unsupported', warning: 'unstable', notice: 'noted' } as const)[
        highestSeverity(breaches)
      ]
      const keys = [subject.component, ...breaches.map(({ row }) => row.id)]
      report(endsOf(subject, breaches), message, violationWords(subject, breaches, rows, today), { keys })
    }
    const hasKernels = snapshot.facts.nodes.some(({ kernel }) => kernel)
    const first = hasKernels ? undefined : firstSubject(snapshot, rows)
    if (first?.at.manifest === manifest) {
      skip(
        first.at,
        'the kernel of the nodes is unknown, so its support was not checked; set `kernel:` under `clusters:` in the config',
      )
    }
  },
})
