// Adds a link as a file: a course, a form or another shop, whose buyers are sent there.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { linkText } from '../../shell/files/link-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Checkbox, TextField } from '../../shell/ui/index.ts'
import { ProductPicker } from '../mapping/product-picker.tsx'
import { type AddedLink, useAddLink } from './link-calls.ts'

type Product = Parameters<Parameters<typeof ProductPicker>[0]['onChoose']>[0]

export function LinkDialog({ onClose }: { onClose: () => void }) {
  const add = useAddLink()
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [picks, setPicks] = useState(false)
  const [product, setProduct] = useState<Product | null>(null)
  const [tried, setTried] = useState(false)
  const problems = problemsOf(objectionsIn(add.error))
  const wrong = linkText(address.trim())
  const why = name.trim() === '' ? t('Enter a name first.') : null
  const submit = () => {
    setTried(true)
    if (why !== null || wrong !== null || add.isPending) return
    add.mutate(
      {
        filename: name.trim(),
        link_url: address.trim(),
        product: picks ? product && pickedBy(product) : null,
      },
      {
        onSuccess: ({ files }) => {
          const [added] = files
          if (!added?.file_id || added.status === 'failed') return
          toast(t('The link was added'))
          navigate(`/files/${added.file_id}`)
        },
      },
    )
  }
  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    if (add.error || add.data) add.reset()
  }
  const named = problems.at('filename')
  const addressed = problems.at('link_url')
  return (
    <Dialog
      title={t('Add a web link')}
      onClose={onClose}
      onEnter={submit}
      why={why}
      primaryAction={{ content: t('Add link'), loading: add.isPending, onAction: submit }}
    >
      {add.error && !named && !addressed && (
        <Problem error={add.error} what={t('The link could not be added')} />
      )}
      {add.data && <NotAdded added={add.data} />}
      <TextField
        label={t('Name')}
        helpText={t('Buyers see it without the ending .url, which the file gets.')}
        placeholder={t('Lino printing course')}
        autoFocus
        value={name}
        error={named}
        onChange={change(setName)}
      />
      <TextField
        label={t('Address')}
        type="url"
        helpText={t('Only buyers who may use the link are sent there, and each time is counted.')}
        placeholder="https://courses.example.com/lino"
        value={address}
        error={addressed ?? (tried ? (wrong ?? undefined) : undefined)}
        onChange={change(setAddress)}
      />
      <BlockStack gap="300">
        <Checkbox
          label={t('Choose the product that buyers buy')}
          helpText={t('Otherwise it is found by the name, if the shop maps files automatically.')}
          checked={picks}
          onChange={setPicks}
        />
        {picks && <ProductPicker choice={product} onChoose={setProduct} />}
      </BlockStack>
    </Dialog>
  )
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
