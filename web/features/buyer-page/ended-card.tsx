// What buyers can do about files that are expired or used up.
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Checkbox } from '../../shell/ui/index.ts'
import { type BuyerPageDraft } from './calls.ts'

interface Props {
  draft: BuyerPageDraft
  onChange: (part: Partial<BuyerPageDraft>) => void
}

export const EndedCard = ({ draft, onChange }: Props) => (
  <Titled title={t('Files that are expired or used up')}>
    <Checkbox
      label={t('Buyers can ask for more')}
      helpText={t(
        'The page has a form, once a day for each link. You get a notice and grant it with one click.',
      )}
      checked={draft.ask_again}
      onChange={(ask_again) => onChange({ ask_again })}
    />
    <Checkbox
      label={t('Show “Buy again”')}
      helpText={t('The button leads to the product, while your shop offers it.')}
      checked={draft.buy_again}
      onChange={(buy_again) => onChange({ buy_again })}
    />
  </Titled>
)
