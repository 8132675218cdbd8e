// Sells a pack as a product: creates the product or chooses one, and shows the page that its buyers
// get.
import { useState } from 'react'
import { askForScope, isDemo, toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { ApiError } from '../../shell/client/error.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import {
  BlockStack,
  Button,
  ChoiceList,
  Hint,
  InlineStack,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { BuyersPage } from '../buyer-page/buyers-page.tsx'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { type Pack, type ProductChoice, useChangePack, useSellPack } from './calls.ts'

interface Props {
  pack: Pack
  onClose: () => void
}

/** The product under which the pack is sold now. */
interface Sold {
  product_id: string
  variant_id: string | null
  title: string
  /** Its page in the admin of the store; null: it was chosen. */
  adminUrl: string | null
  /** It was created for this pack now; false: it existed. */
  isNew: boolean
}

export function SellPack({ pack, onClose }: Props) {
  const [sold, setSold] = useState<Sold | null>(null)
  return sold ? (
    <SoldAs pack={pack} sold={sold} onClose={onClose} />
  ) : (
    <ChooseHow pack={pack} onSold={setSold} onClose={onClose} />
  )
}

type Choice = ProductChoice & { title: string }

interface HowProps extends Props {
  onSold: (sold: Sold) => void
}

function ChooseHow({ pack, onSold, onClose }: HowProps) {
  const sale = useSale(pack, onSold)
  const { how, setHow, title, choice, create, change, submit } = sale
  const isCreating = how === 'create'
  return (
    <Dialog
      title={t('Sell {name} as a product', { name: pack.name })}
      onClose={onClose}
      onEnter={submit}
      why={whyNot({ isCreating, title, choice, pack })}
      primaryAction={{
        content: isCreating ? t('Create product') : t('Use this product'),
        loading: create.isPending || change.isPending,
        onAction: submit,
      }}
    >
      <ChoiceList
        title={t('Product')}
        choices={[
          { value: 'create', label: t('Create a product in the store') },
          { value: 'choose', label: t('Choose a product that exists') },
        ]}
        selected={[how]}
        onChange={([chosen]: ('create' | 'choose')[]) => chosen && setHow(chosen)}
      />
      {isCreating ? (
        <NewProduct
          title={title}
          price={sale.price}
          error={create.error}
          onTitle={sale.setTitle}
          onPrice={sale.setPrice}
          onAllowed={submit}
        />
      ) : (
        <>
          {change.error && (
            <Problem error={change.error} what={t('The product could not be added')} />
          )}
          <ProductPicker choice={choice} onChoose={sale.setChoice} />
        </>
      )}
    </Dialog>
  )
}

/** What the dialog has, and its button. */
function useSale(pack: Pack, onSold: (sold: Sold) => void) {
  const [how, setHow] = useState<'create' | 'choose'>('create')
  const [title, setTitle] = useState(pack.name)
  const [price, setPrice] = useState('')
  const [choice, setChoice] = useState<Choice | null>(null)
  const create = useSellPack(pack.id)
  const change = useChangePack(pack.id, useKnown(pack))
  const make = () =>
    create.mutate(
      { title: title.trim(), ...(price.trim() === '' ? {} : { price: decimalOf(price) }) },
      {
        onSuccess: ({ product }) =>
          onSold({
            product_id: product.product_id,
            variant_id: null,
            title: product.product_title,
            adminUrl: product.admin_url,
            isNew: product.is_new,
          }),
      },
    )
  const add = (chosen: Choice) =>
    change.mutate(
      { products: [...pack.products.map(choiceOf), choiceOf(chosen)] },
      { onSuccess: () => onSold({ ...chosen, adminUrl: null, isNew: false }) },
    )
  const submit = () => {
    if (how === 'create') make()
    else if (choice) add(choice)
  }
  return {
    how,
    setHow,
    title,
    setTitle,
    price,
    setPrice,
    choice,
    setChoice,
    create,
    change,
    submit,
  }
}

/** A price as the API takes it: some languages write 12,50. */
const decimalOf = (price: string) => price.trim().replace(',', '.')

const choiceOf = ({ product_id, variant_id }: ProductChoice): ProductChoice => ({
  product_id,
  variant_id,
})

function whyNot(given: {
  isCreating: boolean
  title: string
  choice: Choice | null
  pack: Pack
}): string | null {
  const { isCreating, title, choice, pack } = given
  if (isCreating) return title.trim() === '' ? t('Enter a title first.') : null
  if (!choice) return t('Choose a product first.')
  const isThere = pack.products.some(
    ({ product_id, variant_id }) =>
      product_id === choice.product_id && variant_id === choice.variant_id,
  )
  return isThere ? t('The pack has this product already.') : null
}

interface NewProps {
  title: string
  price: string
  error: Error | null
  onTitle: (title: string) => void
  onPrice: (price: string) => void
  /** The store allows what it refused before. */
  onAllowed: () => void
}

function NewProduct({ title, price, error, onTitle, onPrice, onAllowed }: NewProps) {
  const problems = problemsOf(objectionsIn(error))
  const [atTitle, atPrice] = [problems.at('title'), problems.at('price')]
  return (
    <BlockStack gap="400">
      {error && atTitle === undefined && atPrice === undefined && (
        <Refused error={error} onAllowed={onAllowed} />
      )}
      <div className="pairs">
        <TextField label={t('Title')} value={title} error={atTitle} onChange={onTitle} />
        <TextField
          label={t('Price')}
          value={price}
          error={atPrice}
          inputMode="decimal"
          placeholder="0.00"
          helpText={t('In the currency of your store')}
          onChange={onPrice}
        />
      </div>
      <Hint>
        {t(
          'It is created as a draft that is not shipped. Add a picture and a description in the admin of your store, then publish it.',
        )}
      </Hint>
    </BlockStack>
  )
}

const SCOPE = 'write_products'

function Refused({ error, onAllowed }: { error: Error; onAllowed: () => void }) {
  const ask = askForScope(SCOPE)
  const isForbidden = error instanceof ApiError && error.code === 'permission_denied'
  return (
    <BlockStack gap="200">
      <Problem error={error} what={t('The product could not be created')} />
      {isForbidden && ask && (
        <InlineStack>
          <Button onClick={() => void ask().then((isGranted) => isGranted && onAllowed())}>
            {t('Allow it to create products')}
          </Button>
        </InlineStack>
      )}
    </BlockStack>
  )
}

function SoldAs({ pack, sold, onClose }: Props & { sold: Sold }) {
  const change = useChangePack(pack.id, useKnown(pack, false))
  const others = pack.products.filter(
    ({ product_id, variant_id }) =>
      product_id !== sold.product_id || variant_id !== sold.variant_id,
  )
  // The pack as it was before is shown until it is read again.
  const isRead = others.length < pack.products.length
  const undo = () =>
    change.mutate(
      { products: others.map(choiceOf) },
      {
        onSuccess: () => {
          toast(
            t('The pack is not sold as {product} any more. The product stays in your store.', {
              product: sold.title,
            }),
          )
          onClose()
        },
      },
    )
  return (
    <Dialog
      size="large"
      title={t('Sold as {product}', { product: sold.title })}
      onClose={onClose}
      primaryAction={{ content: t('Done'), onAction: onClose }}
      secondaryActions={[
        { content: t('Undo'), disabled: !isRead, loading: change.isPending, onAction: undo },
      ]}
    >
      {change.error && (
        <Problem error={change.error} what={t('The products could not be changed')} />
      )}
      <BlockStack gap="200">
        <Text as="p">
          {sold.isNew
            ? t(
                '{product} is a draft in your store. Buyers get all files of this pack once it is published and paid.',
                { product: sold.title },
              )
            : t('Buyers of {product} get all files of this pack.', { product: sold.title })}
        </Text>
        {sold.adminUrl !== null && !isDemo() && (
          <InlineStack>
            <Button url={sold.adminUrl} external>
              {t('Open it in the admin of your store')}
            </Button>
          </InlineStack>
        )}
      </BlockStack>
      <BuyersPage pack={pack.id} product={sold.product_id} />
    </Dialog>
  )
}
