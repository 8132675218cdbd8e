// Why the next import leaves a file that waits in the drop folder.

/**
 * Names under which clients write before they rename, and what systems leave in folders. lftp and
 * WinSCP write `.in.name` and `name.filepart`, rclone `name.partial`.
 */
export const TEMPORARY = String.raw`(^[.~]|~$|\.(filepart|part|partial|tmp|temp|crdownload)$|^(thumbs\.db|desktop\.ini)$)`

/**
 * `rename`: its name is a temporary one; `manifest`: the import.csv beside it is being sent; `files`: it
 * is an import.csv, and not all files of its rows have come. Null: it waits for nothing.
 */
export type WaitsFor = 'rename' | 'manifest' | 'files'

/** SQL of an entry `e`. */
export const WAITS_FOR = `case
  when e.state <> 'waiting' then null
  when e.name ~* '${TEMPORARY}' then 'rename'
  when e.name ~* '^import[.]csv$' then (select 'files' from drop_entries f
    where f.shop_id = e.shop_id and f.manifest_id = e.id limit 1)
  else (select 'manifest' from drop_entries f where f.shop_id = e.shop_id and f.folder = e.folder
    and f.name ~* '^import[.]csv$' and f.kind = 'file' and f.state = 'writing' limit 1) end`
