import type { Recogniser } from './recognised-files'

/** The endings of templates of common tools: Go, Jinja, ERB, Mustache, EJS, envsubst. */
const templateName = /\.(?:tmpl|tpl|gotmpl|template|j2|jinja2?|erb|mustache|ejs|envsubst|in)$/i

/** Templates of manifests without the name of a YAML file: another tool writes the manifests that are applied. */
export const manifestTemplates: Recogniser = async ({ checkout, discovery }, files) => {
  const named = files.filter(
    (file) => templateName.test(file) && !discovery.ownership.has(file) && !checkout.tree.ignores(file),
  )
  const texts = await checkout.texts(named)
  const found = [...texts].filter(([, text]) => /^apiVersion:/m.test(text) && /^kind:/m.test(text))
  const reason = 'it is a template of manifests, which another tool fills in'
  return new Map(found.map(([file]) => [file, { cause: 'template', reason }]))
}
