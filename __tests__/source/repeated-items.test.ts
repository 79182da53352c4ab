import { expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { object } from './probe'
import { judgeChange } from './rendered'

const workload = (volumes: number) =>
  object(
    'apps/v1',
    'Deployment',
    'board',
    'edge',
    `spec:
  selector: {matchLabels: {app: board}}
  template:
    metadata: {labels: {app: board}}
    spec:
      containers: [{name: board, image: registry.example.com/board:1}]
      volumes: [${Array(volumes).fill('{name: tables, configMap: {name: tables}}').join(', ')}]
`,
  )

test.each([
  [
    'an update by Flux is refused',
    { 'flux/board.yaml': kustomization('board', './board') },
    'error: The API server rejects Deployment edge/board',
  ],
  ['an update by kubectl is merged', {}, 'warning: Deployment edge/board has tables twice'],
])('where a volume is there twice, %s', async (_, files, expected) => {
  const base = {
    'flux/source.yaml': repository(),
    'board/kustomization.yaml': 'resources: [board.yaml]\n',
    'board/board.yaml': workload(1),
    ...files,
  }
  const { findings } = await judgeChange(base, { 'board/board.yaml': workload(2) }, 'helm', ['ingress-tls@1.13.0'])
  const found = findings.map(({ level, text }) => `${level}: ${text.split(/,|:/)[0]}`)
  expect(found).toEqual([expected])
})
