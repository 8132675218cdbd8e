// An operation's item as every answer shows it.
import { z } from 'zod'
import { shownAsk, type Mapping } from '../../../plugins/contract/index.ts'
import { ITEM_STATUSES } from '../../engine/types.ts'
import { shownOutcome, urlOf, type ItemRow } from '../../engine/items.ts'
import type { ChangedPacks } from '../../files/pack-places.ts'
import { toPublicId } from '../../core/ids.ts'
import { storedReason } from '../../core/texts.ts'
import { itemError, messageText, timestamp, warning } from '../../http/schemas.ts'

export const itemSchema = z
  .object({
    position: z.number().int(),
    status: z.enum(ITEM_STATUSES),
    filename: z.string(),
    file_id: z.string().nullable(),
    url: z
      .string()
      .nullable()
      .describe(
        'The address from which an import fetched it, without query, user info and fragment',
      ),
    product_mapped: z.boolean(),
    attempt: z.number().int(),
    error: itemError.nullable(),
    warnings: z.array(warning),
    candidates: z
      .array(
        z.object({
          product_id: z.string(),
          product_title: z.string(),
          variant_id: z.string().nullable(),
          score: z.number(),
          reason: z.string(),
          reason_text: messageText,
        }),
      )
      .describe('Products from which a person must choose'),
    before: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The fields that changed, before'),
    after: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'The same fields after the change (in a preview: planned); tags, mappings and packs as {added, removed}',
      ),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Item' })

/** Fields that only an undo needs. */
const INTERNAL_FIELDS = new Set([
  'updated_at',
  'deleted_at',
  'product_mapped',
  'mapping_state',
  'drop_previous',
  'give',
  'access',
])

function shown(fields: Record<string, unknown> | null): Record<string, unknown> | null {
  if (!fields) return null
  const { mappings, packs, ...others } = fields
  const kept = Object.entries(others)
    .filter(([name]) => !INTERNAL_FIELDS.has(name))
    .map(([name, value]) => [name, shownValue(name, value)])
  return Object.fromEntries([
    ...kept,
    ...(mappings ? [['mappings', shownMappings(mappings as ChangedMappings)] as const] : []),
    ...(packs ? [['packs', shownPacks(packs as ChangedPacks)] as const] : []),
  ])
}

/** By their names at that time. */
const shownPacks = ({ added, removed }: ChangedPacks) => ({
  added: added.map(({ name }) => name),
  removed: removed.map(({ name }) => name),
})

function shownValue(name: string, value: unknown): unknown {
  if (name === 'ask_for') return hidePassword(value)
  return name === 'link' ? shownLink(value) : value
}

/** In a preview there is no link yet, only what it would be. */
function shownLink(link: unknown): unknown {
  if (typeof link === 'string') return toPublicId('link', link)
  const { ask_for: asked, ...terms } = link as { ask_for?: unknown }
  return asked === undefined ? link : { ...terms, ask_for: hidePassword(asked) }
}

/** The hash of a password is for an undo alone. */
const hidePassword = (asked: unknown) =>
  typeof asked === 'string' && asked !== 'nothing' ? shownAsk(asked) : asked

interface ChangedMappings {
  added: readonly Mapping[]
  removed: readonly Mapping[]
}

const shownMappings = ({ added, removed }: ChangedMappings) => ({
  added: added.map(withReason),
  removed: removed.map(withReason),
})

const withReason = (mapping: Mapping) => ({ ...mapping, ...storedReason(mapping.reason) })

/** The change as answers show it. */
export const shownChange = ({ before, after }: Pick<ItemRow, 'before' | 'after'>) => ({
  before: shown(before),
  after: shown(after),
})

export function itemRecord(item: ItemRow): z.output<typeof itemSchema> {
  const { file_id, error } = shownOutcome(item)
  return {
    position: item.position,
    status: item.status,
    filename: item.filename,
    file_id: file_id && toPublicId('file', file_id),
    url: urlOf(item),
    product_mapped: item.product_mapped,
    attempt: item.attempt,
    error,
    warnings: item.warnings ?? [],
    candidates: (item.candidates ?? []).map(
      ({ product_id, product_title, variant_id, score, reason }) => ({
        product_id,
        product_title,
        variant_id,
        score,
        ...storedReason(reason),
      }),
    ),
    ...shownChange(item),
    finished_at: item.finished_at?.toISOString() ?? null,
  }
}
