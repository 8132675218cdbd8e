// The reason why a waiting file in the drop folder is not imported yet.

/**
 * Files that operating systems and office programs create in folders, and that are no content. Without
 * a question mark, which would be a binding of the query.
 */
export const SYSTEM_FILE = String.raw`^(\.ds_store|\._.*|\.localized|\.directory|(eh|)thumbs\.db|desktop\.ini|~\$.*|\.~lock\..*#)$`

/**
 * Temporary names that clients use until a file is complete (lftp `.in.name`, WinSCP
 * `name.filepart`, rclone `name.partial`), and the names of system files.
 */
export const TEMPORARY = String.raw`(^[.~]|~$|\.(filepart|part|partial|tmp|temp|crdownload)$|${SYSTEM_FILE})`

/**
 * `rename`: its name is temporary; `nothing`: it is a system file, which is removed; `manifest`: the
 * import.csv in its folder is being sent; `files`: it is an import.csv, and files of its rows have
 * not arrived. Null: the next import takes it.
 */
export const AWAITED_EVENTS = ['rename', 'nothing', 'manifest', 'files'] as const
export type AwaitedEvent = (typeof AWAITED_EVENTS)[number]

/** SQL: what the entry `e` waits for. */
export const WAITS_FOR = `case
  when e.state <> 'waiting' then null
  when e.name ~* '${SYSTEM_FILE}' then 'nothing'
  when e.name ~* '${TEMPORARY}' then 'rename'
  when e.name ~* '^import[.]csv$' then (select 'files' from drop_entries f
    where f.shop_id = e.shop_id and f.manifest_id = e.id limit 1)
  else (select 'manifest' from drop_entries f where f.shop_id = e.shop_id and f.folder = e.folder
    and f.name ~* '^import[.]csv$' and f.kind = 'file' and f.state = 'writing' limit 1) end`
