// Files that an account sent a moment ago and that are imported already: in real time an import takes
// a file within a second, but its client may still rename it, or send it again.
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { editFile, fieldsEdit } from '../../files/edit.ts'
import { findEntry, type DropEntry } from './entries.ts'
import { DropError, type DropCode } from './errors.ts'

/** A file as its account sent it. */
export type SentFile = Pick<DropEntry, 'account_id' | 'folder' | 'name'>

/** How long an imported file follows its client. */
const RECENT = `interval '10 minutes'`
const IMPORT_MS = 20_000
const POLL_MS = 100

/**
 * The imported files, as bare UUIDs, by the index in `sent`. Where imported files leave the folder,
 * only their names are known.
 */
export async function findRecentImports(
  scope: ShopScope,
  sent: readonly SentFile[],
): Promise<Map<number, string>> {
  if (sent.length === 0) return new Map()
  const rows = await scope.query<{ at: number; id: string }>(
    `with sent as (
       select account, folder, name, (at - 1)::int as at
       from unnest(:accounts::uuid[], :folders::text[], :names::text[])
         with ordinality as s(account, folder, name, at)
     ), imported as (
       select s.at, i.file_id, e.filed_at as since
       from sent s
       join drop_entries e on e.shop_id = :shop and e.account_id = s.account
         and e.state = 'processed' and e.dropped_folder = s.folder and e.dropped_name = s.name
         and e.filed_at > now() - ${RECENT}
       join items i on i.shop_id = :shop and i.operation_id = e.operation_id
         and i.position = e.position
       union all
       select s.at, f.id, f.updated_at from sent s
       join dropped_files d on d.shop_id = :shop and d.account_id = s.account
       join files f on f.shop_id = :shop and f.id = d.file_id and f.filename = s.name
         and f.updated_at > now() - ${RECENT}
       where not (select move_to_processed from drop_settings where shop_id = :shop)
     )
     select distinct on (at) at, f.id from imported
     join files f on f.shop_id = :shop and f.id = imported.file_id and f.deleted_at is null
     order by at, since desc`,
    {
      accounts: sent.map(({ account_id }) => account_id),
      folders: sent.map(({ folder }) => folder),
      names: sent.map(({ name }) => name),
    },
  )
  return new Map(rows.map(({ at, id }) => [at, id]))
}

/**
 * Renames an imported file for the client that sent it. Its folder stays: the import has used it.
 * @throws `DropError`: `not_found` if the account sent no such file, `exists` if the name is taken
 */
export async function renameImported(
  scope: ShopScope,
  sent: SentFile,
  filename: string,
): Promise<void> {
  const id = (await findRecentImports(scope, [sent])).get(0)
  if (id === undefined) throw new DropError('not_found')
  await editFile(scope, id, fieldsEdit({ filename: filename.trim() })).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new DropError(CODES[error.code] ?? 'bad_name', error.message)
  })
}

const CODES: Partial<Record<string, DropCode>> = {
  duplicate_filename: 'exists',
  file_in_use: 'busy',
  not_found: 'not_found',
}

/** Waits until a file's import has ended; its last state. Null: it is in the folder no longer. */
export async function untilImported(scope: ShopScope, entry: DropEntry): Promise<DropEntry | null> {
  const until = Date.now() + IMPORT_MS
  let now: DropEntry | null = entry
  while (now?.state === 'importing' && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    now = await findEntry(scope, entry.folder, entry.name)
  }
  return now
}
