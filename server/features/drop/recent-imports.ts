// Files that an account sent a moment ago and that are imported already: in real time an import takes
// a file within a second, but its client may still rename it, or send it again.
import type { StagedBlob } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { type ShopScope, retryTransaction } from '../../core/db/for-shop.ts'
import { firstOf, present } from '../../core/lazy.ts'
import { fileReplaced, raiseFileEvent } from '../../files/change-events.ts'
import { editFile, fieldsEdit } from '../../files/edit.ts'
import { findNameOwners } from '../../files/name-allocation.ts'
import { draftOfRecord, readRecords } from '../../files/drafts.ts'
import { replaceBytes } from '../../files/name-conflicts.ts'
import { admitPresent } from '../../files/present-bytes.ts'
import { freeNames } from '../../files/numbered-names.ts'
import { nameKey } from '../../files/rules.ts'
import { findEntry, type DropEntry } from './entries.ts'
import { DropError, type DropCode } from './errors.ts'
import { readSettings } from './settings.ts'

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
       select s.at, e.file_id, e.filed_at as since
       from sent s
       join drop_entries e on e.shop_id = :shop and e.account_id = s.account
         and e.state = 'processed' and e.dropped_folder = s.folder and e.dropped_name = s.name
         and e.filed_at > now() - ${RECENT}
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
 * Over a name that a file of the same account has, it becomes that file's next version: programs
 * write a file under another name and rename it over the earlier one. Over another file's name the
 * shop's setting of taken names decides.
 * @throws `DropError`: `not_found` if the account sent no such file, `exists` if the name is taken
 */
export async function renameImported(
  scope: ShopScope,
  sent: SentFile,
  to: Pick<SentFile, 'folder' | 'name'>,
): Promise<void> {
  await retryTransaction(scope, async (tx) => {
    const id = (await findRecentImports(tx, [sent])).get(0)
    if (id === undefined) throw new DropError('not_found')
    const file = await nameImported(tx, { id, account: sent.account_id }, to.name.trim())
    await tx.query(
      `with moved as (
         update drop_entries set dropped_folder = :folder, dropped_name = :name, file_id = :file
         where shop_id = :shop and file_id = :id and state = 'processed'
           and account_id = :account
       )
       insert into dropped_files (shop_id, account_id, file_id) values (:shop, :account, :file)
       on conflict do nothing`,
      { ...to, id, file, account: sent.account_id },
    )
  }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new DropError(CODES[error.code] ?? 'bad_name', error.message)
  })
}

/** Gives the file this name; returns the file that has its bytes then. */
async function nameImported(
  tx: ShopScope,
  { id, account }: { id: string; account: string | null },
  wanted: string,
): Promise<string> {
  let filename = wanted
  const owner = (await findNameOwners(tx, [nameKey(wanted)])).get(nameKey(wanted)) ?? id
  if (owner !== id) {
    const { on_conflict } = await readSettings(tx)
    const isOwn = await tx.has(
      `select 1 from dropped_files where shop_id = :shop and account_id = :account
         and file_id = :owner`,
      { account, owner },
    )
    // `overwrite` would also replace settings and older versions: a rename brings no settings.
    if (isOwn || on_conflict === 'new_version' || on_conflict === 'overwrite')
      return becomeVersion(tx, id, owner)
    if (on_conflict === 'rename') filename = firstOf(await freeNames(tx, [wanted])) ?? wanted
  }
  await editFile(tx, id, fieldsEdit({ filename }))
  return id
}

/**
 * Moves the current bytes of a file into another one, as its next version unless it has them; the
 * first is deleted.
 */
async function becomeVersion(tx: ShopScope, id: string, owner: string): Promise<string> {
  const record = present((await readRecords(tx, [id])).get(id), 'the renamed file')
  await editFile(tx, id, (_, draft) => {
    draft.deleted = true
    return Promise.resolve([])
  })
  const staged = await tx.one<StagedBlob>(
    `select encode(v.hash, 'hex') as hash, v.location, v.size_bytes, v.content_type
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     where f.shop_id = :shop and f.id = :id`,
    { id },
  )
  const draft = draftOfRecord(record)
  const onto = { draft, staged, replaces: owner, onConflict: 'new_version' as const }
  const same = (await admitPresent(tx, [onto])).get(onto)
  const result = same ?? (await replaceBytes(tx, owner, onto))
  if (result.status === 'refused') throw new AppError(result.code)
  if (result !== same) await raiseFileEvent(tx, fileReplaced, [owner])
  return owner
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
