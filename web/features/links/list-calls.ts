// Existing download links: list them page by page, revoke, extend, reset their counts.
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes, toQuery } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { CALM_MS } from '../../shell/client/polling.ts'
import { createLink, type NewLink } from '../../shell/client/queries.ts'
import { useRead, useReadPages } from '../../shell/client/reads.ts'
import { type AskTerms } from './ask-form.ts'
import { saveBytes } from '../../shell/client/save.ts'

/** Links that were made for one file, or for one pack. */
export type LinksOf = { file_id: string; own: 'true' } | { pack_id: string }

/** A page of the shop's links. */
export const useLinkPage = (query: Query) =>
  useRead('GET /api/links', { query, keep: true, poll: CALM_MS })

export const useLinksOf = (of: LinksOf) =>
  useReadPages('GET /api/links', { query: { ...of, limit: 25 } })

const KEYS = [['links'], ['file']]

export const useRevokeLinks = () =>
  useChangeOf(KEYS, (link_ids: readonly string[]) =>
    call('POST /api/links/revoke', { body: { link_ids } }),
  )

/** Sets the expiry, in days from now; null: the link never expires. */
export const useExtendLink = () =>
  useChangeOf(KEYS, ({ id, expiry_days }: { id: string; expiry_days: number | null }) =>
    call('POST /api/links/{id}/extend', { path: { id }, body: { expiry_days } }),
  )

/** Sets its number of downloads to 0. */
export const useResetLink = () =>
  useChangeOf(KEYS, (id: string) => call('POST /api/links/{id}/reset', { path: { id } }))

/** What it asks for before a download; null: what its file asks for. */
export const useChangeAsk = () =>
  useChangeOf(KEYS, ({ id, ...body }: { id: string } & AskTerms) =>
    call('POST /api/links/{id}/ask', { path: { id }, body }),
  )

export const useLinkOpenings = (id: string) =>
  useRead('GET /api/links/{id}/openings', { path: { id } })

export const useCreatePackLink = () =>
  useChangeOf(KEYS, (body: { pack_id: string } & NewLink) => createLink(body))

/** Saves the links that the query selects as CSV. Throws `ApiError`. */
export async function saveLinks(query: Query): Promise<void> {
  saveBytes(await callForBytes(`/api/links/export.csv${toQuery(query)}`), 'download-links.csv')
}
