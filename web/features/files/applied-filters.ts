// The filters that are applied to the list of files: what each says, and how it is removed.
import { type FilterKey } from './filter-fields.tsx'
import { type FilterNames } from './filter-names.ts'
import { type FilesUrlState } from './url-state.ts'
import { type UrlState } from '../../shell/url-state/use-url-state.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { locationText } from '../../shell/labels/storage.ts'
import { typeText } from '../../shell/files/labels.ts'
import { dayText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

/** The filters in the order of their labels, each with the fields of the address that remove it. */
const WITHOUT: { [key in FilterKey]: Partial<FilesUrlState> } = {
  type: { type: [] },
  tags: { tags: [] },
  mapped: { mapped: null },
  product: { product: '' },
  pack: { pack: '' },
  size: { larger_than: null, smaller_than: null },
  date: { uploaded_after: '', uploaded_before: '' },
  age: { older_than_days: null },
  downloaded: { not_downloaded_for_days: null },
  storage: { storage: '' },
  backed_up: { backed_up: null },
  released: { released: null },
  connection: { connection: '' },
  drop_account: { drop_account: '' },
  licence_list: { licence_list: '' },
  contains: { contains: '' },
}

/** What each filter says; null: it is not applied. */
function filterTexts(
  state: FilesUrlState,
  names: FilterNames,
): { [key in FilterKey]: string | null } {
  const { type, tags, older_than_days: age, not_downloaded_for_days: idle } = state
  const named = (key: keyof FilterNames, text: string) => (state[key] === '' ? null : text)
  const { product, pack, connection, drop_account: account, licence_list: list } = names
  return {
    type: type.length === 0 ? null : t('Type: {list}', { list: type.map(typeText).join(', ') }),
    tags: tags.length === 0 ? null : t('Tags: {list}', { list: tags.join(', ') }),
    mapped: eitherText(state.mapped, t('Mapped to a product'), t('Not mapped')),
    product: named('product', t('Product: {product}', { product })),
    pack: named('pack', t('Pack: {pack}', { pack })),
    size: sizeRange(state.larger_than, state.smaller_than),
    date: dateRange(state.uploaded_after, state.uploaded_before),
    age:
      age === null
        ? null
        : t('Uploaded more than {days, plural, one {# day} other {# days}} ago', { days: age }),
    downloaded:
      idle === null
        ? null
        : t('Not downloaded for {days, plural, one {# day} other {# days}}', { days: idle }),
    storage: state.storage === '' ? null : locationText(state.storage),
    backed_up: eitherText(state.backed_up, t('Backed up'), t('Never backed up')),
    released: eitherText(state.released, t('Released'), t('Not released yet')),
    connection: named('connection', t('Cloud connection: {connection}', { connection })),
    drop_account: named('drop_account', t('Drop account: {account}', { account })),
    licence_list: named('licence_list', t('Licence keys of {list}', { list })),
    contains: state.contains === '' ? null : t('Name contains “{text}”', { text: state.contains }),
  }
}

const eitherText = (value: boolean | null, yes: string, no: string): string | null =>
  value === null ? null : value ? yes : no

export function appliedFilters(
  state: FilesUrlState,
  go: UrlState<FilesUrlState>['go'],
  names: FilterNames,
): { key: string; label: string; onRemove: () => void }[] {
  const texts = filterTexts(state, names)
  return (Object.keys(WITHOUT) as FilterKey[]).flatMap((key) => {
    const label = texts[key]
    return label === null ? [] : [{ key, label, onRemove: () => go(WITHOUT[key]) }]
  })
}

function sizeRange(over: number | null, under: number | null): string | null {
  const sizes = { over: sizeText(over ?? 0), under: sizeText(under ?? 0) }
  if (over !== null && under !== null) return t('Size over {over}, under {under}', sizes)
  if (over !== null) return t('Size over {over}', sizes)
  return under === null ? null : t('Size under {under}', sizes)
}

function dateRange(after: string, before: string): string | null {
  const days = { after: dayText(after), before: dayText(before) }
  if (after !== '' && before !== '') return t('Uploaded after {after}, before {before}', days)
  if (after !== '') return t('Uploaded after {after}', days)
  return before === '' ? null : t('Uploaded before {before}', days)
}
