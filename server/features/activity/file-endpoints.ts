// What happened to a file, and who has it.
import { z } from 'zod'
import { AppError } from '../../core/errors.ts'
import { requirePublicId, toOperationId, toPublicId } from '../../core/ids.ts'
import { fromCursor, text, time, listPage } from '../../http/cursors.ts'
import { endpointsOf, type Endpoint } from '../../http/endpoint.ts'
import { itemError, listOf, page, timestamp } from '../../http/schemas.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { viewedOnly } from '../../files/view-kinds.ts'
import { shownChange } from '../operations/item-record.ts'
import { refusedReasonSchema } from '../orders/record.ts'
import { usableUntil } from '../links/model/links.ts'
import { packViewsEnd } from '../links/model/pack-links.ts'
import {
  readFileHistory,
  type HistoryPlace,
  type HistoryRow,
  type PagePlace,
  readNewest,
} from './file-history.ts'

const endpoint = endpointsOf({ tag: 'Files', scope: 'files:read' })

export const fileActivityRoutes = (): Endpoint[] => [fileHistory(), fileHolders()]

const change = z.record(z.string(), z.unknown()).nullable()

const historyEntry = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('operation'),
      at: timestamp,
      operation_id: z.string(),
      title: z.string().describe('Of its workflow'),
      requested_by: z.string(),
      status: z.enum(['done', 'failed']),
      error: itemError.nullable(),
      before: change,
      after: change.describe('As the operation’s items show it'),
      undone: z.boolean(),
      undo_until: timestamp
        .nullable()
        .describe('Until when the operation can be undone; null: it cannot'),
      files: z.number().int().describe('How many files the operation changed'),
    }),
    z.object({
      kind: z.literal('link'),
      at: timestamp,
      email: z.string().nullable(),
      revoked_at: timestamp.nullable(),
    }),
    z.object({
      kind: z.literal('delivery'),
      at: timestamp,
      delivery_id: z.string(),
      order_name: z.string(),
      email: z.string().nullable(),
      withdrawn: z.boolean(),
    }),
    z.object({
      kind: z.literal('downloads'),
      at: timestamp,
      day: z.iso.date().describe('In UTC'),
      downloads: z.number().int(),
    }),
    z.object({
      kind: z.literal('refused'),
      at: timestamp.describe('The last attempt of its minute'),
      reason: refusedReasonSchema,
      times: z.number().int(),
      address: z.string().describe('Shortened: 203.0.113.0/24'),
      agent: z.string(),
      email: z.string().nullable(),
      delivery_id: z.string().nullable(),
      order_name: z.string().nullable(),
    }),
    z.object({
      kind: z.literal('view'),
      at: timestamp.describe('The last request of its hour'),
      address: z.string().describe('Shortened: 203.0.113.0/24'),
      agent: z.string(),
      email: z.string().nullable(),
      delivery_id: z.string().nullable(),
      order_name: z.string().nullable(),
    }),
  ])
  .meta({ id: 'FileHistoryEntry' })

const fileHistory = (): Endpoint =>
  endpoint('GET /api/files/{id}/history', {
    summary: 'List what happened to a file, newest first',
    description:
      'Imports and other operations with what they changed, links, deliveries, the downloads of each day, downloads that were refused, and views in a browser. Operations are listed as long as they are kept.',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page of entries', schema: listOf(historyEntry) } },
    handler: ({ caller, params, query }) =>
      historyPage(query, entryOf, (place) =>
        readFileHistory(caller.scope, requirePublicId('file', params.id), place),
      ),
  })

const holderSchema = z
  .object({
    kind: z.enum(['delivery', 'link', 'pack_link']),
    at: timestamp.describe('Since when'),
    delivery_id: z.string().nullable(),
    link_id: z.string().nullable(),
    order_name: z.string().nullable(),
    pack_name: z.string().nullable(),
    email: z.string().nullable(),
    downloads: z.number().int().describe('Of this file'),
    last_download_at: timestamp.nullable(),
    ended: z.boolean().describe('It was withdrawn or revoked, or has expired'),
  })
  .meta({ id: 'FileHolder' })

const fileHolders = (): Endpoint =>
  endpoint('GET /api/files/{id}/holders', {
    summary: 'List who has a file, newest first',
    description: 'The orders that delivered it, links to it, and links to its packs.',
    query: z.strictObject(page),
    replies: { 200: { description: 'A page of holders', schema: listOf(holderSchema) } },
    handler: ({ caller, params, query }) =>
      historyPage(query, holderOf, (place) =>
        readHolders(caller.scope, requirePublicId('file', params.id), place),
      ),
  })

const holderOf = ({
  kind,
  at,
  facts: { id, last_download_at, ...facts },
}: HolderRow): z.output<typeof holderSchema> => ({
  kind,
  ...facts,
  at: at.toISOString(),
  last_download_at: momentText(last_download_at),
  delivery_id: kind === 'delivery' ? toPublicId('delivery', id) : null,
  link_id: kind === 'delivery' ? null : toPublicId('link', id),
})

/** PostgreSQL writes moments in JSON with its own precision. */
const momentText = (at: string | null): string | null => at && new Date(at).toISOString()

