// A picker of one product, or of one of its variants.
import { useState } from 'react'
import { type Choice, type Product, useMirror, useProducts } from './calls.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { Text } from '../../shell/ui/index.ts'
import { RadioChoice, SearchChoices } from '../../shell/components/search-choices.tsx'
import { ProductPicture } from './product-picture.tsx'
import { RefreshProducts } from './refresh-products.tsx'
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
  return (
    <SearchChoices
      query={products}
      search={search}
      onSearch={setSearch}
      autoFocus
      label={t('Search products by title or SKU')}
      title={t('Products')}
      what={t('products')}
      failed={t('The products could not be loaded')}
      none={t('No product matches')}
      between={<RefreshProducts />}
      choice={(product) => (
        <Choices
          key={product.id}
          product={product}
          choice={choice}
          onChoose={onChoose}
          whole={whole}
        />
      )}
    />
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
      <RadioChoice
        name="product"
        checked={picked(null)}
        onChoose={() => choose(null)}
        picture={<ProductPicture title={title} url={image} />}
        title={title}
        strong
        detail={only?.sku && <Sku sku={only.sku} />}
      />
      {!only &&
        !whole &&
        choice?.product_id === id &&
        variants.map((variant) => (
          <RadioChoice
            key={variant.id}
            name="product"
            indented
            checked={picked(variant.id)}
            onChoose={() => choose(variant.id)}
            title={variant.title}
            detail={variant.sku && <Sku sku={variant.sku} />}
          />
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
