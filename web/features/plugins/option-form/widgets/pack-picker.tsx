// One of the shop's packs, found by its name.
import { useState } from 'react'
import { usePacks } from '../../../../shell/client/queries.ts'
import { type Schemas } from '../../../../shell/client/types.ts'
import { SmallPrint } from '../../../../shell/ui/index.ts'
import { useDebounced } from '../../../../shell/url-state/use-debounced.ts'
import { fieldId } from '../../../../shell/components/problems.ts'
import { RadioChoice, SearchChoices } from '../../../../shell/components/search-choices.tsx'
import { type FieldProps } from '../field-props.ts'
import { t } from '../../../../shell/messages/t.ts'

export function PackPicker({ value, onChange, path, problems }: FieldProps) {
  const [search, setSearch] = useState('')
  const packs = usePacks({ search: useDebounced(search.trim()), limit: 25 })
  return (
    <SearchChoices
      query={packs}
      search={search}
      id={fieldId(path)}
      error={problems.within(path)}
      label={t('Search packs by name')}
      onSearch={setSearch}
      title={t('Packs')}
      what={t('packs')}
      failed={t('The packs could not be loaded')}
      none={search.trim() === '' ? t('No pack yet: create one first.') : t('No pack matches')}
      choice={(pack) => (
        <RadioChoice
          key={pack.id}
          name="pack"
          checked={value === pack.id}
          onChoose={() => onChange(pack.id)}
          title={pack.name}
          strong
          detail={<SmallPrint>{packText(pack)}</SmallPrint>}
        />
      )}
    />
  )
}

function packText({ files, products }: Schemas['Pack']): string {
  const titles = [...new Set(products.map(({ product_title }) => product_title))]
  return [t('{files, plural, one {# file} other {# files}}', { files }), titles.join(', ')]
    .filter((part) => part !== '')
    .join(' · ')
}
