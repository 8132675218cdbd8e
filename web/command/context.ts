// What each command gets, and how it is described.
import type { Stevedore } from './types.ts'
import type { Requests } from './requests.ts'
import type { ExitCode } from './exit.ts'
import type { System } from './places.ts'
import type { Terminal } from './terminal.ts'

type Option = { type: 'string' | 'boolean'; multiple?: boolean; short?: string }
export type Options = Readonly<Record<string, Option>>

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** A shop with the client of its key. */
export interface OpenShop {
  /** As a list names it; null: the shop of the key. */
  name: string | null
  url: string
  client: Stevedore
}

export interface Context {
  /** What stands after the name of the command, without options. */
  given: readonly string[]
  values: Values
  client: Stevedore
  /** That of the client, or those of `--shops`. */
  shops: readonly OpenShop[]
  requests: Requests
  terminal: Terminal
  system: System
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** What is sent to its standard input. */
  readInput: () => Promise<string>
}

export interface Command {
  /** One line. */
  about: string
  /** At most 24 lines of 80 characters. */
  help: string
  options: Options
  run(context: Context): Promise<ExitCode>
}

export const textOption = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

export const listOption = (values: Values, name: string): string[] =>
  [values[name] ?? []].flat().filter((one) => typeof one === 'string')
