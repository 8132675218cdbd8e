// The reason why a waiting file in the drop folder is not imported yet.
import { SYSTEM_FILE, SYSTEM_FOLDER } from '../../../plugins/_page/system-files.ts'

/**
 * The ends of temporary names: WinSCP `name.filepart`, rclone `name.partial`, FreeFileSync
 * `name.1a2b.ffs_tmp`, editors of JetBrains `name___jb_tmp___`. Scanners test a folder with
 * `name.LCK`. Cyberduck appends eight characters to the name: `guide.pdf-4kT9xQ2z`.
 */
const TEMPORARY_END = String.raw`(~|\.(filepart|part|partial|tmp|temp|ffs_tmp|incomplete|upload|uploading|download|crdownload|opdownload|aria2|lck)|___jb_(tmp|old)___|\.(pdf|epub|zip|7z|rar|mp3|m4a|wav|flac|mp4|m4v|mov|jpg|jpeg|png|gif|svg|tif|tiff|webp|psd|ai|docx|xlsx|pptx|txt|csv)-[0-9a-z]{8})$`

/**
 * Temporary names that clients use until a file is complete; lftp and others put a dot in front, or
 * write into a folder whose name begins with one.
 */
const TEMPORARY_NAME = `(^[.~]|${TEMPORARY_END})`
const TEMPORARY_FOLDER = String.raw`(^|/)\.`

/**
 * `rename`: its name is temporary; `nothing`: it is a system file, which is removed; `manifest`: the
 * import.csv in its folder is being sent; `files`: it is an import.csv, and files of its rows have
 * not arrived. Null: the next import takes it.
 */
export const AWAITED_EVENTS = ['rename', 'nothing', 'manifest', 'files'] as const
export type AwaitedEvent = (typeof AWAITED_EVENTS)[number]

/** SQL: the file is left by an operating system or a program. `entry`: `e.` for the table `e`. */
export const isSystemEntry = (entry = ''): string =>
  `(${entry}name ~* '${SYSTEM_FILE}' or ${entry}folder ~* '${SYSTEM_FOLDER}')`

/** SQL: the file has a temporary name. */
const isTemporary = (entry = ''): string =>
  `(${entry}name ~* '${TEMPORARY_NAME}' or ${entry}folder ~ '${TEMPORARY_FOLDER}')`

/** SQL: the file waits for nothing that its name tells. */
export const HAS_OWN_NAME = `not ${isSystemEntry()} and not ${isTemporary()}`

/** SQL: what the entry `e` waits for. */
export const WAITS_FOR = `case
  when e.state <> 'waiting' then null
  when ${isSystemEntry('e.')} then 'nothing'
  when ${isTemporary('e.')} then 'rename'
  when e.name ~* '^import[.]csv$' then (select 'files' from drop_entries f
    where f.shop_id = e.shop_id and f.manifest_id = e.id limit 1)
  else (select 'manifest' from drop_entries f where f.shop_id = e.shop_id and f.folder = e.folder
    and f.name ~* '^import[.]csv$' and f.kind = 'file' and f.state = 'writing' limit 1) end`
