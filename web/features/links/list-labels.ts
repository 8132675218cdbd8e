// A list of links as a CSV document.
import { type DownloadLink } from '../../shell/client/types.ts'

/** The start of a text that a spreadsheet would run. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Spreadsheets read names in another encoding if this mark is missing. */
const BYTE_ORDER_MARK = '\ufeff'

type ListedLink = Pick<DownloadLink, 'filename' | 'url' | 'email' | 'expires_at' | 'download_limit'>

/** The links as CSV, with the columns of the document of an operation. */
export function linksCsv(links: readonly ListedLink[]): string {
  const rows = links.map(({ filename, url, email, expires_at, download_limit }) =>
    [filename, url, email, expires_at, download_limit].map(cell).join(','),
  )
  return (
    BYTE_ORDER_MARK + ['filename,url,email,expires_at,download_limit', ...rows, ''].join('\r\n')
  )
}
