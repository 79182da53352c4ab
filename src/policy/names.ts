/** Where a repository keeps its config. */
export const configPath = '.github/ingress-guard.yaml'

/** The one rule of the gate that takes exceptions: a changed file could not be judged. */
export const notJudgedRule = 'source/not-judged'
