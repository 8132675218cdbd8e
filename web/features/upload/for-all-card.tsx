// Tags, pack, product and settings for all files of the queue.
import { useState } from 'react'
import { type ForAll, isNumber, NOTHING_FOR_ALL } from './for-all.ts'
import { ProductDialog } from './product-dialog.tsx'
import { type UploadQueue } from './queue.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { WordsField } from '../../shell/components/words-field.tsx'
import { BlockStack, Button, InlineStack, Text, TextField } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  queue: UploadQueue
  choices: ForAll
  /** The number of files that were imported already, with the earlier choices. */
  imported: number
}

export function ForAllCard({ queue, choices, imported }: Props) {
  const change = (some: Partial<ForAll>) => queue.chooseForAll({ ...choices, ...some })
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
            autoComplete="off"
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
        </div>
        <ChosenProduct product={choices.product} onChange={(product) => change({ product })} />
        {imported > 0 && isChosen && (
          <Text as="p" tone="subdued">
            {t(
              '{imported, plural, one {# file was} other {# files were}} imported before: change them on the Files page.',
              { imported },
            )}
          </Text>
        )}
      </BlockStack>
    </Titled>
  )
}

interface ChosenProductProps {
  product: ForAll['product']
  onChange: (product: ForAll['product']) => void
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
  name: 'expiry_days' | 'download_limit'
  label: string
  value: string
  onChange: (text: string) => void
}

const NumberText = ({ name, label, value, onChange }: NumberTextProps) => (
  <TextField
    label={label}
    inputMode="numeric"
    autoComplete="off"
    placeholder={t('As in Settings')}
    error={isNumber(name, value) ? undefined : t('Enter a whole number from 1')}
    value={value}
    onChange={onChange}
  />
)
