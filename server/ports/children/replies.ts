// What a limited child says: its answer, or that it refuses, and why.
import { z } from 'zod'

const refusedSchema = z.object({
  /** One of the codes in server/errors.ts. */
  code: z.string().max(64),
  message: z.string().max(1000),
  /** It was memory that ran out. */
  memory: z.boolean(),
  /** For the log alone: where it happened. */
  inside: z.string().max(4000),
})
export type Refused = z.output<typeof refusedSchema>

export const replySchema = z.union([z.object({ answer: z.json() }), z.object({ refused: refusedSchema })])
export type Reply = z.output<typeof replySchema>

/** Do these words, of V8, Node, WebAssembly, libc or glib, tell of memory that could not be had? */
export const tellsOfMemory = (words: string): boolean =>
  /(out of|insufficient|not enough) memory|allocation failed|failed to allocate|cannot allocate|unable to (allocate|grow)|bad_alloc/i.test(
    words,
  )
