// The reason why a waiting file in the drop folder is not imported yet.
import { SYSTEM_FILE, SYSTEM_FOLDER } from '../../../plugins/_page/system-files.ts'

/**
 * The ends of temporary names: WinSCP `name.filepart`, rclone `name.partial`, FreeFileSync
 * `name.1a2b.ffs_tmp`, editors of JetBrains `name___jb_tmp___`, Hadoop `name._COPYING_`, programs for
 * integration `name.writing` and `name.inprogress`, torrent programs `name.!ut`. Scanners test a
 * folder with `name.LCK`.
 */
const TEMPORARY_END = String.raw`(~|\.(filepart|part|partial|tmp|tmp[._-]{0,1}[0-9]+|temp|ffs_tmp|incomplete|unfinished|upload|uploading|download|downloading|crdownload|opdownload|aria2|lck|lock|camellock|writing|new|_copying_|copying|inprogress|in_progress|in-progress|progress|processing|pending|transfer|transferring|sending|receiving|incoming|loading|xfer|moving|temporary|tempfile|wrk|busy|wip|swp|swo|swx|!ut|!qb|!sync|bc!)|___jb_(tmp|old)___)$`

/**
 * Cyberduck appends eight letters and digits to the name: `guide.pdf-4kT9xQ2z`. People end names with
 * days (`prices.csv-20261127`) and words (`guide.pdf-original`, `guide.pdf-version2`). Without question
 * marks, which would be parameters of a query.
 */
const CYBERDUCK_NAME = String.raw`\.(pdf|epub|zip|7z|rar|mp3|m4a|wav|flac|mp4|m4v|mov|jpg|jpeg|png|gif|svg|tif|tiff|webp|psd|ai|docx|xlsx|pptx|txt|csv)-[0-9a-z]{8}$`
const OWN_END =
  '-([0-9]{8}|[A-Z]{8}|[A-Za-z][a-z]{7}|[A-Za-z][a-z]{6}[0-9]|[A-Za-z][a-z]{5}[0-9]{2})$'

/**
 * Temporary names that clients use until a file is complete; lftp and others put a dot in front, or
 * write into a folder whose name begins with one.
 */
const TEMPORARY_NAME = `(^[.~]|^(tmp|temp)[._-]|^#.*#$|${TEMPORARY_END})`
const TEMPORARY_FOLDER = String.raw`(^|/)\.`

/** Empty files that programs send to say that another one is complete. */
const MARKER = String.raw`(^_{0,1}|\.)(success|succeeded|started|committed|done|ok|ready|trigger|trig|trg|rdy|ack|eot|complete|completed|finished|fin|sem|semaphore|go|eof|end|flag|ctl)$`

/**
 * `rename`: its name is temporary; `nothing`: it is a system file or an empty
 * marker, which is removed; `manifest`: the
 * import.csv in its folder is being sent; `files`: it is an import.csv, and files of its rows have
 * not arrived. Null: the next import takes it.
 */
export const AWAITED_EVENTS = ['rename', 'nothing', 'manifest', 'files'] as const
export type AwaitedEvent = (typeof AWAITED_EVENTS)[number]

/** SQL: the file is left by an operating system or a program, and is no content. `entry`: `e.` for the table `e`. */
export const isSystemEntry = (entry = ''): string =>
  `(${entry}name ~* '${SYSTEM_FILE}' or ${entry}folder ~* '${SYSTEM_FOLDER}'
    or (${entry}size_bytes = 0 and ${entry}name ~* '${MARKER}'))`

/** SQL: the file has a temporary name. */
const isTemporary = (entry = ''): string =>
  `(${entry}name ~* '${TEMPORARY_NAME}' or ${entry}folder ~ '${TEMPORARY_FOLDER}'
    or (${entry}name ~* '${CYBERDUCK_NAME}' and ${entry}name !~ '${OWN_END}'))`

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
