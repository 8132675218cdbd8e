// Adds a link as a file: a course, a form or another shop, whose buyers are sent there.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { linkText } from '../../shell/files/link-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, Card, Checkbox, TextField } from '../../shell/ui/index.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { type AddedLink, useAddLink } from './link-calls.ts'

type Product = Parameters<Parameters<typeof ProductPicker>[0]['onChoose']>[0]

export function LinkPage() {
  const link = useNewLink()
  const { add, name, address, picks, product, submit } = link
  return (
    <Page title={t('Add a web link')} backAction={{ content: t('Import'), url: '/import' }}>
      <Card>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          <BlockStack gap="400">
            {add.error && !link.named && !link.addressed && (
              <Problem error={add.error} what={t('The link could not be added')} />
            )}
            {add.data && <NotAdded added={add.data} />}
            <NameField {...link} value={name} />
            <AddressField {...link} value={address} />
            <Checkbox
              label={t('Choose the product that buyers buy')}
              helpText={t(
                'Otherwise it is found by the name, if the shop maps files automatically.',
              )}
              checked={picks}
              onChange={link.setPicks}
            />
            {picks && <ProductPicker choice={product} onChoose={link.setProduct} />}
            <div>
              <Button variant="primary" submit loading={add.isPending}>
                {t('Add link')}
              </Button>
            </div>
          </BlockStack>
        </form>
      </Card>
    </Page>
  )
}

type FieldProps = ReturnType<typeof useNewLink> & { value: string }

const NameField = ({ value, named, setName }: FieldProps) => (
  <TextField
    label={t('Name')}
    helpText={t('Buyers see it without the ending .url, which the file gets.')}
    placeholder={t('Lino printing course')}
    autoFocus
    value={value}
    error={named}
    onChange={setName}
  />
)

const AddressField = ({ value, addressed, setAddress }: FieldProps) => (
  <TextField
    label={t('Address')}
    type="url"
    helpText={t('Only buyers who may use the link are sent there, and each time is counted.')}
    placeholder="https://courses.example.com/lino"
    value={value}
    error={addressed}
    onChange={setAddress}
  />
)

/** What the page has, and its button. */
function useNewLink() {
  const add = useAddLink()
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [picks, setPicks] = useState(false)
  const [product, setProduct] = useState<Product | null>(null)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(add.error))
  const wrong = linkText(address.trim())
  const unnamed = name.trim() === '' ? t('Enter a name') : undefined
  const submit = () => {
    setTried(true)
    if (unnamed !== undefined || wrong !== null || add.isPending) return
    const chosen = picks && product ? pickedBy(product) : null
    const link = { filename: name.trim(), link_url: address.trim(), product: chosen }
    add.mutate(link, { onSuccess: ({ files: [file] }) => open(file) })
  }
  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    if (add.error || add.data) add.reset()
  }
  return {
    add,
    name,
    address,
    picks,
    setPicks,
    product,
    setProduct,
    submit,
    setName: change(setName),
    setAddress: change(setAddress),
    named: problems.at('filename') ?? (tried ? unnamed : undefined),
    addressed: problems.at('link_url') ?? (tried ? (wrong ?? undefined) : undefined),
  }
}

/** Goes to the page of the file, if there is one now. */
function open(file: AddedLink['files'][number] | undefined): void {
  if (!file?.file_id || file.status === 'failed') return
  toast(t('The link was added'))
  navigate(`/files/${file.file_id}`)
}

/** A whole product is named by its id, a variant by its SKU. */
const pickedBy = ({ product_id, variant_id, sku }: Product) => ({
  product_id,
  sku: variant_id === null ? null : sku,
})

/** The server took the request, and made no file: its name is taken, for example. */
function NotAdded({ added: { files, status } }: { added: AddedLink }) {
  const [file] = files
  if (status === 'processing')
    return <Banner tone="info" title={t('The link is being added. It will be in Files soon.')} />
  if (!file?.error) return null
  return (
    <Banner tone="critical" title={t('The link could not be added')}>
      <p>{[file.error.message, file.error.detail].filter(Boolean).join(': ')}</p>
    </Banner>
  )
}
