// The products of a pack: every file in it is mapped to them.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import {
  type Pack,
  type PackProduct,
  type ProductChoice,
  useChangePack,
} from '../../client/packs.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
import { ProductPicker } from '../../components/product-picker.tsx'
import { BlockStack, Button, Card, InlineStack, Link, Text } from '../../ui/index.ts'

export function PackProducts({ pack }: { pack: Pack }) {
  const change = useChangePack(pack.id)
  const [adding, setAdding] = useState(false)
  const [job, setJob] = useState<string | null>(null)
  const replace = (products: ProductChoice[], then: () => void) =>
    change.mutate(
      { products },
      {
        onSuccess: ({ job_id }) => {
          setJob(job_id)
          toast('The pack’s products were changed')
          then()
        },
      },
    )
  const without = (gone: PackProduct) =>
    pack.products.filter((product) => product !== gone).map(choiceOf)
  return (
    <Card>
      <BlockStack gap="300">
        <InlineStack align="space-between" blockAlign="center">
          <Text as="h2" variant="headingMd">
            Products
          </Text>
          <Button onClick={() => setAdding(true)}>Add product</Button>
        </InlineStack>
        {change.error && !adding && (
          <Problem error={change.error} what="The products could not be changed" />
        )}
        {pack.products.length === 0 ? (
          <Text as="p" tone="subdued">
            None. Files in this pack get its products, beside those that they have by themselves.
          </Text>
        ) : (
          pack.products.map((product) => (
            <InlineStack
              key={`${product.product_id} ${product.variant_id}`}
              align="space-between"
              blockAlign="center"
              gap="200"
              wrap={false}
            >
              <BlockStack>
                <Text as="span" breakWord>
                  {product.product_title}
                </Text>
                {product.sku && (
                  <Text as="span" variant="bodySm" tone="subdued">
                    SKU {product.sku}
                  </Text>
                )}
              </BlockStack>
              <Button
                variant="plain"
                tone="critical"
                disabled={change.isPending}
                accessibilityLabel={`Remove ${product.product_title} from the pack`}
                onClick={() => replace(without(product), () => undefined)}
              >
                Remove
              </Button>
            </InlineStack>
          ))
        )}
        {job && (
          <Text as="p" variant="bodySm" tone="subdued">
            <Link url={`/operations/${job}`}>Its files’ products are being brought up to date</Link>
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
          onClose={() => setAdding(false)}
        />
      )}
    </Card>
  )
}

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
      title="Add product to the pack"
      onClose={onClose}
      onEnter={() => add()}
      primaryAction={{
        content: 'Add',
        disabled: choice === null,
        loading: saving,
        onAction: () => add(),
      }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {error && <Problem error={error} what="The product could not be added" />}
      <ProductPicker choice={choice} onChoose={setChoice} />
    </Dialog>
  )
}
