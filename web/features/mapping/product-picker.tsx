// A picker of one product, or of one of its variants.
import { useState } from 'react'
import { type Choice, type Product, useMirror, useProducts } from './calls.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { BlockStack, Text, TextField } from '../../shell/ui/index.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { ProductPicture } from './product-picture.tsx'
import { RefreshProducts } from './refresh-products.tsx'
import './product-picker.css'
import { t } from '../../shell/messages/t.ts'

/** `sku`: the variant’s, or the product’s only one; null: it has none. */
type PickedProduct = Choice & { title: string; sku: string | null }

interface Props {
  choice: (Choice & { title: string }) | null
  onChoose: (choice: PickedProduct) => void
  /** Offers whole products only, no variants. */
  whole?: boolean
}

export function ProductPicker({ choice, onChoose, whole = false }: Props) {
  const [search, setSearch] = useState('')
  const refreshed = useMirror().data?.refreshed_at ?? null
  const products = useProducts(useDebounced(search.trim()), refreshed)
  const list = products.data?.data
  return (
    <BlockStack gap="300">
      <TextField
        label={t('Search products by title or SKU')}
        autoComplete="off"
        autoFocus
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      <RefreshProducts />
      {products.error && (
        <Problem
          error={products.error}
          what={t('The products could not be loaded')}
          onRetry={() => void products.refetch()}
        />
      )}
      {products.isPending && <LoadingRows rows={4} what={t('products')} />}
      {list?.length === 0 && (
        <Text as="p" tone="subdued">
          {t('No product matches')}
        </Text>
      )}
      <div role="radiogroup" aria-label={t('Products')} className="product-choices">
        {list?.map((product) => (
          <Choices
            key={product.id}
            product={product}
            choice={choice}
            onChoose={onChoose}
            whole={whole}
          />
        ))}
      </div>
    </BlockStack>
  )
}

function Choices({ product, choice, onChoose, whole }: Props & { product: Product }) {
  const { id, title, image, variants } = product
  const picked = (variant: string | null) =>
    choice?.product_id === id && choice.variant_id === variant
  const only = variants.length === 1 ? variants[0]! : null
  const choose = (variant: string | null) =>
    onChoose({ product_id: id, variant_id: variant, title, sku: skuOf(variants, variant) })
  return (
    <>
      <label className={`candidate ${picked(null) ? 'chosen' : ''}`}>
        <input type="radio" name="product" checked={picked(null)} onChange={() => choose(null)} />
        <ProductPicture title={title} url={image} />
        <span className="candidate-text">
          <Text as="span" fontWeight="medium" breakWord>
            {title}
          </Text>
          {only?.sku && <Sku sku={only.sku} />}
        </span>
      </label>
      {!only &&
        !whole &&
        choice?.product_id === id &&
        variants.map((variant) => (
          <label
            key={variant.id}
            className={`candidate variant ${picked(variant.id) ? 'chosen' : ''}`}
          >
            <input
              type="radio"
              name="product"
              checked={picked(variant.id)}
              onChange={() => choose(variant.id)}
            />
            <span className="candidate-text">
              <Text as="span">{variant.title}</Text>
              {variant.sku && <Sku sku={variant.sku} />}
            </span>
          </label>
        ))}
    </>
  )
}

/** The SKU of a variant; of a whole product, the one that all its variants with SKUs share. */
function skuOf(variants: Product['variants'], variant: string | null): string | null {
  const skus = variants
    .filter(({ id }) => variant === null || id === variant)
    .flatMap(({ sku }) => sku || [])
  return new Set(skus).size === 1 ? (skus[0] ?? null) : null
}

const Sku = ({ sku }: { sku: string }) => (
  <Text as="span" variant="bodySm" tone="subdued" breakWord>
    {t('SKU {sku}', { sku })}
  </Text>
)
