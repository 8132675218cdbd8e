// The look of buyers' pages: types and calls.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type BuyerPage = Schemas['BuyerPage']
export type BuyerLocale = BuyerPage['language']
export type ColourReport = Schemas['ColourReport']
export type PreviewedPage = 'files' | 'ended'

/** The fields that the form edits; the logo is saved when it is chosen. */
export type BuyerPageDraft = Pick<BuyerPage, 'accent' | 'background' | 'language' | 'texts'>

const PATH = '/api/settings/buyer-page'
const KEY = ['buyer-page']

export const useBuyerPage = () =>
  useQuery({ queryKey: KEY, queryFn: ({ signal }) => call<BuyerPage>(PATH, { signal }) })

export interface Preview {
  html: string
  colours: ColourReport
}

/**
 * `draft` is not saved. `logo` is part of the query key only: the preview is read again when the
 * logo changes.
 */
export const usePreview = (
  draft: Partial<BuyerPageDraft>,
  shown: { locale: BuyerLocale; page: PreviewedPage },
  logo: string | null,
) =>
  useQuery({
    queryKey: [...KEY, 'preview', draft, shown, logo],
    queryFn: ({ signal }) =>
      call<Preview>(`${PATH}/preview`, { method: 'POST', body: { ...draft, ...shown }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })

function useChange<Variables>(run: (variables: Variables) => Promise<BuyerPage>) {
  const client = useQueryClient()
  return useMutation<BuyerPage, Error, Variables>({
    mutationFn: run,
    onSuccess: (page) => client.setQueryData(KEY, page),
  })
}

export const useChangeBuyerPage = (known: KnownTag) =>
  useChange((change: Partial<BuyerPageDraft>) => edit<BuyerPage>(PATH, 'PATCH', change, known))

export const useSetLogo = () =>
  useChange((image: string | null) =>
    image === null
      ? call(`${PATH}/logo`, { method: 'DELETE' })
      : call(`${PATH}/logo`, { method: 'PUT', body: { image } }),
  )
