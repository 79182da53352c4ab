/** The path of a repository's config. */
export const configPath = '.github/ingress-guard.yaml'

/** The one rule of the gate that takes exceptions: a changed file could not be judged. */
export const notJudgedRule = 'source/not-judged'

/**
 * The rule with exceptions that name the findings they cover: its findings list defects, and further defects become
 * known later.
 */
export const knownDefectRule = 'version-matrix/known-defect'
