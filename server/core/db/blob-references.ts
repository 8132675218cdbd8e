// SQL: the tables whose rows name stored copies, the rows of `blob_locations`.

/** Each refers to it by `(shop_id, hash, location)` and has an index of these columns. */
const TABLES = [
  'versions',
  'backups',
  'file_copies',
  'artifacts',
  'drop_entries',
  'prepared_files',
  'samples',
] as const

/** SQL: does a row name the copy that this row of `blob_locations` is? */
export const blobIsNeeded = (row: string): string =>
  TABLES.map(
    (table) =>
      `exists (select from ${table} t where t.shop_id = ${row}.shop_id and t.hash = ${row}.hash
        and t.location = ${row}.location)`,
  ).join(' or ')

/**
 * SQL: the triggers by which a table of the list frees copies that its rows no longer name.
 * @param moves whether its rows may come to name other bytes, outside of a drop folder (`releaseBytes`)
 */
export const freesBlobs = (table: (typeof TABLES)[number], { moves = false } = {}): string => `
  create trigger ${table}_freed after delete on ${table}
    referencing old table as gone for each statement execute function free_blobs();
  ${moves ? freedByChange(table) : ''}`

const freedByChange = (table: string) => `
  create trigger ${table}_moved after update of hash, location on ${table} for each row
    when (old.hash is not null
      and (old.hash, old.location) is distinct from (new.hash, new.location))
    execute function free_blob();`
