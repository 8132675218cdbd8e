// An option's problem, with its name.
import type { AnyText } from '../contract.ts'

export interface Problem {
  path: string
  message: AnyText
}
