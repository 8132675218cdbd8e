// Typed ids in queries and filters.
import { z } from 'zod'
import { type IdPrefix, parsePublicId } from './ids.ts'

/** An id, kept as it was given. Only programs send a wrong one: the message is not translated. */
export const publicId = (
  prefixes: IdPrefix | readonly IdPrefix[],
  what: string,
): z.ZodType<string, string> =>
  z.string().refine((id) => parsePublicId(prefixes, id) !== null, `This is not the id of ${what}`)
