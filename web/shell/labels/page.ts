// The current page of a list of unknown length.
import { t } from '../messages/t.ts'

/** `all`, such as `12 files`, if they are on one page; otherwise `Page 2`. */
export const pageText = (page: number, next: string | null, all: string): string =>
  page === 1 && next === null ? all : t('Page {page, number}', { page })
