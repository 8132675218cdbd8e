// One of the shop's packs, found by its name.
import { useState } from 'react'
import { type Pack, usePacks } from '../../../packs/calls.ts'
import { BlockStack, InlineError, Text, TextField } from '../../../../shell/ui/index.ts'
import { useDebounced } from '../../../../shell/url-state/use-debounced.ts'
import { LoadingRows } from '../../../../shell/components/lists.tsx'
import { Problem } from '../../../../shell/components/problem.tsx'
import { fieldId } from '../../../../shell/components/problems.ts'
import { type FieldProps } from '../field-props.ts'
import '../../../mapping/product-picker.css'
import { t } from '../../../../shell/messages/t.ts'

export function PackPicker({ value, onChange, path, problems }: FieldProps) {
  const [search, setSearch] = useState('')
  const packs = usePacks({ search: useDebounced(search.trim()), limit: 25 })
  const list = packs.data?.data
  const error = problems.within(path)
  return (
    <BlockStack gap="200">
      <TextField
        id={fieldId(path)}
        label={t('Search packs by name')}
        autoComplete="off"
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      {error && <InlineError message={error} fieldID={fieldId(path)} />}
      {packs.error && (
        <Problem
          error={packs.error}
          what={t('The packs could not be loaded')}
          onRetry={() => void packs.refetch()}
        />
      )}
      {packs.isPending && <LoadingRows rows={3} what={t('packs')} />}
      {list?.length === 0 && (
        <Text as="p" tone="subdued">
          {search.trim() === '' ? t('No pack yet: create one first.') : t('No pack matches')}
        </Text>
      )}
      <div role="radiogroup" aria-label={t('Packs')} className="product-choices">
        {list?.map((one) => (
          <label key={one.id} className={`candidate ${value === one.id ? 'chosen' : ''}`}>
            <input
              type="radio"
              name="pack"
              checked={value === one.id}
              onChange={() => onChange(one.id)}
            />
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
  return [t('{files, plural, one {# file} other {# files}}', { files }), titles.join(', ')]
    .filter((part) => part !== '')
    .join(' · ')
}
