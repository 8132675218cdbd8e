// What is wrong with an option, and with which.

export interface Problem {
  path: string
  message: string
}
