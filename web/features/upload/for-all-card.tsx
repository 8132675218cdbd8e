// Tags, pack, product and settings for all files of the queue.
import { useState } from 'react'
import { type CommonValues, isNumber, NOTHING_FOR_ALL, type NumberName } from './for-all.ts'
import { ProductDialog } from './product-dialog.tsx'
import { type UploadQueue } from './queue.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { WordsField } from '../../shell/components/words-field.tsx'
import {
  BlockStack,
  Button,
  Hint,
  InlineStack,
  Select,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  queue: UploadQueue
  choices: CommonValues
  /** The number of files that were imported already, with the earlier choices. */
  imported: number
}

export function ForAllCard({ queue, choices, imported }: Props) {
  const change = (some: Partial<CommonValues>) => queue.chooseForAll({ ...choices, ...some })
  const isChosen = JSON.stringify(choices) !== JSON.stringify(NOTHING_FOR_ALL)
  return (
    <Titled
      title={t('For all files')}
      help={t(
        'Chosen before or while files are sent: it applies to files that have not arrived yet.',
      )}
      action={
        isChosen && (
          <Button variant="plain" onClick={() => queue.chooseForAll(NOTHING_FOR_ALL)}>
            {t('Clear')}
          </Button>
        )
      }
    >
      <BlockStack gap="400">
        <div className="fields">
          <WordsField
            label={t('Tags')}
            value={choices.tags}
            onChange={(tags) => change({ tags })}
          />
          <TextField
            label={t('Pack')}
            helpText={t('A pack with this name is created if there is none.')}
            maxLength={100}
            value={choices.pack}
            onChange={(pack) => change({ pack })}
          />
          <NumberText
            name="expiry_days"
            label={t('Expiry days')}
            value={choices.expiry_days}
            onChange={(expiry_days) => change({ expiry_days })}
          />
          <NumberText
            name="download_limit"
            label={t('Download limit')}
            value={choices.download_limit}
            onChange={(download_limit) => change({ download_limit })}
          />
          <AskSelect asked={choices.ask_for} onChange={(ask_for) => change({ ask_for })} />
        </div>
        <TimeTerms choices={choices} change={change} />
        <ChosenProduct product={choices.product} onChange={(product) => change({ product })} />
        {imported > 0 && isChosen && (
          <Hint>
            {t(
              '{imported, plural, one {# file was} other {# files were}} imported before: change them on the Files page.',
              { imported },
            )}
          </Hint>
        )}
      </BlockStack>
    </Titled>
  )
}

interface AskSelectProps {
  asked: CommonValues['ask_for']
  onChange: (asked: CommonValues['ask_for']) => void
}

/** A password is not kept with an import, so it is chosen afterwards. */
const AskSelect = ({ asked, onChange }: AskSelectProps) => (
  <Select
    label={t('Ask before a download')}
    options={[
      { value: '', label: t('Nothing') },
      { value: 'email', label: t('The buyer’s email address') },
    ]}
    value={asked}
    onChange={(value) => onChange(value === 'email' ? 'email' : '')}
  />
)

interface TimeTermsProps {
  choices: CommonValues
  change: (some: Partial<CommonValues>) => void
}

/** When and how often buyers can have the files: rarely chosen, so closed at first. */
function TimeTerms({ choices, change }: TimeTermsProps) {
  const { available_from, available_after_days, first_use_hours, customer_tag } = choices
  const { view_limit, view_days } = choices
  const isChosen = [
    available_from,
    available_after_days,
    first_use_hours,
    customer_tag,
    view_limit,
    view_days,
  ].some((text) => text !== '')
  const [open, setOpen] = useState(isChosen)
  if (!open && !isChosen)
    return (
      <div>
        <Button variant="plain" onClick={() => setOpen(true)}>
          {t('Release date, rental, views …')}
        </Button>
      </div>
    )
  return (
    <div className="fields">
      <TextField
        type="date"
        label={t('Available from')}
        value={available_from}
        onChange={(value) => change({ available_from: value })}
      />
      <NumberText
        name="available_after_days"
        label={t('Available after the purchase (days)')}
        placeholder={t('Immediately')}
        value={available_after_days}
        onChange={(value) => change({ available_after_days: value })}
      />
      <NumberText
        name="first_use_hours"
        label={t('Expires after the first use (hours)')}
        placeholder={t('Never')}
        value={first_use_hours}
        onChange={(value) => change({ first_use_hours: value })}
      />
      <ViewTerms choices={choices} change={change} />
      <TextField
        label={t('Required customer tag')}
        maxLength={255}
        value={customer_tag}
        onChange={(value) => change({ customer_tag: value })}
      />
    </div>
  )
}

const ViewTerms = ({ choices, change }: TimeTermsProps) => (
  <>
    <NumberText
      name="view_limit"
      label={t('Views a link allows')}
      placeholder={t('Unlimited')}
      value={choices.view_limit}
      onChange={(value) => change({ view_limit: value })}
    />
    <NumberText
      name="view_days"
      label={t('Views end after (days)')}
      placeholder={t('When the link expires')}
      value={choices.view_days}
      onChange={(value) => change({ view_days: value })}
    />
  </>
)

interface ChosenProductProps {
  product: CommonValues['product']
  onChange: (product: CommonValues['product']) => void
}

function ChosenProduct({ product, onChange }: ChosenProductProps) {
  const [choosing, setChoosing] = useState(false)
  return (
    <InlineStack gap="300" blockAlign="center">
      <Text as="span" breakWord>
        {product
          ? t('Product: {title}', { title: product.title })
          : t('Product: matched by the filename')}
      </Text>
      <Button onClick={() => setChoosing(true)}>
        {product ? t('Change the product') : t('Choose a product…')}
      </Button>
      {product && (
        <Button variant="plain" onClick={() => onChange(null)}>
          {t('Remove the product')}
        </Button>
      )}
      {choosing && (
        <ProductDialog
          title={t('Choose a product for all files')}
          needsSku
          saving={false}
          error={null}
          onChoose={({ sku, title }) => {
            if (sku !== null) onChange({ sku, title })
            setChoosing(false)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </InlineStack>
  )
}

interface NumberTextProps {
  name: NumberName
  placeholder?: string
  label: string
  value: string
  onChange: (text: string) => void
}

const NumberText = ({ name, label, value, placeholder, onChange }: NumberTextProps) => (
  <TextField
    label={label}
    inputMode="numeric"
    placeholder={placeholder ?? t('As in Settings')}
    error={isNumber(name, value) ? undefined : t('Enter a whole number from 1')}
    value={value}
    onChange={onChange}
  />
)
