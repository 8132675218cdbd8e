// Sets of tags that were saved under a name.
import { useQuery } from '@tanstack/react-query'
import { useChangeOf } from './change.ts'
import { call, callForAll } from './client.ts'
import { type Schemas } from './types.ts'

export type TagTemplate = Schemas['TagTemplate']

const KEY = ['tag-templates']

export const useTagTemplates = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callForAll<TagTemplate>('/api/tag-templates', signal),
  })

const useChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([KEY], send)

/** Creates a template, or changes the one with this id. */
export const useSaveTagTemplate = () =>
  useChange<{ id: string | null; name: string; tags: readonly string[] }, TagTemplate>(
    ({ id, ...body }) =>
      id === null
        ? call('/api/tag-templates', { method: 'POST', body })
        : call(`/api/tag-templates/${id}`, { method: 'PATCH', body }),
  )

export const useDeleteTagTemplate = () =>
  useChange<string, void>((id) => call(`/api/tag-templates/${id}`, { method: 'DELETE' }))
