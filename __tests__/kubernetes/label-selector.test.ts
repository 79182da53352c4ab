import { expect, test } from '@jest/globals'
import { labelSelectorPattern, matchesLabels, selectsLabels } from '../../src/kubernetes/object/label-selector'
import { manifestIn } from '../manifest/manifests'

const labels = manifestIn(
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  labels: {app: web, example.com/tier: critical, empty: ""}\n',
).root.at('metadata', 'labels')

// As `kubectl get -l` takes them.
test.each<[selector: string, matches: boolean]>([
  ['app', true],
  ['other', false],
  ['!app', false],
  ['! other', true],
  ['app=web', true],
  ['app == web', true],
  ['app=shop', false],
  ['app!=web', false],
  ['app!=shop', true],
  ['other!=shop', true],
  ['empty=', true],
  ['app=', false],
  ['app in (shop, web)', true],
  ['app in (shop)', false],
  ['app notin (shop,db)', true],
  ['other notin (shop)', true],
  ['app notin (web)', false],
  ['example.com/tier=critical,app', true],
  ['example.com/tier in (vital, critical), !app', false],
])('%s: %s', (selector, matches) => {
  expect(selector).toMatch(new RegExp(labelSelectorPattern))
  expect(matchesLabels(selector, (key) => labels.at(key).string)).toBe(matches)
})

test.each(['', 'app in web', 'app=web,', '=web', 'app in (web', 'app web'])('%j is no selector', (selector) => {
  expect(selector).not.toMatch(new RegExp(labelSelectorPattern))
})

test.each<[selector: string, selects: boolean]>([
  ['{}', true],
  ['{matchLabels: {app: web}}', true],
  ['{matchLabels: {app: web, other: x}}', false],
  ['{matchExpressions: [{key: app, operator: In, values: [web]}]}', true],
  ['{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}', false],
  ['{matchExpressions: [{key: other, operator: NotIn, values: [web]}]}', true],
  ['{matchExpressions: [{key: app, operator: Exists}, {key: other, operator: DoesNotExist}]}', true],
  ['{matchExpressions: [{key: app, operator: Gt, values: ["1"]}]}', false],
  ['null', false],
])('%s: %s', (selector, selects) => {
  const owner = manifestIn(`apiVersion: v1\nkind: X\nmetadata: {name: x}\nselector: ${selector}\n`)
  expect(selectsLabels(owner.root.at('selector'), labels)).toBe(selects)
})
