// Files in which a virus scanner found something: their bytes are withheld at every door until a person
// releases them. It is noted with all versions that have the bytes, of any file.
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'

/** SQL: what was found in the bytes of the version `v`; null: nothing, or it was released. */
export const QUARANTINE = `case when v.quarantined then v.quarantine ->> 'found' end`

/** Throws `file_quarantined`. */
export function requireHarmless({ quarantine }: { quarantine: string | null }): void {
  if (quarantine !== null) throw new AppError('file_quarantined')
}

export interface FoundVirus {
  /** The bare UUID of a file. */
  file: string
  /** The scanner's name of what it found. */
  found: string
}

/** Withholds the current bytes of files, unless they were released with the same finding. */
export const quarantineFiles = (tx: ShopScope, infected: readonly FoundVirus[]): Promise<void> =>
  writeQuarantine(
    tx,
    `jsonb_build_object('found', g.value, 'since', now())`,
    `v.quarantine ->> 'found' is distinct from g.value`,
    infected.map(({ file, found }) => [file, found]),
  )

export interface Release {
  file: string
  reason: string
  /** The name of the person or the API key. */
  by: string
}

/** Delivers bytes that were withheld; the reason is kept with them. */
export const endQuarantine = (tx: ShopScope, releases: readonly Release[]): Promise<void> =>
  writeQuarantine(
    tx,
    `v.quarantine || jsonb_build_object('released', g.value::jsonb || jsonb_build_object('at', now()))`,
    'v.quarantined',
    releases.map(({ file, ...about }) => [file, JSON.stringify(about)]),
  )

/** @param written SQL of the new value, from the version `v` and `g.value` */
async function writeQuarantine(
  tx: ShopScope,
  written: string,
  condition: string,
  values: readonly (readonly [file: string, value: string])[],
): Promise<void> {
  if (values.length === 0) return
  const changed = await tx.query<{ file_id: string }>(
    `with given as (
       select distinct on (c.hash) c.hash, t.value
       from unnest(:files::uuid[], :values::text[]) as t(id, value)
       join files f on f.shop_id = :shop and f.id = t.id
       join versions c on c.shop_id = f.shop_id and c.file_id = f.id and c.number = f.version
     )
     update versions v set quarantine = ${written} from given g
     where v.shop_id = :shop and v.hash = g.hash and ${condition}
     returning v.file_id`,
    { files: values.map(([file]) => file), values: values.map(([, value]) => value) },
  )
  if (changed.length === 0) return
  // The files' rows are written too: an edit of a file that was read before notices the change.
  await tx.query('update files set version = version where shop_id = :shop and id = any(:ids)', {
    ids: [...new Set(changed.map(({ file_id }) => file_id))].toSorted(),
  })
  // Links that another process serves from memory.
  await tx.query(`select pg_notify('link_changed', :shop::text)`)
}

/** Which of these files are in quarantine. */
export async function quarantinedAmong(
  scope: ShopScope,
  files: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await scope.query<{ id: string }>(
    `select f.id from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version and v.quarantined
     where f.shop_id = :shop and f.id = any(:files::uuid[])`,
    { files },
  )
  return new Set(rows.map(({ id }) => id))
}

/** Throws `file_quarantined` if these bytes are in quarantine as any file's. `hash`: in hex. */
export async function requireHarmlessBytes(scope: ShopScope, hash: string): Promise<void> {
  const rows = await scope.query(
    `select 1 from versions where shop_id = :shop and hash = decode(:hash, 'hex')
       and quarantine is not null and quarantined limit 1`,
    { hash },
  )
  if (rows.length > 0) throw new AppError('file_quarantined')
}
