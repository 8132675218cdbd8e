// The page of a list, in the address.
import { toQuery } from '../client/client.ts'

export interface PagePosition {
  /** From 1; the page that `cursor` leads to. */
  page: number
  cursor: string
}

export function readPaged(search: string): PagePosition {
  const params = new URLSearchParams(search)
  const cursor = params.get('cursor')?.trim() ?? ''
  const page = /^\d{1,9}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 2
  return { page: cursor === '' ? 1 : Math.max(2, page), cursor }
}

/** The query that `readPaged` reads, with the other fields of the state. */
export const writePaged = (urlState: PagePosition): string =>
  toQuery({ ...urlState, page: urlState.cursor === '' ? null : urlState.page })
