// Products whose new files go to past buyers otherwise than the shop's setting says.
import { useState } from 'react'
import { Dialog } from '../../shell/components/dialog.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Hint, Text } from '../../shell/ui/index.ts'
import { type NewFilesChoice, NewFilesSelect } from '../mapping/new-files-select.tsx'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { useChooseForProduct, useProductChoices } from './calls.ts'

/** The choice of one product, saved when it is made. */
export function ProductChoice({
  product,
  title,
  value,
}: {
  product: string
  title: string
  value: NewFilesChoice
}) {
  const choose = useChooseForProduct()
  return (
    <BlockStack gap="200">
      {choose.error && <Problem error={choose.error} what={t('This could not be saved')} />}
      <NewFilesSelect
        label={t('Give new files of {product} to past buyers', { product: title })}
        usual={t('As the setting of the shop says')}
        value={choose.isPending ? choose.variables.new_files : value}
        disabled={choose.isPending}
        onChange={(new_files) => choose.mutate({ product_id: product, new_files })}
      />
    </BlockStack>
  )
}

export function ProductChoices() {
  const list = useProductChoices()
  const [adding, setAdding] = useState(false)
  const products = list.data?.data
  return (
    <Titled
      title={t('Products with their own choice')}
      action={<Button onClick={() => setAdding(true)}>{t('Choose a product')}</Button>}
    >
      <BlockStack gap="400">
        <Hint>
          {t(
            'All others follow the setting “New files of products that were sold”. Mapping rules can choose for the files that they map.',
          )}
        </Hint>
        <LoadProblem query={list} what={t('The choices could not be loaded')} />
        {list.isPending && <LoadingRows rows={2} what={t('the choices')} />}
        {products?.length === 0 && <Text as="p">{t('No product has its own choice.')}</Text>}
        {products?.map(({ product_id, title, new_files }) => (
          <ProductChoice key={product_id} product={product_id} title={title} value={new_files} />
        ))}
      </BlockStack>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
    </Titled>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const choose = useChooseForProduct()
  const [product, setProduct] = useState<Parameters<typeof ProductPicker>[0]['choice']>(null)
  const [choice, setChoice] = useState<NewFilesChoice>('always')
  const [tried, setTried] = useState(false)
  const save = () => {
    setTried(true)
    if (!product) return
    choose.mutate({ product_id: product.product_id, new_files: choice }, { onSuccess: onClose })
  }
  return (
    <Dialog
      title={t('Choose for a product')}
      onClose={onClose}
      onEnter={save}
      primaryAction={{ content: t('Save'), loading: choose.isPending, onAction: save }}
    >
      {choose.error && <Problem error={choose.error} what={t('This could not be saved')} />}
      <NewFilesSelect
        label={t('Give its new files to past buyers')}
        usual={t('As the setting of the shop says')}
        value={choice}
        onChange={setChoice}
      />
      {tried && !product && (
        <Text as="p" tone="critical">
          {t('Choose the product')}
        </Text>
      )}
      <ProductPicker choice={product} onChoose={setProduct} whole />
    </Dialog>
  )
}
