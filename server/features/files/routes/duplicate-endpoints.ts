// Files with the same content, to keep one of each.
import { z } from 'zod'
import { toPublicId } from '../../../core/ids.ts'
import { GROUP_FILES, listSameContent, type ContentGroup } from '../../../files/same-content.ts'
import { bigInteger, fromCursor, listPage, text } from '../../../http/cursors.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { listOf, page, timestamp } from '../../../http/schemas.ts'

const groupSchema = z
  .object({
    id: z.string().describe('The BLAKE3 hash of their bytes'),
    size_bytes: z.number().int().describe('Of each file'),
    count: z.number().int().describe('How many files have this content'),
    files: z
      .array(
        z.object({
          id: z.string(),
          filename: z.string(),
          created_at: timestamp,
          buyers: z.number().int().describe('Buyers who hold a link to it that works'),
          products: z.array(z.string()).describe('Titles of its products'),
          packs: z.array(z.string()).describe('The names of its packs'),
        }),
      )
      .describe(
        `The first ${GROUP_FILES}: the oldest that buyers have comes first, and is the one to keep`,
      ),
  })
  .meta({ id: 'ContentGroup' })

export const duplicateRoutes = ({ clock }: { clock: () => Date }): Endpoint[] => [
  endpoint('GET /api/files/duplicates', {
    summary: 'List files with the same content',
    description:
      'Groups of files whose current bytes are equal, those of the largest files first; files in the trash are left out. ' +
      'The action `merge-duplicates` of `POST /api/operations` keeps one of each group.',
    tag: 'Files',
    scope: 'files:read',
    query: z.strictObject(page),
    replies: {
      200: {
        description: 'A page of groups',
        schema: listOf(groupSchema).extend({
          total: z.number().int().describe('How many groups there are'),
          bytes: z.number().int().describe('The bytes of all of their files but one of each'),
        }),
      },
    },
    handler: async ({ caller: { scope }, query: { limit, cursor } }) => {
      const after = fromCursor(cursor, [bigInteger, hash])
      const { groups, totals } = await listSameContent(scope, {
        limit: limit + 1,
        after,
        now: clock(),
      })
      const shown = listPage(groups, limit, placeOf, groupRecord)
      return { body: { ...shown, total: totals.groups, bytes: totals.bytes } }
    },
  }),
]

const hash = (value: unknown): value is string => text(value) && /^[0-9a-f]{64}$/.test(value)
const placeOf = ({ size_bytes, hash: last }: ContentGroup) => [size_bytes, last]

const groupRecord = ({
  hash: id,
  files,
  ...group
}: ContentGroup): z.output<typeof groupSchema> => ({
  id,
  ...group,
  files: files.map((file) => ({
    ...file,
    id: toPublicId('file', file.id),
    created_at: file.created_at.toISOString(),
  })),
})
