import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { configMap } from './objects'
import type { Files } from './repository'

test('templates of manifests without the name of a YAML file', async () => {
  const manifest = configMap('web', '<%= host %>')
  const base: Files = {
    'deploy/web.tmpl': manifest,
    'deploy/api.yaml.mustache': manifest,
    'deploy/nginx.conf.tmpl': 'kind: a\nserver { listen 80; }\n',
    'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'chart/templates/_parts.tpl': `{{ define "web" }}\n${manifest}{{ end }}\n`,
  }
  const change: Files = {
    'deploy/web.tmpl': configMap('web', '<%= name %>'),
    'deploy/api.yaml.mustache': null,
    'deploy/nginx.conf.tmpl': 'kind: a\nserver { listen 81; }\n',
    'chart/templates/_parts.tpl': `{{ define "web" }}\n${manifest}{{ end }}\n{{/* b */}}\n`,
  }
  const { inspected, findings } = await checkOpened(opened(base, change))
  expect(
    (inspected.files ?? []).map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' ')),
  ).toEqual([
    'chart/templates/_parts.tpl not-judged not-reached',
    'deploy/api.yaml.mustache not-judged template',
    'deploy/nginx.conf.tmpl not-kubernetes no-manifest',
    'deploy/web.tmpl not-judged template',
  ])
  const templates = findings.filter(({ location }) => location.path.startsWith('deploy/'))
  expect(templates.map(({ rule, location, text }) => `${rule} ${location.path} ${text}`)).toEqual([
    expect.stringMatching(
      /^source\/not-judged deploy\/api\.yaml\.mustache This change is not judged: it is a template of manifests, which another tool fills in\. The output of the tool is not seen\. This change removes it,/,
    ),
    expect.stringMatching(
      /^source\/not-judged deploy\/web\.tmpl This change is not judged: it is a template of manifests, which another tool fills in\. The output of the tool is not seen\. Render both sides/,
    ),
  ])
})
