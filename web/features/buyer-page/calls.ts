// The look of buyers' pages: types and calls.
import { ifFailed, useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type BuyerPage = Schemas['BuyerPage']
export type BuyerLocale = BuyerPage['language']
export type ColourReport = Schemas['ColourReport']
export type PreviewedPage = 'files' | 'ended'

/** The fields that the form edits; the logo is saved when it is chosen. */
export type BuyerPageDraft = Pick<
  BuyerPage,
  | 'accent'
  | 'background'
  | 'language'
  | 'texts'
  | 'library'
  | 'library_link'
  | 'ask_again'
  | 'buy_again'
  | 'copied_links'
>

const KEY = ['buyer-page']

export const useBuyerPage = () => useRead('GET /api/settings/buyer-page', { key: KEY })

/** `draft` is not saved. The preview is read again when the logo changes. */
export const usePreview = (
  draft: Partial<BuyerPageDraft>,
  shown: { locale: BuyerLocale; page: PreviewedPage },
  logo: string | null,
) =>
  useRead('POST /api/settings/buyer-page/preview', {
    body: { ...draft, ...shown },
    dependsOn: [logo],
    keep: true,
    retry: false,
  })

/** The saved page with the files of a pack. */
export const usePackPreview = (pack_id: string, product: string, locale: BuyerLocale) =>
  useRead('POST /api/settings/buyer-page/preview', {
    body: { pack_id, locale },
    dependsOn: [product],
    retry: false,
  })

const useChange = <Variables>(run: (variables: Variables) => Promise<BuyerPage>) =>
  useChangeOf(ifFailed(KEY), run, { show: (client, page) => showAnswer(client, KEY, page) })

export const useChangeBuyerPage = (known: KnownTag) =>
  useChange((body: Partial<BuyerPageDraft>) =>
    edit('PATCH /api/settings/buyer-page', { body }, known),
  )

export const useSetLogo = () =>
  useChange((image: string | null) =>
    image === null
      ? call('DELETE /api/settings/buyer-page/logo')
      : call('PUT /api/settings/buyer-page/logo', { body: { image } }),
  )
