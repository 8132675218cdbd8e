// The page that a buyer of a pack gets, in a frame.
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { BlockStack, Heading } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import '../../shell/components/form-and-preview.css'
import { messageLocale } from '../../shell/messages/locale.ts'
import { usePackPreview } from './calls.ts'
import { LANGUAGES } from './languages.ts'

interface Props {
  pack: string
  /** The page is read again for another product. */
  product: string
}

export function BuyersPage({ pack, product }: Props) {
  const language = LANGUAGES.find(({ value }) => value === messageLocale())
  const preview = usePackPreview(pack, product, language?.value ?? 'en')
  return (
    <BlockStack gap="200">
      <Heading>{t('The page of its buyers')}</Heading>
      {preview.error && <LoadProblem query={preview} what={t('The preview could not be loaded')} />}
      {preview.data ? (
        <PreviewFrame html={preview.data.html} width="desk" />
      ) : (
        !preview.error && <LoadingRows rows={6} what={t('the preview')} />
      )}
    </BlockStack>
  )
}

/** @param width as a phone has, or as there is room */
export const PreviewFrame = ({ html, width }: { html: string; width: string }) => (
  <iframe
    className={`preview-frame ${width}`}
    title={t('Preview of the buyer’s page')}
    sandbox=""
    srcDoc={html}
  />
)
