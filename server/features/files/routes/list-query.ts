// The query of `GET /api/files` as a filter and an order, and back.
import { z } from 'zod'
import { sayPlain } from '../../../../plugins/contract.ts'
import {
  filterFields,
  filterSchema,
  MAX_WORDS,
  searchWords,
  type FileFilter,
} from '../../../files/filter.ts'
import { FILE_SORTS } from '../../../files/list.ts'

export const DEFAULT_SORT = '-created_at'

/** The conditions and the order. */
export const listQueryFields = {
  ...filterFields,
  search: filterFields.search.describe(
    'As `find`: words in any order. In the selection of an operation, a part of the name',
  ),
  name_contains: filterFields.search.describe('A part of the name: the `search` of a selection'),
  sort: z.enum(FILE_SORTS).default(DEFAULT_SORT),
}

/**
 * The words of `search` are found like those of `find`. More words than are looked up are a part of
 * the name.
 */
export function withWords({
  search = '',
  name_contains: part,
  ...conditions
}: FileFilter & { name_contains?: string | undefined }): FileFilter {
  const filter = { ...conditions, ...(part === undefined ? {} : { search: part }) }
  const words = searchWords(`${filter.find ?? ''} ${search}`)
  if (words.length === 0) return filter
  if (words.length <= MAX_WORDS) return { ...filter, find: words.join(' ') }
  return part === undefined ? { ...filter, search } : filter
}

export interface ListContent {
  filter: FileFilter
  sort: string
}

/** The query that lists `content`: `search=atlas&type=pdf,epub&sort=filename`. */
export function queryOf({ filter, sort }: ListContent): string {
  const { find, search, ...conditions } = filter
  const fields = {
    search: find,
    name_contains: search,
    ...conditions,
    ...(sort === DEFAULT_SORT ? {} : { sort }),
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : String(value))
  return query.toString()
}

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
    return { filter: filterSchema.parse(withWords(conditions)), sort }
  })

function parametersIn(query: string, context: z.RefinementCtx): Record<string, string> {
  const given = [...new URLSearchParams(query)]
  if (repeatsParameter(given)) context.addIssue({ code: 'custom', message: ONCE })
  return Object.fromEntries(given)
}