/** Reads a page of what is ordered by time and key. Throws `not_found`. */
async function historyPage<Row extends HistoryPlace, Shown>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  show: (row: Row) => Shown,
  read: (place: PagePlace) => Promise<Row[] | null>,
): Promise<{ body: { data: Shown[]; next_cursor: string | null } }> {
  const [exact_at, key] = fromCursor(cursor, [time, text]) ?? []
  const before = exact_at === undefined || key === undefined ? null : { exact_at, key }
  const rows = await read({ before, limit: limit + 1 })
  if (!rows) throw new AppError('not_found')
  return { body: listPage(rows, limit, (last) => [last.exact_at, last.key], show) }
}

function entryOf(row: HistoryRow): z.output<typeof historyEntry> {
  const at = row.at.toISOString()
  switch (row.kind) {
    case 'operation': {
      const { operation, kind, before, after, undo_until, ...facts } = row.facts
      return {
        ...facts,
        at,
        kind: 'operation',
        operation_id: toOperationId(kind, operation),
        ...shownChange({ before, after }),
        undo_until: momentText(undo_until),
      }
    }
    case 'link': {
      const { email, revoked_at } = row.facts
      return { kind: 'link', at, email, revoked_at: momentText(revoked_at) }
    }
    case 'delivery': {
      const { delivery, ...facts } = row.facts
      return { ...facts, kind: 'delivery', at, delivery_id: toPublicId('delivery', delivery) }
    }
    case 'downloads':
      return { ...row.facts, kind: 'downloads', at }
    case 'view': {
      const { delivery, ...facts } = row.facts
      const delivery_id = delivery && toPublicId('delivery', delivery)
      return { ...facts, kind: 'view', at, delivery_id }
    }
    case 'refused': {
      const { delivery, ...facts } = row.facts
      const delivery_id = delivery && toPublicId('delivery', delivery)
      return { ...facts, kind: 'refused', at, delivery_id }
    }
  }
}

// Who has a file: the orders that delivered it, links to it, and links to its pack, newest first.

interface HolderFacts {
  /** The bare UUID of the delivery or of the link. */
  id: string
  email: string | null
  /** Of a delivery. */
  order_name: string | null
  /** Of a pack’s link. */
  pack_name: string | null
  /** Of this file by this holder. */
  downloads: number
  last_download_at: string | null
  /** Whether it was withdrawn, revoked or has expired. */
  ended: boolean
}

export type HolderKind = 'delivery' | 'link' | 'pack_link'

type HolderRow = HistoryPlace & { at: Date; kind: HolderKind; facts: HolderFacts }

const hasEnded = (end: string) => `l.revoked_at is not null or coalesce(${end} <= now(), false)`

const DELIVERIES = `
  select min(df.created_at) as at, 'delivery/' || d.id as key, 'delivery' as kind,
    jsonb_build_object('id', d.id, 'order_name', o.name, 'pack_name', null,
      'email', coalesce(d.email, o.email), 'downloads', coalesce(max(l.served), 0),
      'last_download_at', max(l.last_download_at),
      'ended', bool_and(df.withdrawn) or d.revoked_at is not null or d.withdrawn_at is not null
        or coalesce(bool_and(${hasEnded(usableUntil('l', 'f'))}), false)) as facts
  from delivery_files df
  join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
  join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
  left join links l on l.shop_id = p.shop_id and l.parent_id = p.id and l.file_id = df.file_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  where df.shop_id = :shop and df.file_id = :file
  group by d.shop_id, d.id, o.shop_id, o.id`

const factsOfLink = (packName: string, child: string, end: string) => `
  jsonb_build_object('id', l.id, 'order_name', null, 'pack_name', ${packName}, 'email', l.email,
    'downloads', coalesce(${child}.served, 0), 'last_download_at', ${child}.last_download_at,
    'ended', ${hasEnded(end)}) as facts`

const LINKS = `
  select l.created_at as at, 'link/' || l.id as key, 'link' as kind,
    ${factsOfLink('null', 'l', usableUntil('l', 'f'))}
  from links l join files f on f.shop_id = l.shop_id and f.id = l.file_id
  where l.shop_id = :shop and l.file_id = :file and l.parent_id is null`

/** Of a file of the pack's link `l`, with its own link `c`: as `known-link.ts` decides. */
const PACK_FILE_END = `case when ${viewedOnly('f')} then ${packViewsEnd('c', 'l')}
  else least(l.ends_at, c.use_ends_at) end`

/** Those of its present packs: a file that left a pack is not behind its links any more. */
const PACK_LINKS = `
  select l.created_at as at, 'pack/' || l.id as key, 'pack_link' as kind,
    ${factsOfLink('k.name', 'c', PACK_FILE_END)}
  from files f join pack_files m on m.shop_id = f.shop_id and m.file_id = f.id
  join packs k on k.shop_id = m.shop_id and k.id = m.pack_id
  join links l on l.shop_id = k.shop_id and l.pack_id = k.id
  left join links c on c.shop_id = l.shop_id and c.parent_id = l.id and c.file_id = f.id
  where f.shop_id = :shop and f.id = :file`

/** Newest first. Null: there is no such file. */
const readHolders = (
  scope: ShopScope,
  file: string,
  place: PagePlace,
): Promise<HolderRow[] | null> =>
  readNewest(scope, [DELIVERIES, LINKS, PACK_LINKS], { ...place, file })
