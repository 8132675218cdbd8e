// Sets of tags that were saved under a name.
import { useChangeOf } from './change.ts'
import { call } from './client.ts'
import { useReadAll } from './reads.ts'
import { type Schemas } from './types.ts'

export type TagTemplate = Schemas['TagTemplate']

const KEYS = [['tag-templates']]

export const useTagTemplates = () => useReadAll('GET /api/tag-templates')

/** Creates a template, or changes the one with this id. */
export const useSaveTagTemplate = () =>
  useChangeOf(
    KEYS,
    ({ id, ...body }: { id: string | null; name: string; tags: readonly string[] }) =>
      id === null
        ? call('POST /api/tag-templates', { body })
        : call('PATCH /api/tag-templates/{id}', { path: { id }, body }),
  )

export const useDeleteTagTemplate = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/tag-templates/{id}', { path: { id } }))
