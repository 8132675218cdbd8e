// The search of a list, with a choice of its rows' status.
import { t } from '../messages/t.ts'
import { Box, InlineGrid, Select, TextField } from '../ui/index.ts'
import { PageSearch } from './page-search.tsx'
import { useDraft } from '../url-state/use-draft.ts'

interface Props<Status extends string> {
  /** `Search links`. */
  label: string
  placeholder: string
  value: { search: string; status: Status | '' }
  /** The statuses to choose from, each with its text. */
  statuses: readonly { value: Status; label: string }[]
  /** `replace`: without an entry in the browser's history. */
  go: (
    change: { search: string } | { status: Status | '' },
    options?: { replace?: boolean },
  ) => void
}

export function SearchAndStatus<Status extends string>(props: Props<Status>) {
  const { label, placeholder, value, statuses, go } = props
  const typed = useDraft(value.search, (text) => go({ search: text.trim() }, { replace: true }))
  return (
    <Box padding="300">
      <InlineGrid columns={{ xs: 1, md: '2fr 1fr' }} gap="300">
        <PageSearch>
          <TextField
            label={label}
            labelHidden
            placeholder={placeholder}
            clearButton
            maxLength={255}
            value={typed.text}
            onChange={typed.change}
            onClearButtonClick={typed.clear}
          />
        </PageSearch>
        <Select
          label={t('Status')}
          labelHidden
          options={[{ value: '', label: t('Any status') }, ...statuses]}
          value={value.status}
          onChange={(chosen) => go({ status: chosen as Status | '' })}
        />
      </InlineGrid>
    </Box>
  )
}
