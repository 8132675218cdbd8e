// The products of a pack: every file in it is mapped to them.
import { useState } from 'react'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { type Pack, type PackProduct, type ProductChoice, useChangePack } from './calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import {
  BlockStack,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export function PackProducts({ pack }: { pack: Pack }) {
  const [adding, setAdding] = useState(false)
  const { change, replace, job } = useProducts(pack, adding)
  // What failed before is no error of the dialog, nor the other way round.
  const ask = (open: boolean) => {
    if (!change.isPending) change.reset()
    setAdding(open)
  }
  const without = (gone: PackProduct) =>
    pack.products.filter((product) => product !== gone).map(choiceOf)
  return (
    <Card>
      <BlockStack gap="300">
        <InlineStack align="space-between" blockAlign="center">
          <Heading>{t('Products')}</Heading>
          <Button onClick={() => ask(true)}>{t('Add product')}</Button>
        </InlineStack>
        {change.error && !adding && (
          <Problem error={change.error} what={t('The products could not be changed')} />
        )}
        {pack.products.length === 0 ? (
          <Hint>
            {t('None. Files in this pack are mapped to its products, in addition to their own.')}
          </Hint>
        ) : (
          pack.products.map((product) => (
            <ProductRow
              key={`${product.product_id} ${product.variant_id}`}
              product={product}
              busy={change.isPending}
              onRemove={() => replace(without(product), () => undefined)}
            />
          ))
        )}
        {job && (
          <Text as="p" variant="bodySm" tone="subdued">
            <Link url={`/operations/${job}`}>
              {t('The products of its files are being updated')}
            </Link>
          </Text>
        )}
      </BlockStack>
      {adding && (
        <AddProduct
          saving={change.isPending}
          error={change.error}
          onAdd={(choice) =>
            replace([...pack.products.map(choiceOf), choice], () => setAdding(false))
          }
          onClose={() => ask(false)}
        />
      )}
    </Card>
  )
}

/** Changes the products; `job`: the operation that maps the files of the pack to them. */
function useProducts(pack: Pack, adding: boolean) {
  const change = useChangePack(pack.id, useKnown(pack, adding))
  const [job, setJob] = useState<string | null>(null)
  const replace = (products: ProductChoice[], then: () => void) =>
    change.mutate(
      { products },
      {
        onSuccess: ({ job_id }) => {
          setJob(job_id)
          toast(t('The pack’s products were changed'))
          then()
        },
      },
    )
  return { change, replace, job }
}

interface RowProps {
  product: PackProduct
  busy: boolean
  onRemove: () => void
}

const ProductRow = ({ product, busy, onRemove }: RowProps) => (
  <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
    <BlockStack>
      <Text as="span" breakWord>
        {product.product_title}
      </Text>
      {product.sku && <SmallPrint>{t('SKU {sku}', { sku: product.sku })}</SmallPrint>}
    </BlockStack>
    <Button
      variant="plain"
      tone="critical"
      disabled={busy}
      accessibilityLabel={actionName(t('Remove'), product.product_title)}
      onClick={onRemove}
    >
      {t('Remove')}
    </Button>
  </InlineStack>
)

const choiceOf = ({ product_id, variant_id }: PackProduct): ProductChoice => ({
  product_id,
  variant_id,
})

interface AddProps {
  saving: boolean
  error: Error | null
  onAdd: (choice: ProductChoice) => void
  onClose: () => void
}

function AddProduct({ saving, error, onAdd, onClose }: AddProps) {
  const [choice, setChoice] = useState<(ProductChoice & { title: string }) | null>(null)
  const add = () =>
    choice && onAdd({ product_id: choice.product_id, variant_id: choice.variant_id })
  return (
    <Dialog
      title={t('Add product to the pack')}
      onClose={onClose}
      onEnter={() => add()}
      why={choice ? null : t('Choose a product first.')}
      primaryAction={{
        content: t('Add'),
        loading: saving,
        onAction: () => add(),
      }}
    >
      {error && <Problem error={error} what={t('The product could not be added')} />}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
