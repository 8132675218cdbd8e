// Where one is in a list whose length is not known.
import { countText, numberText } from './size.ts'

/** `12 files` where they are all on one page, else `Page 2`. */
export const pageText = (
  page: number,
  shown: number,
  next: string | null,
  one: string,
  many: string,
): string =>
  page === 1 && next === null ? countText(shown, one, many) : `Page ${numberText(page)}`
