// Where one is in a list whose length is not known.
import { t } from '../messages/t.ts'

/** `all`, such as `12 files`, where they are all on one page, else `Page 2`. */
export const pageText = (page: number, next: string | null, all: string): string =>
  page === 1 && next === null ? all : t('Page {page, number}', { page })
