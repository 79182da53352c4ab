/** Where a repository keeps its config. */
export const configPath = '.github/ingress-guard.yaml'

/** The one rule of the gate that takes exceptions: a changed file could not be judged. */
export const notJudgedRule = 'source/not-judged'

/** The rule whose exceptions name what they cover: its findings list defects, and further ones become known. */
export const knownDefectRule = 'version-matrix/known-defect'
