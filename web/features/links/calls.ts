// Creates the download links of many files, and sends them by email.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { type Schemas } from '../../shell/client/types.ts'

type LinksRequest = Schemas['LinksRequest']

/** Absent terms come from each file's own settings; null: never, unlimited. */
export type LinkTerms = Pick<
  LinksRequest,
  'expiry_days' | 'download_limit' | 'email' | 'ask_for' | 'password'
>

type NewLinks = LinkTerms & Pick<LinksRequest, 'per_file'> & { file_ids: readonly string[] }

/** The links; for many files, the operation that creates them. */
export const useCreateLinks = () =>
  useChangeOf([['links'], ['file']], (body: NewLinks) => call('POST /api/links', { body }))

/** Sends each link to its own address. */
export const useEmailLinks = () =>
  useChangeOf([['links']], (link_ids: readonly string[]) =>
    call('POST /api/links/email', { body: { link_ids } }),
  )
