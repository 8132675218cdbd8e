// What a limited child says: its answer, or that it refuses, and why. Nothing is imported here: a child begins with it.

export interface Refused {
  /** One of the codes in server/errors.ts. */
  code: string
  message: string
  /** It was memory that ran out. */
  memory: boolean
  /** For the log alone: where it happened. */
  inside: string
}
export type Reply = { answer: unknown } | { refused: Refused }

/** Do these words, of V8, Node, WebAssembly, libc or glib, tell of memory that could not be had? */
export const tellsOfMemory = (words: string): boolean =>
  /(out of|insufficient|not enough) memory|allocation failed|failed to allocate|cannot allocate|unable to (allocate|grow)|bad_alloc/i.test(
    words,
  )
