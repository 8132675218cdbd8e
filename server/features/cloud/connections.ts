// Connections as rows: created, read, changed, deleted. Keys are verified by a listing before they
// are stored.
import { say, type Text, ownValue } from '../../../plugins/contract/index.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { StoredMessage } from '../../core/texts.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { countInTurn } from '../../core/db/shop-maximum.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import type { Cloud, RemoteAccess } from './cloud.ts'
import { DEFAULT_OPTIONS, type ConnectionOptions } from './options.ts'
import { providerOf } from './providers/providers.ts'
import type { Provider, Values } from './providers/provider.ts'
import { checkedValues, checkTogether, problemTogether, sortedValues } from './connection-values.ts'
import { renameNotices } from './notices.ts'
import { proveAccess } from './prove-access.ts'
import { dropRejections } from './rejections.ts'
import { openSealed, sealed } from './sealed.ts'
import { missingOf, setUpText } from './set-up.ts'

export type ConnectionState = 'unauthorized' | 'ready' | 'failing'

export interface CloudConnection {
  id: string
  provider: string
  name: string
  settings: Values
  sealed: Buffer | null
  options: ConnectionOptions
  frequency_hours: number | null
  next_sync_at: Date | null
  state: ConnectionState
  error: (StoredMessage & { code: string }) | null
  established: boolean
  created_at: Date
}

/** The caller's values; the provider's fields by name. */
export interface ConnectionInput {
  name?: string | undefined
  frequency_hours?: number | null | undefined
  options: Partial<ConnectionOptions>
  values: Values
}

const MAX_CONNECTIONS = 100

export const listCloudConnections = (scope: ShopScope): Promise<CloudConnection[]> =>
  scope.query<CloudConnection>(
    `select * from connections where shop_id = :shop order by lower(name), id
       limit ${MAX_CONNECTIONS}`,
  )

const readConnection = (scope: ShopScope, id: string): Promise<CloudConnection | null> =>
  scope.first<CloudConnection>('select * from connections where shop_id = :shop and id = :id', {
    id,
  })

/** Reads the connection. Throws `not_found`. */
export async function requireConnection(scope: ShopScope, id: string): Promise<CloudConnection> {
  const row = await readConnection(scope, id)
  if (!row) throw new AppError('not_found')
  return row
}

/**
 * Locks the connection: until the transaction ends no sync of it starts or is applied. Throws
 * `not_found`.
 */
export async function holdConnection(tx: ShopScope, id: string): Promise<CloudConnection> {
  const [row] = await tx.query<CloudConnection>(
    'select * from connections where shop_id = :shop and id = :id for no key update',
    { id },
  )
  if (!row) throw new AppError('not_found')
  return row
}

export const openingOf = (cloud: Cloud, scope: ShopScope, row: CloudConnection): RemoteAccess => ({
  id: row.id,
  provider: providerOf(row.provider),
  settings: row.settings,
  secrets: openSealed(cloud.options.secrets, scope.shop, row.sealed),
  bytesPerSecond: row.options.bytes_per_second,
})

/** Asks the provider whether a new connection may be used. Throws as `createConnection`, and its error. */
export async function proveNewConnection(
  cloud: Cloud,
  scope: ShopScope,
  id: string,
  { values }: ConnectionInput,
): Promise<void> {
  const provider = offered(cloud, id)
  const { settings, secrets } = checkedValues(provider, values, {})
  checkTogether(cloud, provider, settings, secrets)
  if (provider.oauth === undefined)
    await proveAccess(cloud, scope, { id: null, provider, settings, secrets, bytesPerSecond: null })
}

/**
 * Creates a connection, after `proveNewConnection`, and returns its UUID. Throws `validation_failed`
 * or `conflict`.
 */
