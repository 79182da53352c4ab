import path from 'node:path/posix'
import type { Account } from './entry'

/** Files that are not for Kubernetes by their name, with their kind. The first row that matches counts. */
const rows: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    'a file of a CI system',
    /^\.github\/|^\.gitlab-ci(?:[-.].*)?\.ya?ml$|^\.gitlab\/|^\.circleci\/|^\.buildkite\/|^\.tekton-ci\/|(?:^|\/)(?:\.travis|appveyor|\.drone|bitbucket-pipelines|azure-pipelines|cloudbuild|\.woodpecker|buildspec|\.prow)\.ya?ml$|(?:^|\/)(?:Jenkinsfile|\.cirrus\.yml)$/,
  ],
  ['a file of docker-compose', /(?:^|\/)(?:docker-)?compose(?:[-._][^/]*)?\.ya?ml$/],
  [
    'the config of a tool of developers',
    /(?:^|\/)(?:\.pre-commit-config|\.pre-commit-hooks|\.yamllint|\.?yamlfmt|\.sops|\.golangci|\.goreleaser|\.?codecov|\.?markdownlint(?:-cli2)?|\.?mergify|\.readthedocs|mkdocs|Taskfile|\.taskfile|lefthook|\.?dependabot|\.?renovate|\.prettierrc|\.eslintrc|_config|antora|skaffold|devbox|\.?ansible-lint|\.krew|catalog-info|\.?kube-linter|\.?checkov|ct|\.?chart-testing|\.whitesource|\.releaserc|\.mise|\.aqua|aqua)(?:\.[^/]*)?\.?(?:ya?ml|json5?)?$|(?:^|\/)(?:package(?:-lock)?|tsconfig[^/]*|composer|renovate[^/]*|\.all-contributorsrc|jsconfig|deno|flake|devcontainer)\.(?:json5?|lock)$|(?:^|\/)\.(?:devcontainer|vscode|idea|husky|taskfiles|trunk)\//,
  ],
  [
    'documentation',
    /\.(?:md|mdx|markdown|rst|adoc|asciidoc|pdf|drawio|puml)$|(?:^|\/)(?:LICENSE|LICENCE|NOTICE|CODEOWNERS|OWNERS|OWNERS_ALIASES|CHANGELOG|README|AUTHORS|MAINTAINERS)(?:\.txt)?$/i,
  ],
  ['a picture', /\.(?:png|jpe?g|gif|svg|ico|webp|bmp|mp4|woff2?|ttf)$/i],
  [
    'code',
    /\.(?:go|py|pyi|js|mjs|cjs|jsx|ts|mts|tsx|rb|rs|java|kt|kts|c|h|cc|cpp|hpp|cs|php|pl|lua|swift|scala|sh|bash|zsh|fish|ps1|bat|sql|proto|css|scss|html?|vue|nix|star|bzl|rego|cue|tf|tfvars|hcl|jsonnet|libsonnet|dhall|ipynb|r|groovy)$|(?:^|\/)(?:Makefile|GNUmakefile|Dockerfile|Containerfile|Justfile|\.justfile|BUILD|WORKSPACE|Vagrantfile|Gemfile|Rakefile|Tiltfile|Pipfile|go\.(?:mod|sum))(?:\.[^/]*)?$/i,
  ],
]

/** The account of a file with a name that shows that it is not for Kubernetes. */
export function notKubernetesByName(file: string): Account | undefined {
  const row = rows.find(([, pattern]) => pattern.test(file))
  return row && { state: 'not-kubernetes', cause: 'by-name', reason: `it is ${row[0]}` }
}

/**
 * The chart that a values file may be for: `web` for `prod/web.yaml`, `prod/values-web.yaml`, `prod/web/values.yaml`.
 */
export function chartNamedBy(file: string): string | undefined {
  const { name, ext } = path.parse(file)
  if (ext !== '.yaml' && ext !== '.yml') return undefined
  return name.startsWith('values') && name[6] !== '-'
    ? path.basename(path.dirname(file))
    : name.replace(/^values-|[-.]values$/, '')
}

/** Whether a file looks like values of a release. */
export function looksLikeValues(file: string): boolean {
  const name = path.basename(file)
  const stem = name.replace(/\.ya?ml(?:\.gotmpl)?$/i, '')
  return (stem !== name && /values(?:[-._]|$)/i.test(stem)) || /values\/[^/]+\.ya?ml$/i.test(file)
}

/** Whether SOPS encrypted values of a text: it writes this word before each. Source: https://getsops.io/docs/ */
export function isEncrypted(text: string): boolean {
  return text.includes('ENC[AES256_GCM,')
}
