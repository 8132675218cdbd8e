// Download links of many files at once: made, sent by email.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from './client.ts'
import { type DownloadLink, type Operation, type Page } from './types.ts'

/** What is absent comes from each file's own settings; null: never, unlimited. */
export type LinkTerms = {
  expiry_days?: number | null
  download_limit?: number | null
  email?: string
}

export type NewLinks = LinkTerms & {
  file_ids: readonly string[]
  per_file?: ({ file_id: string } & LinkTerms)[]
}

export interface Mailed {
  queued: number
  skipped: { link_id: string; reason: string }[]
}

/** The links; of many files the operation that makes them. */
export function useCreateLinks() {
  const client = useQueryClient()
  return useMutation<Page<DownloadLink> | Operation, Error, NewLinks>({
    mutationFn: (body) => call('/api/links', { method: 'POST', body }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['links'] }),
        client.invalidateQueries({ queryKey: ['file'] }),
      ]),
  })
}

/** Sends each link to the address that it was made for. */
export const useEmailLinks = () =>
  useMutation<Mailed, Error, readonly string[]>({
    mutationFn: (link_ids) => call('/api/links/email', { method: 'POST', body: { link_ids } }),
  })
