// Reads what conditions ask about files beyond their records: `FileFacts` of plugins/contract.
import {
  NO_FACTS,
  nameKey,
  type EntrySource,
  type FileFacts,
  type Mapping,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { toPublicId } from '../core/ids.ts'

/** A file or draft whose facts are read. */
export interface FactSubject {
  /** A bare UUID; null: an import creates it. */
  file: string | null
  source: EntrySource | null
  mappings: readonly Pick<Mapping, 'product_id'>[]
  new_packs: readonly string[]
}

/** The import that creates files. */
export interface FactOrigin {
  channel?: string
  request: { sync?: string }
}

/** Reads the facts of these subjects, in their order. */
export async function readFacts(
  scope: ShopScope,
  subjects: readonly FactSubject[],
  origin: FactOrigin,
): Promise<FileFacts[]> {
  const [stored, drops, connection, tags, packs] = await Promise.all([
    factsOfFiles(scope, subjects),
    accountsOf(scope, subjects),
    connectionOf(scope, origin),
    tagsOf(scope, subjects),
    packsOf(scope, subjects),
  ])
  return subjects.map(({ file, source, mappings, new_packs }) => ({
    ...(stored.get(file ?? '') ?? {
      ...NO_FACTS,
      channel: origin.channel ?? null,
      drop_accounts: drops.get(idOfDrop(source) ?? '') ?? [],
      ...(source?.type === 'cloud' && connection
        ? { connections: [connection], folders: [folderOf(source.path)] }
        : {}),
    }),
    product_tags: [...new Set(mappings.flatMap(({ product_id }) => tags.get(product_id) ?? []))],
    named_packs: new_packs.flatMap((name) => packs.get(nameKey(name)) ?? []),
  }))
}

const idOfDrop = (source: EntrySource | null): string | null =>
  source?.type === 'drop' ? source.id : null

/** The folder of an object: its path without its name. */
const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

type StoredFacts = Omit<FileFacts, 'product_tags' | 'named_packs'>
interface FactRow extends Omit<StoredFacts, 'folders'> {
  id: string
  paths: string[]
}

async function factsOfFiles(
  scope: ShopScope,
  subjects: readonly FactSubject[],
): Promise<Map<string, StoredFacts>> {
  const ids = subjects.flatMap(({ file }) => file ?? [])
  if (ids.length === 0) return new Map()
  const rows = await scope.query<FactRow>(
    `select f.id, f.channel, f.updated_at::text as changed_at,
       array(select d.account_id::text from dropped_files d
         where d.shop_id = f.shop_id and d.file_id = f.id) as drop_accounts,
       array(select c.connection_id::text from cloud_files c
         where c.shop_id = f.shop_id and c.file_id = f.id) as connections,
       array(select c.path from cloud_files c
         where c.shop_id = f.shop_id and c.file_id = f.id) as paths,
       exists (select from links l where l.shop_id = f.shop_id and l.file_id = f.id)
         or exists (select from public_addresses a where a.shop_id = f.shop_id
           and a.file_id = f.id) as linked,
       exists (select from delivery_files df where df.shop_id = f.shop_id
         and df.file_id = f.id) as delivered,
       greatest(
         (select max(l.last_download_at) from links l
           where l.shop_id = f.shop_id and l.file_id = f.id),
         (select a.last_download_at from public_addresses a
           where a.shop_id = f.shop_id and a.file_id = f.id),
         (select max(v.at) from file_views v
           where v.shop_id = f.shop_id and v.file_id = f.id))::text as used_at
     from files f where f.shop_id = :shop and f.id = any(:ids::uuid[])`,
    { ids },
  )
  return new Map(
    rows.map(({ id, paths, ...row }) => [
      id,
      {
        ...row,
        drop_accounts: row.drop_accounts.map((one) => toPublicId('account', one)),
        connections: row.connections.map((one) => toPublicId('connection', one)),
        folders: paths.map(folderOf),
      },
    ]),
  )
}

/** The account that sent each entry of a drop folder, by the entry's id. */
async function accountsOf(
  scope: ShopScope,
  subjects: readonly FactSubject[],
): Promise<Map<string, string[]>> {
  const ids = subjects.flatMap(({ source }) => idOfDrop(source) ?? [])
  if (ids.length === 0) return new Map()
  const rows = await scope.query<{ id: string; account_id: string }>(
    `select id, account_id from drop_entries
     where shop_id = :shop and id = any(:ids::uuid[]) and account_id is not null`,
    { ids },
  )
  return new Map(rows.map(({ id, account_id }) => [id, [toPublicId('account', account_id)]]))
}

async function connectionOf(
  scope: ShopScope,
  { request: { sync } }: FactOrigin,
): Promise<string | null> {
  if (sync === undefined) return null
  const row = await scope.first<{ connection_id: string }>(
    'select connection_id from syncs where shop_id = :shop and id = :sync::uuid',
    { sync },
  )
  return row && toPublicId('connection', row.connection_id)
}

/** The tags of each product in the form in which they are compared. */
async function tagsOf(
  scope: ShopScope,
  subjects: readonly FactSubject[],
): Promise<Map<string, string[]>> {
  const ids = [...new Set(subjects.flatMap((one) => one.mappings.map((m) => m.product_id)))]
  if (ids.length === 0) return new Map()
  const rows = await scope.query<{ id: string; tag_keys: string[] }>(
    'select id, tag_keys from products where shop_id = :shop and id = any(:ids::text[])',
    { ids },
  )
  return new Map(rows.map(({ id, tag_keys }) => [id, tag_keys]))
}

/** The packs that exist of those that drafts name, by the form in which names are compared. */
async function packsOf(
  scope: ShopScope,
  subjects: readonly FactSubject[],
): Promise<Map<string, string>> {
  const keys = [...new Set(subjects.flatMap(({ new_packs }) => new_packs.map(nameKey)))]
  if (keys.length === 0) return new Map()
  const rows = await scope.query<{ id: string; name_key: string }>(
    'select id, name_key from packs where shop_id = :shop and name_key = any(:keys::text[])',
    { keys },
  )
  return new Map(rows.map(({ id, name_key }) => [name_key, id]))
}
