// Starts the import of entries that a storefront tool posted to the API.
import type { Entry, EntrySettings } from '../../../plugins/contract/index.ts'
import { mergedHeaders, type FetchHeaders } from '../../core/fetch-headers.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { startImport, type NamedProducts } from '../imports/start.ts'
import { apiChannel } from '../imports/api-channel.ts'

export interface ApiImport {
  files: readonly (EntrySettings &
    NamedProducts & {
      filename: string
      url: string
      pack?: string | null | undefined
      headers?: FetchHeaders | undefined
      tags?: readonly string[] | undefined
      sha256?: string | undefined
      /** The bare UUID of a file: the entry becomes its next version. */
      replaces?: string | undefined
    })[]
  /** Of the requests for all files. */
  headers?: FetchHeaders | undefined
  auto_map?: boolean | undefined
  notify?: boolean | undefined
  on_conflict: Entry['on_conflict']
  callback_url?: string | undefined
}

/** Returns the operation's UUID. Throws as `startImport` does. */
export function importFromApi(
  engine: Engine,
  scope: ShopScope,
  { files, headers: common, on_conflict, ...request }: ApiImport,
  caller: { name: string; idempotencyKey: string | undefined; apiKey?: string | null },
): Promise<string> {
  return startImport(engine, scope, apiChannel, {
    ...request,
    files: files.map(({ url, headers, ...file }) => ({
      ...file,
      source: { type: 'url', url, headers: mergedHeaders(common, headers) },
      on_conflict,
    })),
    requestedBy: caller.name,
    from: { apiKey: caller.apiKey },
    idempotencyKey: caller.idempotencyKey,
  })
}
