/** Whether a file of a chart creates objects by itself. */
export function isTemplate(file: string): boolean {
  const isMade = /(?:^|\/)[^_/][^/]*\.(?:ya?ml|json|tpl)$/.test(file)
  return isMade && /(?:^|\/)templates\//.test(file) && !/(?:^|\/)tests?\//.test(file)
}
