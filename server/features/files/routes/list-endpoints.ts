// Lists of files, and the tags in use.
import { z } from 'zod'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import {
  flag,
  numeric,
  ownValue,
  sayPlain,
  searchText,
} from '../../../../plugins/contract/index.ts'
import { compileFilter, type CompiledFilter, type FileFilter } from '../../../files/filter.ts'
import {
  cursorOf,
  EXACT_TOTAL,
  listFilePage,
  listTags,
  totalOfFiles,
  type FileTotal,
  type FilePage,
} from '../../../files/list.ts'
import { matchesOf } from '../../../files/matched.ts'
import { hasPack } from '../../packs/model/list.ts'
import { requirePublicId } from '../../../core/ids.ts'
import { lastOf, present } from '../../../core/lazy.ts'
import {
  bigInteger,
  fromCursor,
  integer,
  text,
  time,
  toCursor,
  uuid,
  type CursorPart,
  listPage,
} from '../../../http/cursors.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { fileRecord, fileView, fileSchema } from '../record.ts'
import { listOf, page, totalIsExact } from '../../../http/schemas.ts'
import type { FileRouteParts } from '../routes.ts'
import { listQueryFields } from './list-query.ts'

export const fileListRoutes = (parts: FileRouteParts): Endpoint[] => [list(parts), tagsInUse()]

const MAX_OFFSET = 10_000_000

/** Maximum age of the count in a list that is read page by page. */
const COUNTED_FOR_MS = 10_000

const listQuery = z
  .strictObject({
    ...page,
    ...listQueryFields,
    offset: numeric(z.number().int().min(0).max(MAX_OFFSET))
      .default(0)
      .describe(
        'Skips this many files first, to jump to a page; continue with `next_cursor`, which is faster',
      ),
    exact: flag
      .optional()
      .describe(
        'Counts all files that match, also more than 10,000; this takes longer the more they are',
      ),
  })
  .refine(({ sort, pack }) => !sort.endsWith('pack_position') || pack !== undefined, {
    path: ['sort'],
    message: sayPlain('Files only have a position within a pack: send `pack`'),
  })

const list = ({ baseUrl, clock }: FileRouteParts) =>
  endpoint('GET /api/files', {
    summary: 'List files',
    description:
      '`pack_position` can be used only with a `pack`. `downloads` are all since the file was added, through links and through its public address.',
    tag: 'Files',
    scope: 'files:read',
    query: listQuery,
    replies: {
      200: {
        description: 'A page of files; `total` is how many match',
        schema: listOf(fileSchema).extend({
          total: z.number().int(),
          total_is_exact: totalIsExact,
        }),
      },
    },
    handler: async ({ caller: { scope }, query }) => {
      const { limit, cursor, sort, offset, exact = false, ...filter } = query
      const place = placeOf(cursor, sort)
      await requirePack(scope, filter)
      const condition = await compileFilter(scope, filter)
      const [rows, counted] = await Promise.all([
        listFilePage(scope, {
          filter: condition,
          sort,
          offset,
          limit: limit + 1,
          after: place?.after ?? null,
        }),
        counting(scope, filter, { condition, before: place, exact, now: clock() }),
      ])
      const shown = rows.slice(0, limit)
      const view = await fileView(scope, baseUrl)
      const matches = await matchesOf(scope, filter, shown)
      const next =
        rows.length > limit
          ? toCursor([...cursorOf(lastOf(shown), sort), cursorTotal(counted), counted.at])
          : null
      return {
        body: {
          data: shown.map((row) => fileRecord(row, view, matches?.get(row.id))),
          next_cursor: next,
          total: counted.total,
          total_is_exact: counted.isExact,
        },
      }
    },
  })

interface FileCount extends FileTotal {
  /** The time of the count, in milliseconds. */
  at: number
}

/**
 * Reads a cursor: where to continue, and the previous page's count, because counting takes longer
 * than reading a page.
 */
function placeOf(
  cursor: string | undefined,
  sort: string,
): (FileCount & { after: FilePage['after'] }) | null {
  const value = present(ownValue(VALUES, sort.replace('-', '')), `The values of the sort ${sort}`)
  const values = fromCursor(cursor, [value, uuid, bigInteger, bigInteger])
  if (!values) return null
  const [last, id, total, at] = values
  return { after: [last, id], total: Math.abs(total), isExact: total >= 0, at }
}

const VALUES: Readonly<Record<string, CursorPart>> = {
  created_at: time,
  filename: text,
  size_bytes: bigInteger,
  downloads: bigInteger,
  pack_position: integer,
}

/** A cursor stores a total that is not exact as a negative number. */
const cursorTotal = ({ total, isExact }: FileTotal): number => (isExact ? total : -total)

interface CountParts {
  condition: CompiledFilter
  /** The count of the previous page. */
  before: FileCount | null
  exact: boolean
  now: Date
}

async function counting(
  scope: ShopScope,
  filter: FileFilter,
  { condition, before, exact, now }: CountParts,
): Promise<FileCount> {
  const at = now.getTime()
  const isUsable = before !== null && (before.isExact || !exact)
  if (isUsable && Math.abs(at - before.at) < COUNTED_FOR_MS) return before
  const most = exact ? Infinity : EXACT_TOTAL
  return { ...(await totalOfFiles(scope, filter, { condition, most })), at }
}

/** Checks that the pack of a filter exists: an unknown pack is an error; an empty pack is not. */
async function requirePack(scope: ShopScope, { pack }: FileFilter): Promise<void> {
  if (pack !== undefined && !(await hasPack(scope, requirePublicId('pack', pack))))
    throw new AppError('not_found')
}

const tagsInUse = () =>
  endpoint('GET /api/tags', {
    summary: 'List the tags in use, most used first',
    tag: 'Tags',
    scope: 'files:read',
    query: z.strictObject({
      ...page,
      search: searchText(100).default('').describe('The tag has each of these words'),
    }),
    replies: {
      200: {
        description: 'Tags',
        schema: listOf(
          z.object({ tag: z.string(), files: z.number().int() }).meta({ id: 'TagCount' }),
        ),
      },
    },
    handler: async ({ caller, query: { limit, cursor, search } }) => {
      const after = fromCursor(cursor, [integer, text])
      const rows = await listTags(caller.scope, { search, limit: limit + 1, after })
      return {
        body: listPage(
          rows,
          limit,
          (last) => [last.files, last.tag],
          (row) => row,
        ),
      }
    },
  })
