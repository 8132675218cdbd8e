// Moves the chosen files into a pack, one that there is or a new one, or out of their packs.
import { useState } from 'react'
import { type Pack, usePacks } from '../../../client/packs.ts'
import { LoadingRows } from '../../../components/lists.tsx'
import { Problem } from '../../../components/problem.tsx'
import { useDebounced } from '../../../url-state/use-debounced.ts'
import { BlockStack, ChoiceList, InlineError, Text, TextField } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type Reading, useForm } from './use-form.ts'
import '../../../components/product-picker.css'

interface PackForm {
  where: 'pack' | 'new' | 'out'
  pack: Pack | null
  name: string
}

function readPack({ where, pack, name }: PackForm): Reading {
  if (where === 'out') return { options: { out: true } }
  if (where === 'pack') return pack ? { options: { pack: pack.id } } : { errors: { pack: 'Choose a pack' } }
  return name.trim() === '' ? { errors: { name: 'Give the pack a name' } } : { options: { new_pack: name.trim() } }
}

export function PackDialog(props: BulkProps) {
  const files = countText(props.chosen.count, 'file', 'files')
  const { form, change, errors, bulk } = useForm<PackForm>({
    initial: { where: 'pack', pack: null, name: '' },
    read: readPack,
    fields: { new_pack: 'name' },
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('move-to-pack')}
      title={`Move ${files} to a pack`}
      run={form.where === 'out' ? 'Take out of packs' : 'Move files'}
    >
      <ChoiceList
        title="Where to"
        selected={[form.where]}
        onChange={([where]) => change({ where: where as PackForm['where'] })}
        choices={[
          { value: 'pack', label: 'A pack that there is' },
          { value: 'new', label: 'A new pack' },
          { value: 'out', label: 'Out of their packs' },
        ]}
      />
      {form.where === 'pack' && <PackPicker pack={form.pack} error={errors.pack} onPick={(pack) => change({ pack })} />}
      {form.where === 'new' && (
        <TextField
          label="Name of the pack"
          autoComplete="off"
          autoFocus
          maxLength={200}
          value={form.name}
          error={errors.name}
          onChange={(name) => change({ name })}
        />
      )}
      <Text as="p" tone="subdued">
        {form.where === 'out'
          ? 'They lose the products that they have by their pack, and keep all others.'
          : 'They get the pack’s products, and lose those of the pack that they were in. A file is in one pack at a time.'}
      </Text>
    </BulkDialog>
  )
}

interface PickerProps {
  pack: Pack | null
  error: string | undefined
  onPick: (pack: Pack) => void
}

const FIELD = 'pack-search'

function PackPicker({ pack, error, onPick }: PickerProps) {
  const [search, setSearch] = useState('')
  const packs = usePacks({ search: useDebounced(search.trim()), limit: 25 })
  const list = packs.data?.data
  return (
    <BlockStack gap="200">
      <TextField
        id={FIELD}
        label="Search packs by name"
        autoComplete="off"
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      {error && <InlineError message={error} fieldID={FIELD} />}
      {packs.error && (
        <Problem error={packs.error} what="The packs could not be loaded" onRetry={() => void packs.refetch()} />
      )}
      {packs.isPending && <LoadingRows rows={3} what="packs" />}
      {list?.length === 0 && (
        <Text as="p" tone="subdued">
          {search.trim() === '' ? 'There is no pack yet: make a new one.' : 'No pack matches'}
        </Text>
      )}
      <div role="radiogroup" aria-label="Packs" className="product-choices">
        {list?.map((one) => (
          <label key={one.id} className={`candidate ${pack?.id === one.id ? 'chosen' : ''}`}>
            <input type="radio" name="pack" checked={pack?.id === one.id} onChange={() => onPick(one)} />
            <span className="candidate-text">
              <Text as="span" fontWeight="medium" breakWord>
                {one.name}
              </Text>
              <Text as="span" variant="bodySm" tone="subdued">
                {packText(one)}
              </Text>
            </span>
          </label>
        ))}
      </div>
    </BlockStack>
  )
}

function packText({ files, products }: Pack): string {
  const titles = [...new Set(products.map(({ product_title }) => product_title))]
  return [countText(files, 'file', 'files'), titles.join(', ')].filter((part) => part !== '').join(' · ')
}
