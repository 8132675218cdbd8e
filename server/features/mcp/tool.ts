// A tool of agents, and the three kinds of it: one that reads, one that plans a change, and the one that
// confirms a plan. Only the functions that a kind is given decide what it can do.
import type { z } from 'zod'
import { ownValue } from '../../../plugins/contract/index.ts'
import type { Scope } from '../../http/endpoint.ts'

export type Json = Readonly<Record<string, unknown>>

/** Asks a GET endpoint of the API as the caller: scope, checks and answer are the endpoint's. */
export type Read = (
  path: `/api/${string}`,
  asked?: { params?: Readonly<Record<string, string>>; query?: Json },
) => Promise<Json>

/** The endpoints that can preview what they do. `dry_run` is added where a plan is made. */
type PlanPath = '/api/operations' | '/api/files/import' | '/api/operations/{id}/undo'

export interface PlanRequest {
  path: PlanPath
  params?: Readonly<Record<string, string>>
  body: Json
}

interface Described<Input extends z.ZodObject> {
  name: string
  title: string
  description: string
  input: Input
  /** It talks to other servers than this one. */
  reachesOut?: true
}

export interface ToolContext {
  read: Read
  /** Waits until an operation rests: its preview is ready, or it has ended. At most `seconds`. */
  settled(id: string, seconds: number): Promise<Json>
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
  scopes: ReadonlySet<Scope>
}

type Work<Args> =
  | { kind: 'read'; answer(args: Args, context: ToolContext): Promise<Json> }
  | { kind: 'plan'; plan(args: Args): PlanRequest }
  /** `plan_id` names what is confirmed. */
  | { kind: 'confirm' }

export type Tool = Described<z.ZodObject> & Work<Json>

/** Checks the type of the input, which is erased for the list of tools. */
export const defineTool = <Input extends z.ZodObject>(
  tool: Described<Input> & Work<z.input<Input>>,
): Tool => tool as unknown as Tool

/** These fields of a record, as far as it has them: an agent reads every byte of an answer. */
export const shownFields = (record: unknown, names: readonly string[]): Json =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = ownValue((record ?? {}) as Json, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** The rows of a list. */
export const listedRows = (page: Json): readonly Json[] => {
  const rows = page['data']
  return Array.isArray(rows) ? (rows as Json[]) : []
}
