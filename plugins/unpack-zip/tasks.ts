// What the plugin asks its sandbox script, and the answers.
import { z } from 'zod'

/** Why an entry cannot be unpacked. */
const REFUSED_KINDS = ['encrypted', 'link', 'special', 'method', 'long_name'] as const

export type ZipTask =
  | { do: 'list'; archive: string; most: number }
  | { do: 'extract'; archive: string; folder: string; files: readonly { at: number; to: string }[] }

const entry = z.object({
  /** Its place in the central directory, from 0. */
  at: z.int().nonnegative(),
  /** Its path; in base64 if the archive does not say how it is written. */
  path: z.string().max(16_384),
  base64: z.boolean(),
  size_bytes: z.int().nonnegative(),
  refused: z.enum(REFUSED_KINDS).nullable(),
})
export type ListedEntry = z.output<typeof entry>

export const ANSWERS = {
  list: z.object({ entries: z.array(entry) }),
  extract: z.object({ done: z.literal(true) }),
}
