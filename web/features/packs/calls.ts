// Packs: types and calls. A pack's files are read like any other list of files.
import { useQueryClient } from '@tanstack/react-query'
import { nameKey } from '../../../plugins/_page/name-key.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { findByWidget, pluginsQuery } from '../../shell/client/plugins.ts'
import { CALM_MS } from '../../shell/client/polling.ts'
import { useRead, useReadPages } from '../../shell/client/reads.ts'
import { ApiError } from '../../shell/client/error.ts'
import { type ErrorDetail, type File, type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export type Pack = Schemas['Pack']
export type PackProduct = Pack['products'][number]

export type ProductChoice = Pick<PackProduct, 'product_id' | 'variant_id'>

const KEYS = [['packs'], ['files']]

export const usePack = (id: string | null) =>
  useRead('GET /api/packs/{id}', { path: { id }, poll: CALM_MS })

const FILES_PAGE = 100

/** The files of a pack in its order, page by page. */
export const usePackFiles = (id: string) =>
  useReadPages('GET /api/files', {
    query: { pack: id, sort: 'pack_position', limit: FILES_PAGE },
    poll: CALM_MS,
  })

export const useCreatePack = () =>
  useChangeOf(KEYS, (body: { name: string; products: ProductChoice[] }) =>
    call('POST /api/packs', { body }),
  )

/** `job_id`: the operation that updates its files' products. */
export const useChangePack = (id: string, known: KnownTag) =>
  useChangeOf(KEYS, (body: { name?: string; products?: ProductChoice[] }) =>
    edit('PATCH /api/packs/{id}', { path: { id }, body }, known),
  )

/** Creates the product that sells the pack, or finds the one that was created before. */
export const useSellPack = (id: string) =>
  useChangeOf(KEYS, (body: { title: string; price?: string }) =>
    call('POST /api/packs/{id}/product', { path: { id }, body }),
  )

export const useDeletePack = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/packs/{id}', { path: { id } }))

/** Files that are not listed stay after these. */
export const useOrderPack = (id: string) =>
  useChangeOf(
    KEYS,
    (file_ids: readonly string[]) =>
      orderOfThoseLeft(file_ids, (left) =>
        call('PUT /api/packs/{id}/order', { path: { id }, body: { file_ids: left } }),
      ),
    { inOrder: `order of ${id}` },
  )

/**
 * Sends the order, and sends it again without the files that have left the pack: one can be removed
 * while the order waits for an earlier change. Exported for its test.
 */
export async function orderOfThoseLeft<Answer>(
  file_ids: readonly string[],
  send: (left: readonly string[]) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send(file_ids)
  } catch (error) {
    const gone = error instanceof ApiError ? error.details.filter(isGone) : []
    const indexes = new Set(gone.map(({ index }) => index))
    const left = file_ids.filter((_, at) => !indexes.has(at))
    if (left.length === file_ids.length || left.length === 0) throw error
    return orderOfThoseLeft(left, send)
  }
}

const isGone = ({ param, code }: ErrorDetail) => param === 'file_ids' && code === 'not_found'

/** Removes the file from the pack; it stays among the shop's files and in its other packs. */
export const useTakeOut = (pack: string) => useMove({ mode: 'remove', pack })

/** Adds files to the pack, after its files; they stay in their other packs. */
export const useAddToPack = (pack: string) => useMove({ mode: 'add', pack })

function useMove(options: { mode: 'add' | 'remove'; pack: string }) {
  const client = useQueryClient()
  return useChangeOf(KEYS, async (file_ids: readonly string[]) => {
    const { data } = await client.fetchQuery(pluginsQuery)
    const found = findByWidget(data, 'pack')
    if (!found)
      throw new Error(t('This installation has no plugin that changes the packs of files'))
    const body = { action: found.plugin.id, select: { file_ids }, options }
    return call('POST /api/operations', { body })
  })
}

/** The most alternatives of one condition. */
const NAMES_AT_A_TIME = 10

/** The files with these names, in their order, and the names that no file has. */
export const useFilesNamed = () => useChangeOf([], filesNamed)

async function filesNamed(names: readonly string[]) {
  const found = new Map<string, File>()
  // In a condition * is any text, and no file has it in its name.
  const possible = names.filter((name) => !name.includes('*'))
  for (let from = 0; from < possible.length; from += NAMES_AT_A_TIME) {
    const some = possible.slice(from, from + NAMES_AT_A_TIME)
    const any = JSON.stringify(some.map((name_like) => ({ name_like })))
    const { data } = await call('GET /api/files', { query: { any, limit: NAMES_AT_A_TIME } })
    for (const file of data) found.set(nameKey(file.filename), file)
  }
  const missing = names.filter((name) => !found.has(nameKey(name)))
  return { files: names.flatMap((name) => found.get(nameKey(name)) ?? []), missing }
}
