// The reason why a waiting file in the drop folder is not imported yet.

/**
 * Temporary names that clients use until a file is complete (lftp `.in.name`, WinSCP
 * `name.filepart`, rclone `name.partial`), and files that operating systems create in folders.
 */
export const TEMPORARY = String.raw`(^[.~]|~$|\.(filepart|part|partial|tmp|temp|crdownload)$|^(thumbs\.db|desktop\.ini)$)`

/**
 * `rename`: its name is temporary; `manifest`: the import.csv in its folder is being sent; `files`:
 * it is an import.csv, and files of its rows have not arrived. Null: it waits for nothing.
 */
export type AwaitedEvent = 'rename' | 'manifest' | 'files'

/** SQL: what the entry `e` waits for. */
export const WAITS_FOR = `case
  when e.state <> 'waiting' then null
  when e.name ~* '${TEMPORARY}' then 'rename'
  when e.name ~* '^import[.]csv$' then (select 'files' from drop_entries f
    where f.shop_id = e.shop_id and f.manifest_id = e.id limit 1)
  else (select 'manifest' from drop_entries f where f.shop_id = e.shop_id and f.folder = e.folder
    and f.name ~* '^import[.]csv$' and f.kind = 'file' and f.state = 'writing' limit 1) end`
