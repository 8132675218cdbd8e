// New files of products that were sold before: the shop decides whether past buyers get them.
import { useState } from 'react'
import { type Entry, findByBody, usePlugins } from '../../shell/client/plugins.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, InlineStack, Link, Text, Hint } from '../../shell/ui/index.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { ActionDialog } from '../files/action-dialog.tsx'
import { OperationToast } from '../files/operation-toast.tsx'
import type { ActionFiles } from '../files/selection.ts'
import { type NewFilesChoice, NewFilesSelect } from '../mapping/new-files-select.tsx'
import { ProductPicker } from '../mapping/product-picker.tsx'
import {
  type NewFiles,
  useDismissNewFiles,
  useNewFiles,
  useChooseForProduct,
  useProductChoices,
} from './calls.ts'
import { newFilesText } from './labels.ts'

export function NewFilesPage() {
  const list = useNewFiles()
  const entry = findByBody(usePlugins().data?.data ?? [], 'give')
  const [giving, setGiving] = useState<NewFiles | null>(null)
  const [started, setStarted] = useState<string | null>(null)
  const products = list.data?.data
  return (
    <Page
      title={t('New files for past buyers')}
      subtitle={t('Files that products got after they were sold')}
      backAction={{ content: t('Deliveries'), url: '/deliveries' }}
    >
      <BlockStack gap="400">
        {started && (
          <OperationToast id={started} onReplaced={setStarted} onDismiss={() => setStarted(null)} />
        )}
        <LoadProblem query={list} what={t('The new files could not be loaded')} />
        {list.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the new files')} />
          </Card>
        )}
        {products?.length === 0 && (
          <Card>
            <Nothing why="new" heading={t('Past buyers have all files')}>
              {t('When a product that was sold gets another file, it is shown here.')}
            </Nothing>
          </Card>
        )}
        {products?.map((one) => (
          <Product key={one.product_id} about={one} onGive={entry ? () => setGiving(one) : null} />
        ))}
        <ProductChoices />
      </BlockStack>
      {entry && giving && (
        <ActionDialog
          entry={ofProduct(entry, giving.product_id)}
          chosen={chosenOf(giving)}
          onClose={() => setGiving(null)}
          onStarted={({ id }) => {
            setGiving(null)
            setStarted(id)
          }}
        />
      )}
    </Page>
  )
}

/** Limits the action to buyers of this product: the files may have others too. */
const ofProduct = ({ plugin, action }: Entry, product_id: string): Entry => ({
  plugin,
  action: { ...action, preset: { ...action.preset, product_id } },
})

const chosenOf = ({ files }: NewFiles): ActionFiles => ({
  select: { file_ids: files.map(({ file_id }) => file_id) },
  count: files.length,
  files: [],
  known: false,
  list: { filter: {}, total: files.length },
})

function Product({ about, onGive }: { about: NewFiles; onGive: (() => void) | null }) {
  const dismiss = useDismissNewFiles()
  return (
    <Titled title={about.title}>
      <BlockStack gap="300">
        {dismiss.error && <Problem error={dismiss.error} what={t('This could not be saved')} />}
        <Text as="p">{newFilesText(about)}</Text>
        <ul className="bullets">
          {about.files.map(({ file_id, filename }) => (
            <li key={file_id}>
              <Link url={`/files/${file_id}`}>{filename}</Link>
            </li>
          ))}
        </ul>
        <InlineStack gap="200">
          {onGive && (
            <Button
              variant="primary"
              onClick={onGive}
              accessibilityLabel={actionName(t('Give to past buyers'), about.title)}
            >
              {t('Give to past buyers')}
            </Button>
          )}
          <Button
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate(about.product_id)}
            accessibilityLabel={actionName(t('Do not give them'), about.title)}
          >
            {t('Do not give them')}
          </Button>
        </InlineStack>
        <ProductChoice product={about.product_id} title={about.title} value={about.new_files} />
      </BlockStack>
    </Titled>
  )
}

// Products whose new files go to past buyers otherwise than the shop's setting says.

/** The choice of one product, saved when it is made. */
function ProductChoice({
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

function ProductChoices() {
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
