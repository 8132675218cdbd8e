// What the addresses do that a merchant copies or lists.
import { type BuyerPageDraft } from './calls.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { ChoiceList, Hint } from '../../shell/ui/index.ts'

interface Props {
  draft: BuyerPageDraft
  onChange: (part: Partial<BuyerPageDraft>) => void
}

export const CopiedLinksCard = ({ draft, onChange }: Props) => (
  <Titled title={t('Links that you copy')}>
    <ChoiceList
      title={t('A copied link')}
      titleHidden
      selected={[draft.copied_links]}
      onChange={([choice]) => onChange({ copied_links: choice === 'page' ? 'page' : 'direct' })}
      choices={[
        {
          value: 'direct',
          label: t('Download the file directly'),
          helpText: t('Also for programs. A program that opens the link can use up a download.'),
        },
        {
          value: 'page',
          label: t('Open a page with a button'),
          helpText: t(
            'Opening the page counts nothing, so chats and mail filters that follow links use up no download.',
          ),
        },
      ]}
    />
    <Hint>{t('Also in lists of links as CSV. Links in emails always open a page.')}</Hint>
  </Titled>
)
