// The pagination of a list whose page is in the address.
import { pageText } from '../labels/page.ts'
import { PageTurner, type Pages } from './lists.tsx'

interface Props {
  /** What is listed: `operations`. */
  what: string
  /** The number of rows, shown if they are on one page: `12 operations`. */
  all: string
  page: number
  next: string | null
  pages: (next: string | null) => Pages
  /** The rows are still the previous page's: there is no way on until the next ones arrive. */
  stale: boolean
}

export const ListPages = ({ what, all, page, next, pages, stale }: Props) => (
  <PageTurner what={what} pages={pages(stale ? null : next)} label={pageText(page, next, all)} />
)
