// Cloud connections and their syncs, as the API receives and returns them.
import { sayPlain, UNSAFE_CHARACTERS, ownValue } from '../../../../plugins/contract/index.ts'
import { z } from 'zod'
import type { CloudConnection, ConnectionInput } from '../connections.ts'
import { FREQUENCIES, optionFields, type ConnectionOptions } from '../options.ts'
import { PROVIDER_IDS, PROVIDERS, providerOf } from '../providers/providers.ts'
import type { Values } from '../providers/provider.ts'
import { operationOf, isRunning, type SyncView } from '../sync-rows.ts'
import type { Totals } from '../totals.ts'
import { OPERATION_STATUSES } from '../../../engine/types.ts'
import { toPublicId } from '../../../core/ids.ts'
import { messageText, timestamp } from '../../../http/schemas.ts'

const MAX_FIELD = 8192
const MAX_NAME = 200

/** The fields of all providers; a request is checked against its own provider's fields later. */
const fieldNames = [...new Set(PROVIDERS.flatMap(({ fields }) => fields.map(({ name }) => name)))]
const valueFields = Object.fromEntries(
  fieldNames.map((name) => [name, z.string().max(MAX_FIELD).nullable().optional()]),
)

const common = {
  name: z
    .string()
    .trim()
    .min(1, sayPlain('Enter a name'))
    .max(MAX_NAME)
    .refine(
      (name) => !UNSAFE_CHARACTERS.test(name),
      sayPlain('A name cannot contain control characters'),
    )
    .optional(),
  frequency_hours: z
    .literal([...FREQUENCIES])
    .nullable()
    .optional()
    .describe('Null: by hand'),
  ...z.object(optionFields).partial().shape,
  ...valueFields,
}

export const createBody = z
  .strictObject({ provider: z.enum(PROVIDER_IDS), ...common })
  .meta({ id: 'ConnectionRequest' })
export const changeBody = z.strictObject(common).meta({ id: 'ConnectionChange' })

/**
 * Sorts a body's fields into settings of the connection, options and the provider's values. A value
 * of null is stored as ''.
 */
export const connectionInputOf = (body: z.output<typeof changeBody>): ConnectionInput => ({
  name: body.name,
  frequency_hours: body.frequency_hours,
  options: picked(body, Object.keys(optionFields)) as Partial<ConnectionOptions>,
  values: givenValues(body),
})

/** The values of a provider's fields in a body. */
export function givenValues(body: Readonly<Record<string, unknown>>): Values {
  const values = Object.entries(picked(body, fieldNames)).map(([name, value]) => [
    name,
    value ?? '',
  ])
  return Object.fromEntries(values) as Values
}

const picked = (body: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(
    names.flatMap((name) =>
      ownValue(body, name) === undefined ? [] : [[name, ownValue(body, name)]],
    ),
  )

const said = z
  .object({ code: z.string(), message: z.string(), message_text: messageText })
  .nullable()
const count = z.number().int()

export const syncSchema = z
  .object({
    operation_id: z.string().nullable(),
    status: z.enum(OPERATION_STATUSES).nullable().describe('Of its operation'),
    discarded: z.boolean().describe('A preview that was not confirmed'),
    preview_reason: z
      .enum(['requested', 'first_sync', 'deletions', 'uploads', 'changed'])
      .nullable(),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
    listed: count,
    listed_bytes: count,
    added: count,
    changed: count,
    renamed: count,
    removed: count,
    uploaded: count,
    conflicts: count,
    ignored: count.describe(
      'Excluded by patterns or by their size, or left by an operating system',
    ),
    rejected: count.describe('Cannot be imported, and were not tried again'),
    awaited: count.describe(
      'Vanished there and kept here: a new object that may be the same could not be read',
    ),
    done: count.describe('Files that it has processed'),
    failed: count,
    bytes: count,
    error: said,
  })
  .meta({ id: 'Sync' })

export const connectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    provider_title: z.string(),
    state: z.enum(['unauthorized', 'ready', 'failing']),
    error: said,
    settings: z.record(z.string(), z.string().nullable()),
    ...optionFields,
    frequency_hours: count.nullable(),
    files: count,
    bytes: count,
    rejected: count.describe('Files at the provider that cannot be imported'),
    next_sync_at: timestamp.nullable(),
    created_at: timestamp,
    progress: z
      .object({
        phase: z.enum(['listing', 'syncing']),
        listed: count,
        operation_id: z.string(),
      })
      .nullable(),
    last_sync: syncSchema.nullable(),
  })
  .meta({ id: 'Connection' })

export const rejectionSchema = z
  .object({
    path: z.string(),
    size_bytes: count,
    code: z.string(),
    message: z.string(),
    message_text: messageText,
  })
  .meta({ id: 'CloudRejection' })

const importId = (id: string | null) => id && toPublicId('import', id)

export const syncRecord = (sync: SyncView): z.output<typeof syncSchema> => ({
  operation_id: importId(sync.operation_id),
  status: sync.status,
  discarded: sync.discarded,
  preview_reason: sync.preview_reason,
  started_at: sync.started_at.toISOString(),
  finished_at: sync.finished_at?.toISOString() ?? null,
  listed: sync.listed,
  listed_bytes: sync.listed_bytes,
  added: 0,
  changed: 0,
  renamed: 0,
  removed: 0,
  uploaded: 0,
  conflicts: 0,
  ignored: 0,
  rejected: 0,
  awaited: 0,
  ...sync.counts,
  done: sync.done,
  failed: sync.failed,
  bytes: sync.bytes,
  error: sync.error,
})

/** An access key is shown by its last characters. */
function shownSettings({ provider, settings }: CloudConnection): Record<string, string | null> {
  const fields = providerOf(provider).fields.filter(({ secret }) => !secret)
  return Object.fromEntries(
    fields.map(({ name }) => {
      const value = ownValue(settings, name) ?? null
      return [name, name === 'access_key' && value ? `…${value.slice(-4)}` : value]
    }),
  )
}

export function connectionRecord(
  row: CloudConnection,
  sync: SyncView | null,
  has: Totals,
): z.output<typeof connectionSchema> {
  const { id, name, provider, state, error, options, frequency_hours } = row
  const running = sync !== null && sync.operation_id !== null && isRunning(sync)
  const phase = sync?.phase === 'listing' ? ('listing' as const) : ('syncing' as const)
  return {
    id: toPublicId('connection', id),
    name,
    provider,
    state,
    error,
    frequency_hours,
    provider_title: providerOf(provider).title,
    settings: shownSettings(row),
    ...options,
    include: [...options.include],
    exclude: [...options.exclude],
    ...has,
    next_sync_at: row.next_sync_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    progress: running
      ? { phase, listed: sync.listed, operation_id: toPublicId('import', operationOf(sync)) }
      : null,
    last_sync: sync && syncRecord(sync),
  }
}
