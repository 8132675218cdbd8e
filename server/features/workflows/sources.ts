// Where an import comes from, as triggers name it: one drop account or a folder of it, a cloud
// connection, a feed, a saved CSV mapping, an API key, or a channel. The most specific one decides which
// workflow runs.
import { z } from 'zod'
import { ownValue, say, type Text } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import type { WorkflowProblem } from './problems.ts'

/** The source of a trigger in requests and answers. One field is given, or an account and a folder. */
export const sourceSchema = z
  .strictObject({
    channel: z.string().max(100).optional().describe('All imports of a channel'),
    drop_account: z.string().max(100).optional().describe('An account of the drop folder'),
    folder: z
      .string()
      .trim()
      .max(255)
      .optional()
      .describe('With `drop_account`: a folder in the home of the drop folder'),
    connection: z.string().max(100).optional().describe('A cloud connection'),
    feed: z.string().max(100).optional().describe('A table at an address'),
    csv_mapping: z.string().max(200).optional().describe('The name of a saved column mapping'),
    api_key: z.string().max(100).optional().describe('API imports with this key'),
  })
  .meta({ id: 'ImportSource' })

export type ImportSource = z.output<typeof sourceSchema>

/** Where one import comes from, with bare UUIDs. */
export interface ImportOrigin {
  /** A file of the drop folder: its account, and the path of its folder. */
  drop?: { account: string | null; folder: string } | undefined
  connection?: string | undefined
  feed?: string | undefined
  /** The name of the saved mapping that a CSV file has. */
  mapping?: string | null | undefined
  apiKey?: string | null | undefined
}

/** The sources that an import belongs to, the most specific one first. */
export function sourceKeys(
  channel: string,
  { drop, connection, feed, mapping, apiKey }: ImportOrigin,
): string[] {
  const account = drop?.account ?? null
  const folder = drop?.folder.split('/', 1)[0] ?? ''
  return [
    ...(account !== null && folder !== '' ? [folderKey(account, folder)] : []),
    ...(account === null ? [] : [`account:${account}`]),
    ...(connection === undefined ? [] : [`connection:${connection}`]),
    ...(feed === undefined ? [] : [`feed:${feed}`]),
    ...(mapping ? [`mapping:${mapping}`] : []),
    ...(apiKey ? [`key:${apiKey}`] : []),
    `channel:${channel}`,
  ]
}

const folderKey = (account: string, folder: string) => `account:${account}/${folder}`

/** The first of an import's sources that a trigger names; null: none. */
export const namedSource = (keys: readonly string[], named: ReadonlySet<string>): string | null =>
  keys.find((key) => named.has(key)) ?? null

/** The channel whose imports a source is about. */
export function channelOfSource(source: ImportSource): string | null {
  if (source.channel !== undefined) return source.channel
  if (source.drop_account !== undefined) return 'drop'
  if (source.connection !== undefined) return 'cloud'
  if (source.feed !== undefined) return 'feed'
  if (source.csv_mapping !== undefined) return 'csv'
  return source.api_key === undefined ? null : 'api'
}

/** The source as it is stored; null: it names nothing, or several things. */
export function storedSource(source: ImportSource): string | null {
  const { folder, ...own } = source
  const given = Object.entries(own).filter(([, value]) => value !== undefined)
  const [name, value] = given[0] ?? []
  if (given.length !== 1 || value === undefined || value === '') return null
  const uuid = (prefix: 'account' | 'connection' | 'feed' | 'key') => parsePublicId(prefix, value)
  const account = uuid('account')
  switch (name) {
    case 'channel':
      return folder === undefined ? `channel:${value}` : null
    case 'csv_mapping':
      return folder === undefined ? `mapping:${value}` : null
    case 'connection':
      return folder === undefined && uuid('connection') ? `connection:${uuid('connection')}` : null
    case 'feed':
      return folder === undefined && uuid('feed') ? `feed:${uuid('feed')}` : null
    case 'api_key':
      return folder === undefined && uuid('key') ? `key:${uuid('key')}` : null
    default:
      if (account === null || folder?.includes('/')) return null
      return folder ? folderKey(account, folder) : `account:${account}`
  }
}

/** The source of a stored one. */
export function givenSource(stored: string): ImportSource {
  const at = stored.indexOf(':')
  const [kind, value] = [stored.slice(0, at), stored.slice(at + 1)]
  if (kind === 'channel') return { channel: value }
  if (kind === 'mapping') return { csv_mapping: value }
  if (kind === 'connection') return { connection: toPublicId('connection', value) }
  if (kind === 'feed') return { feed: toPublicId('feed', value) }
  if (kind === 'key') return { api_key: toPublicId('key', value) }
  const [account = '', ...folder] = value.split('/')
  const drop_account = toPublicId('account', account)
  return folder.length > 0 ? { drop_account, folder: folder.join('/') } : { drop_account }
}

const MISSING: Readonly<Record<string, Text>> = {
  account: say('There is no such account of the drop folder: choose one of this shop'),
  connection: say('There is no such cloud connection: choose one of this shop'),
  feed: say('There is no such feed: choose one of this shop'),
  key: say('There is no such API key: choose one of this shop'),
  mapping: say('There is no saved mapping of this name'),
}

/** Finds the sources that are not of the shop. `at`: the place of each one. */
export async function missingSources(
  scope: ShopScope,
  sources: readonly { stored: string; at: string }[],
): Promise<WorkflowProblem[]> {
  const asked = sources.map(({ stored }) => stored.replace(/^(account:[^/]*)\/.*$/s, '$1'))
  if (asked.every((source) => source.startsWith('channel:'))) return []
  const rows = await scope.query<{ source: string }>(
    `select source from (
       select 'account:' || id as source from drop_accounts where shop_id = :shop
       union all select 'connection:' || id from connections where shop_id = :shop
       union all select 'feed:' || id from feeds where shop_id = :shop
       union all select 'key:' || id from api_keys where shop_id = :shop
       union all select 'mapping:' || name from csv_column_mappings where shop_id = :shop) s
     where source = any(:asked::text[])`,
    { asked },
  )
  const known = new Set(rows.map(({ source }) => source))
  return sources.flatMap(({ at }, index) => {
    const source = asked[index] ?? ''
    const message = ownValue(MISSING, source.slice(0, source.indexOf(':')))
    return known.has(source) || !message
      ? []
      : [{ param: `${at}.from`, code: 'not_found' as const, message }]
  })
}
