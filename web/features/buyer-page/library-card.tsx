// Whether buyers can open their library, and how they find it.
import { type BuyerPageDraft } from './calls.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { Copy } from '../../shell/components/copy.tsx'
import { t } from '../../shell/messages/t.ts'
import { Checkbox, InlineStack, Link } from '../../shell/ui/index.ts'

interface Props {
  draft: BuyerPageDraft
  /** The address where buyers ask for the link to their library. */
  url: string
  onChange: (part: Partial<BuyerPageDraft>) => void
}

export const LibraryCard = ({ draft, url, onChange }: Props) => (
  <Titled title={t('All downloads of a buyer')}>
    <Checkbox
      label={t('Buyers can open their library')}
      helpText={t(
        'They enter their email address and get a mail with a link to all their files. The answer is the same for unknown addresses.',
      )}
      checked={draft.library}
      onChange={(library) => onChange({ library })}
    />
    {draft.library && (
      <Checkbox
        label={t('Show “All my downloads” on the pages of orders')}
        helpText={t('The button sends the mail to the address of the order.')}
        checked={draft.library_link}
        onChange={(library_link) => onChange({ library_link })}
      />
    )}
    {draft.library && (
      <InlineStack gap="200" blockAlign="center">
        <Link url={url} target="_blank">
          {t('Open the page for buyers')}
        </Link>
        <Copy text={url} what={t('address of the page for buyers')} label={t('Copy address')} />
      </InlineStack>
    )}
  </Titled>
)