export async function createConnection(
  cloud: Cloud,
  scope: ShopScope,
  id: string,
  input: ConnectionInput,
): Promise<string> {
  const provider = offered(cloud, id)
  const { settings, secrets } = checkedValues(provider, input.values, {})
  const options = { ...DEFAULT_OPTIONS, ...input.options }
  const authorized = provider.oauth === undefined
  checkTogether(cloud, provider, settings, secrets)
  const hours = input.frequency_hours ?? null
  return scope.transaction(async (tx) => {
    const count = await countInTurn(tx, 'connections where shop_id = :shop')
    if (count >= MAX_CONNECTIONS)
      throw new AppError('conflict', {
        message: say('A shop has at most {most} connections: delete one first', {
          most: MAX_CONNECTIONS,
        }),
      })
    const row = await tx.one<{ id: string }>(
      `insert into connections (shop_id, provider, name, settings, sealed, options, frequency_hours,
         next_sync_at, state)
       values (:shop, :provider, :name, :settings, :sealed, :options, :hours::int,
         ${NEXT_SYNC}, :state)
       returning id`,
      {
        provider: provider.id,
        name: input.name ?? defaultName(provider, settings),
        settings: JSON.stringify(settings),
        sealed: sealed(cloud.options.secrets, tx.shop, secrets),
        options: JSON.stringify(options),
        hours,
        state: authorized ? 'ready' : 'unauthorized',
      },
    )
    return row.id
  })
}

const LONGEST_NAME = 200

const defaultName = (provider: Provider, settings: Values): string =>
  [...provider.nameOf(settings)].slice(0, LONGEST_NAME).join('')

/** The name of a changed connection: one that nobody chose follows the folder. */
const nameAfter = (before: CloudConnection, provider: Provider, settings: Values): string =>
  before.name === defaultName(provider, before.settings)
    ? defaultName(provider, settings)
    : before.name

const NEXT_SYNC = `now() + :hours::int * interval '1 hour'`

/** A connection before a change, and what it would have then. */
async function planChange(cloud: Cloud, scope: ShopScope, id: string, input: ConnectionInput) {
  const before = await requireConnection(scope, id)
  const provider = providerOf(before.provider)
  const kept = openSealed(cloud.options.secrets, scope.shop, before.sealed)
  const values = checkedValues(provider, input.values, { ...before.settings, ...kept })
  const moved = Object.keys(input.values).length > 0
  const secrets = { ...kept, ...values.secrets }
  if (moved) checkTogether(cloud, provider, values.settings, secrets)
  return { before, provider, settings: values.settings, secrets, moved }
}

/** Asks the provider whether the changed connection may be used. Throws as `changeConnection`, and its error. */
export async function proveChange(
  cloud: Cloud,
  scope: ShopScope,
  id: string,
  input: ConnectionInput,
): Promise<void> {
  const { before, provider, settings, secrets, moved } = await planChange(cloud, scope, id, input)
  if (moved && (before.state !== 'unauthorized' || !provider.oauth))
    await proveAccess(cloud, scope, { id, provider, settings, secrets, bytesPerSecond: null })
}

/**
 * Changes a connection, after `proveChange`. Calls `stopSync` if it gets another folder: a running sync would look there
 * for the objects of the earlier folder. Throws as `createConnection`, and `not_found`.
 */
export async function changeConnection(
  cloud: Cloud,
  scope: ShopScope,
  id: string,
  input: ConnectionInput,
  stopSync: (tx: ShopScope) => Promise<void>,
): Promise<void> {
  const { before, provider, settings, secrets, moved } = await planChange(cloud, scope, id, input)
  await scope.transaction(async (tx) => {
    const row = await holdConnection(tx, id)
    const name = input.name ?? nameAfter(row, provider, settings)
    const options = { ...row.options, ...input.options }
    await renameNotices(tx, row, name)
    await storeChange(tx, {
      ...row,
      name,
      options,
      ...(moved ? { settings, error: null } : {}),
      ...(moved && row.state === 'failing' ? { state: 'ready' } : {}),
      ...(moved && !provider.oauth
        ? { sealed: sealed(cloud.options.secrets, tx.shop, secrets) }
        : {}),
      ...(input.frequency_hours === undefined ? {} : { frequency_hours: input.frequency_hours }),
    })
    if (moved || JSON.stringify(options) !== JSON.stringify(row.options))
      await dropRejections(tx, id)
    if (!moved || !rootChanged(before.settings, settings)) return
    await stopSync(tx)
    await forgetApplied(tx, id)
  })
}

