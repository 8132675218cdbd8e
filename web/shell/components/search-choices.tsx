// One of many records, found by a search and chosen from a list of radio buttons.
import { type ComponentProps, type ReactNode } from 'react'
import { BlockStack, Hint, InlineError, Text, TextField } from '../ui/index.ts'
import './choices.css'
import { LoadingRows } from './lists.tsx'
import { LoadProblem } from './load-problem.tsx'

interface Props<Row> {
  query: ComponentProps<typeof LoadProblem>['query'] & {
    data: { data: readonly Row[] } | undefined
    isPending: boolean
  }
  /** The field of the search. */
  label: string
  id?: string
  autoFocus?: boolean
  search: string
  onSearch: (search: string) => void
  /** The problem of the choice. */
  error?: string | undefined
  /** The name of the list. */
  title: string
  /** What is loaded: `packs`. */
  what: string
  /** If they could not be loaded. */
  failed: string
  /** If none is found. */
  none: string
  /** Between the search and the list. */
  between?: ReactNode
  choice: (row: Row) => ReactNode
}

export function SearchChoices<Row>(props: Props<Row>) {
  const { query, label, id, autoFocus, search, onSearch, error } = props
  const list = query.data?.data
  return (
    <BlockStack gap="200">
      <TextField
        id={id}
        label={label}
        autoFocus={autoFocus}
        clearButton
        onClearButtonClick={() => onSearch('')}
        value={search}
        onChange={onSearch}
      />
      {error && id && <InlineError message={error} fieldID={id} />}
      {props.between}
      <LoadProblem query={query} what={props.failed} />
      {query.isPending && <LoadingRows rows={3} what={props.what} />}
      {list?.length === 0 && <Hint>{props.none}</Hint>}
      <div role="radiogroup" aria-label={props.title} className="product-choices">
        {list?.map(props.choice)}
      </div>
    </BlockStack>
  )
}

interface ChoiceProps {
  /** Radio buttons of one name are one choice. */
  name: string
  checked: boolean
  onChoose: () => void
  picture?: ReactNode
  title: string
  /** Below the title. */
  detail: ReactNode
  strong?: boolean
  /** It belongs to the choice above it. */
  indented?: boolean
}

/** One choice of a list. */
export function RadioChoice({ name, checked, onChoose, picture, title, ...shown }: ChoiceProps) {
  const { detail, strong = false, indented = false } = shown
  return (
    <label className={`candidate ${indented ? 'variant' : ''} ${checked ? 'chosen' : ''}`}>
      <input type="radio" name={name} checked={checked} onChange={onChoose} />
      {picture}
      <span className="candidate-text">
        <Text as="span" {...(strong ? { fontWeight: 'medium' } : {})} breakWord>
          {title}
        </Text>
        {detail}
      </span>
    </label>
  )
}
