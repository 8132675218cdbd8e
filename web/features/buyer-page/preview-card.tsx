// The buyers' pages with unsaved changes.
import { useState } from 'react'
import { PreviewFrame } from './buyers-page.tsx'
import { usePreview, type BuyerLocale, type BuyerPageDraft, type PreviewedPage } from './calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { objectionsIn } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { Banner, BlockStack, Card, Heading, InlineStack, Select } from '../../shell/ui/index.ts'
import { LANGUAGES } from './languages.ts'

interface Props {
  change: Partial<BuyerPageDraft>
  logo: string | null
  locale: BuyerLocale
  onLocale: (locale: BuyerLocale) => void
}

const PAGES = [
  { value: 'files', label: t('Files to download') },
  { value: 'ended', label: t('A link that has ended') },
]
const WIDTHS = [
  { value: 'phone', label: t('Phone') },
  { value: 'desk', label: t('Desktop') },
]
const DEBOUNCE_MS = 250

export function PreviewCard({ change, logo, locale, onLocale }: Props) {
  const [page, setPage] = useState<PreviewedPage>('files')
  const [width, setWidth] = useState('phone')
  const preview = usePreview(useDebounced(change, DEBOUNCE_MS), { page, locale }, logo)
  // The fields show their own problems.
  const refused = objectionsIn(preview.error).length > 0
  return (
    <Card>
      <BlockStack gap="300">
        <Heading>{t('Preview')}</Heading>
        <InlineStack gap="200">
          <Select
            label={t('Page')}
            labelInline
            options={PAGES}
            value={page}
            onChange={(value) => setPage(value as PreviewedPage)}
          />
          <Select
            label={t('Language')}
            labelInline
            options={LANGUAGES}
            value={locale}
            onChange={(value) => onLocale(value as BuyerLocale)}
          />
          <Select
            label={t('Width')}
            labelInline
            options={WIDTHS}
            value={width}
            onChange={setWidth}
          />
        </InlineStack>
        {preview.data?.colours.adjusted && (
          <Banner tone="info">
            {t(
              'Links have the colour {colour}: the one you chose could not be read on the page. Buttons keep it.',
              { colour: preview.data.colours.link_colour },
            )}
          </Banner>
        )}
        {preview.error && !refused && (
          <LoadProblem query={preview} what={t('The preview could not be loaded')} />
        )}
        {preview.data ? (
          <PreviewFrame html={preview.data.html} width={width} />
        ) : (
          !preview.error && <LoadingRows rows={6} what={t('the preview')} />
        )}
      </BlockStack>
    </Card>
  )
}