/**
 * Writes the changed connection. The next sync is due after the new frequency, counted from now.
 */
async function storeChange(tx: ShopScope, changed: CloudConnection): Promise<void> {
  const { id, name, state, sealed: secrets, frequency_hours: hours, error } = changed
  await tx.query(
    `update connections set name = :name, options = :options, settings = :settings,
       sealed = :secrets,
       next_sync_at = case when frequency_hours is distinct from :hours::int
         then ${NEXT_SYNC} else next_sync_at end,
       frequency_hours = :hours, state = :state, error = :error
     where shop_id = :shop and id = :id`,
    {
      id,
      name,
      state,
      secrets,
      hours,
      options: JSON.stringify(changed.options),
      settings: JSON.stringify(changed.settings),
      error: error && JSON.stringify(error),
    },
  )
}

/** With another folder, the earlier base does not apply, and the next sync counts as the first. */
const rootChanged = (before: Values, after: Values): boolean =>
  ['endpoint', 'account', 'bucket', 'prefix', 'folder', 'drive_id'].some(
    (name) => (ownValue(before, name) ?? '') !== (ownValue(after, name) ?? ''),
  )

async function forgetApplied(tx: ShopScope, id: string): Promise<void> {
  await tx.query('delete from cloud_files where shop_id = :shop and connection_id = :id', { id })
  await tx.query(
    `update syncs set obsolete = true where shop_id = :shop and connection_id = :id
      and not obsolete`,
    { id },
  )
  await tx.query('update connections set established = false where shop_id = :shop and id = :id', {
    id,
  })
}

/** Deletes a connection; its files stay in the shop. A running sync must be cancelled first. */
export async function deleteConnection(tx: ShopScope, id: string): Promise<void> {
  await deleteRow(tx, 'connections', id)
}

function offered(cloud: Cloud, id: string): Provider {
  const { provider, detail } = offerOf(cloud, id)
  if (!provider) throw new AppError('validation_failed', { param: 'provider', details: [detail] })
  return provider
}

function offerOf(
  cloud: Cloud,
  id: string,
): { provider: Provider; detail?: never } | { provider?: never; detail: ErrorDetail } {
  const provider = cloud.providers.find((one) => one.id === id)
  const refused = (message: Text) => ({
    detail: { param: 'provider', code: 'invalid_value' as const, message },
  })
  if (!provider) return refused(say('This installation does not have this provider'))
  return missingOf(cloud.options, provider).length > 0 ? refused(setUpText(provider)) : { provider }
}

/**
 * The problems of a new connection's well-formed fields.
 * @param id of the provider
 */
export function newConnectionProblems(cloud: Cloud, id: string, given: Values): ErrorDetail[] {
  const { provider, detail } = offerOf(cloud, id)
  return provider ? valueProblems(cloud, provider, given, {}) : [detail]
}

/** The problems of the well-formed fields of a change. None: there is no such connection. */
export async function changeProblems(
  cloud: Cloud,
  scope: ShopScope,
  id: string,
  given: Values,
): Promise<ErrorDetail[]> {
  const before = await readConnection(scope, id)
  if (!before) return []
  const kept = openSealed(cloud.options.secrets, scope.shop, before.sealed)
  return valueProblems(cloud, providerOf(before.provider), given, { ...before.settings, ...kept })
}

function valueProblems(
  cloud: Cloud,
  provider: Provider,
  given: Values,
  before: Values,
): ErrorDetail[] {
  const { settings, secrets, problems } = sortedValues(provider, given, before)
  const together =
    problems.length === 0 ? problemTogether(cloud, provider, settings, secrets) : null
  return together ? [together] : problems
}
