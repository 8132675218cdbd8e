// Rows of a group as a table whose cells are edited in place: Enter edits and saves, Escape gives up,
// Tab saves and moves on.
import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import { Box, Button, InlineStack } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { CSV_FIELDS, type CsvField, type CsvUpload } from './calls.ts'
import {
  type CsvRow,
  type ProblemGroup,
  shownFields,
  useChangeRows,
  useCsvRows,
} from './correction-calls.ts'
import { CSV_FIELDS_TEXT } from './labels.ts'

export function EditableRows({ upload, group }: { upload: CsvUpload; group: ProblemGroup }) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useCsvRows(upload.id, { group: group.id })
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const fields = shownFields(upload, CSV_FIELDS, group.field)
  if (isPending) return <LoadingRows rows={3} what={t('rows')} />
  return (
    <>
      {error && (
        <Box padding="400">
          <Problem
            error={error}
            stale={rows.length > 0}
            what={t('The rows could not be loaded')}
            onRetry={() => void refetch()}
          />
        </Box>
      )}
      {rows.length > 0 && (
        <div
          className="sheet"
          role="region"
          aria-label={t('Rows with the problem {problem}', { problem: messageText(group) })}
        >
          <table>
            <thead>
              <tr>
                <th scope="col">{t('Row')}</th>
                {fields.map((field, at) => (
                  <Fragment key={field}>
                    {at === actionAt(fields) && <th scope="col">{t('Action')}</th>}
                    <th scope="col">
                      {CSV_FIELDS_TEXT[field].label}
                      <span className="from">{upload.mapping[field]}</span>
                    </th>
                  </Fragment>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <EditableRow key={row.row} upload={upload} row={row} fields={fields} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasNextPage && (
        <Box padding="400">
          <InlineStack>
            <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('Show more rows')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </>
  )
}

/**
 * The action is after the cell with the problem: that cell gets the focus when the row before
 * disappears, and the action is visible on narrow screens.
 */
const actionAt = (fields: readonly CsvField[]): number => Math.min(1, fields.length - 1)

interface RowProps {
  upload: CsvUpload
  row: CsvRow
  fields: readonly CsvField[]
}

function EditableRow({ upload, row, fields }: RowProps) {
  const change = useChangeRows(upload.id)
  const { row: number, left_out, values, original } = row
  const action = (
    <td>
      {change.error && !change.variables?.[0]?.values && (
        <span className="objection error" role="alert">
          {change.error.message}
        </span>
      )}
      <Button
        variant="plain"
        disabled={change.isPending}
        accessibilityLabel={
          left_out
            ? t('Put back row {row}', { row: number })
            : t('Leave out row {row}', { row: number })
        }
        onClick={() => change.mutate([{ row: number, left_out: !left_out }])}
      >
        {left_out ? t('Put back') : t('Leave out')}
      </Button>
    </td>
  )
  return (
    <tr>
      <td>
        {number}
        <Objections row={row} column={null} />
      </td>
      {fields.map((field, at) => (
        <Fragment key={field}>
          {at === actionAt(fields) && action}
          <td data-wrong={row.problems.some(({ column }) => column === upload.mapping[field])}>
            <EditableCell
              label={t('{field}, row {row}', { field: CSV_FIELDS_TEXT[field].label, row: number })}
              value={values[field] ?? ''}
              original={original[field] ?? ''}
              disabled={left_out}
              describedBy={`problems-${number}-${field}`}
              save={async (text) => {
                await change.mutateAsync([{ row: number, values: { [field]: text } }])
              }}
            />
            <span id={`problems-${number}-${field}`}>
              <Objections row={row} column={upload.mapping[field]} />
            </span>
            <MeantValue
              row={row}
              column={upload.mapping[field]}
              disabled={left_out || change.isPending}
              onChoose={(text) => change.mutate([{ row: number, values: { [field]: text } }])}
            />
          </td>
        </Fragment>
      ))}
    </tr>
  )
}

/** The problems of a cell, or of the row if no column is named. */
const Objections = ({ row, column }: { row: CsvRow; column: string | null }) =>
  row.problems
    .filter((problem) => problem.column === column)
    .map((problem) => (
      <span key={problem.code} className={`objection ${problem.severity}`}>
        {[messageText(problem), detailText(problem)].filter(Boolean).join(': ')}
      </span>
    ))

interface MeantProps {
  row: CsvRow
  column: string | null
  disabled: boolean
  onChoose: (text: string) => void
}

/** Offers what the text of a cell is a typing error of. */
function MeantValue({ row, column, disabled, onChoose }: MeantProps) {
  const meant = row.problems.find((problem) => problem.column === column && problem.did_you_mean)
  if (!meant?.did_you_mean) return null
  const { did_you_mean: text } = meant
  return (
    <Button
      variant="plain"
      disabled={disabled}
      accessibilityLabel={t('Did you mean {text}? Use it in row {row}', { text, row: row.row })}
      onClick={() => onChoose(text)}
    >
      {t('Did you mean {text}?', { text })}
    </Button>
  )
}

// A cell that is edited in place.

interface Props {
  /** `File URL, row 12` */
  label: string
  value: string
  /** The text of the file. */
  original: string
  disabled: boolean
  /** The id of the element with the problems of the cell. */
  describedBy: string
  /** Rejects with the reason why the text was not stored. */
  save: (text: string) => Promise<void>
}

function EditableCell({ label, value, original, disabled, describedBy, save }: Props) {
  const { button, draft, setDraft, error, saving, finish, press } = useCellDraft(value, save)
  const corrected = value !== original
  if (draft === null)
    return (
      <button
        ref={button}
        type="button"
        className={`editable ${corrected ? 'corrected' : ''}`}
        disabled={disabled}
        title={corrected ? t('Before: {text}', { text: original || '–' }) : value}
        aria-label={t('{label}: {text}', { label, text: value || t('empty') })}
        aria-describedby={describedBy}
        onClick={() => setDraft(value)}
      >
        {value || '–'}
      </button>
    )
  return (
    <>
      <input
        className="cell-input"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={error !== null}
        autoFocus
        readOnly={saving}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={press}
        onBlur={() => finish(false)}
      />
      {error !== null && (
        <span className="objection error" role="alert">
          {error}
        </span>
      )}
    </>
  )
}

/** The button of the next cell with a problem, of this row or of a later one; null: none follows. */
function nextWrongCell(input: Element): HTMLElement | null {
  const cells = [...(input.closest('.sheet')?.querySelectorAll('td[data-wrong="true"]') ?? [])]
  const found = cells.find(
    (cell) => input.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  return found?.querySelector<HTMLElement>('.editable:not(:disabled)') ?? null
}

/** The text while it is edited; null: it is not edited. */
function useCellDraft(value: string, save: Props['save']) {
  const [draft, setDraft] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [saving, setSaving] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // Escape returns to the cell, and Enter goes to the next one with a problem; Tab and a click
  // elsewhere do neither.
  const returning = useRef(false)
  const next = useRef<HTMLElement | null>(null)
  useEffect(() => {
    // Unless the person has gone to another element while the text was saved.
    const free = document.activeElement === document.body
    const cell = next.current?.isConnected ? next.current : button.current
    if (draft === null && returning.current && free) cell?.focus()
    returning.current = false
    next.current = null
  }, [draft])
  const close = (back: boolean) => {
    returning.current = back
    setError(null)
    setDraft(null)
  }
  const finish = (back: boolean) => {
    if (draft === null || saving) return
    if (draft.trim() === value) return close(back)
    setSaving(true)
    save(draft.trim())
      .then(() => close(back))
      .catch((failure: unknown) => setError((failure as Error).message))
      .finally(() => setSaving(false))
  }
  const press = (event: KeyboardEvent) => {
    // Enter of an input method chooses characters.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      // Found before saving, which may remove the row.
      next.current = nextWrongCell(event.currentTarget)
      finish(true)
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      next.current = null
      close(true)
    }
  }
  return { button, draft, setDraft, error, saving, finish, press }
}
