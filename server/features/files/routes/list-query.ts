// The query of `GET /api/files` as a filter and an order, and back.
import { z } from 'zod'
import { sayPlain } from '../../../../plugins/contract/index.ts'
import { filterFields, filterSchema, type FileFilter } from '../../../files/filter.ts'
import { FILE_SORTS } from '../../../files/list.ts'

export const DEFAULT_SORT = '-created_at'

/** The conditions and the order. */
export const listQueryFields = {
  ...filterFields,
  sort: z.enum(FILE_SORTS).default(DEFAULT_SORT),
}

export interface ListContent {
  filter: FileFilter
  sort: string
}

/** The query that lists `content`: `search=atlas&type=pdf,epub&sort=filename`. */
export function queryOf({ filter, sort }: ListContent): string {
  const fields = {
    search: filter.search,
    ...filter,
    ...(sort === DEFAULT_SORT ? {} : { sort }),
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) query.set(name, textOfValue(name, value))
  return query.toString()
}

/** A list of texts is separated by commas; alternatives are JSON. */
const textOfValue = (name: string, value: unknown): string =>
  name === 'any' ? JSON.stringify(value) : Array.isArray(value) ? value.join(',') : String(value)

export const ONCE = sayPlain('Send each parameter once')
/** Does a query, as pairs of names and values, have a name twice? */
export const repeatsParameter = (given: readonly (readonly [string, unknown])[]): boolean =>
  new Set(given.map(([name]) => name)).size < given.length

const fields = z.strictObject(listQueryFields)
const parameters = z.record(z.string().max(50), z.unknown())

/** A query, as text or as its parameters; becomes a filter and an order. */
export const listQuery = z
  .union([z.string().max(10_000), parameters], sayPlain('Send a query, like `tags=summer`'))
  .transform((query, context): ListContent => {
    const given = typeof query === 'string' ? parametersIn(query, context) : query
    const parsed = fields.safeParse(given)
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        context.issues.push({ ...issue, input: given } as z.core.$ZodRawIssue)
      return z.NEVER
    }
    const { sort, ...conditions } = parsed.data
    return { filter: filterSchema.parse(conditions), sort }
  })

function parametersIn(query: string, context: z.RefinementCtx): Record<string, string> {
  const given = [...new URLSearchParams(query)]
  if (repeatsParameter(given)) context.addIssue({ code: 'custom', message: ONCE })
  return Object.fromEntries(given)
}
