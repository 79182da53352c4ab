import { settingKinds } from '../../kubernetes/versions/detect-setting'
import { asksForKernel, rowsWith, violationsOf } from '../../kubernetes/versions/matrix'
import { matrixParams } from '../../kubernetes/versions/matrix-facts'
import { firstSubject, matrixSubjectsOf, subjectKinds, subjectPartners } from '../../kubernetes/versions/matrix-subject'
import { endsOf, highestSeverity, violationWords } from '../../kubernetes/versions/violation'
import { defineRule } from '../../rule/rule'

type Args = ReturnType<typeof violationWords>

export default defineRule({
  id: 'version-matrix/kubernetes-supported',
  summary: 'The components of a cluster support its Kubernetes version and the mode of its kube-proxy.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: subjectKinds,
  reads: settingKinds.filter((kind) => !subjectKinds.includes(kind)),
  params: matrixParams,
  messages: {
    broken: ({ name, grounds, reasons, remedies }: Args) =>
      `${name} does not work with ${grounds}: ${reasons}. ${remedies}.`,
    untested: ({ name, grounds, reasons, remedies }: Args) =>
      `${name} is not tested with ${grounds}: ${reasons}. ${remedies}.`,
    noted: ({ name, grounds, reasons, remedies }: Args) => `${name} with ${grounds}: ${reasons}. ${remedies}.`,
  },
  partners: subjectPartners,
  check({ manifest, snapshot, params, report, skip, today }) {
    const subjects = matrixSubjectsOf(manifest, snapshot)
    if (subjects.length === 0) return
    const rows = rowsWith(params.matrix).filter((row) => !asksForKernel(row))
    for (const subject of subjects) {
      if (subject.release === undefined && subject.isBrought)
        skip(subject.at, `${subject.name} does not declare its release`)
      const breaches = violationsOf(subject, rows, snapshot.facts)
      if (breaches.length === 0) continue
      const message = ({ error: 'broken', warning: 'untested', notice: 'noted' } as const)[highestSeverity(breaches)]
      const keys = [subject.component, ...breaches.map(({ row }) => row.id)]
      report(endsOf(subject, breaches), message, violationWords(subject, breaches, rows, today), { keys })
    }
    const first = snapshot.facts.kubernetes ? undefined : firstSubject(snapshot, rows)
    if (first?.at.manifest === manifest) {
      skip(
        first.at,
        'the Kubernetes version of the cluster is unknown, so its support was not checked; set `kubernetes:` under `clusters:` in the config',
      )
    }
  },
})
