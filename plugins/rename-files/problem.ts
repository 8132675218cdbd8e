// An option's problem, with its name.

export interface Problem {
  path: string
  message: string
}
