// Renames the selected files; shows the new names while the pattern is edited.
import { useRef } from 'react'
import { useDebounced } from '../../../shell/url-state/use-debounced.ts'
import { Checkbox, Select, Tabs, TextField, BlockStack, Text } from '../../../shell/ui/index.ts'
import { t } from '../../../shell/messages/t.ts'
import { messageText } from '../../../shell/messages/server-text.ts'
import { RENAMES_SHOWN, useRenamePreview, type RenamePreview } from '../rename-calls.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { EntryProps } from './entry-props.ts'
import {
  DATE_FORMATS,
  EMPTY_RENAME,
  mayLack,
  readRename,
  type RenameForm,
  VARIABLES,
} from './rename-form.ts'
import { type Errors, problemsByField, useForm } from './use-form.ts'
import './new-names.css'

const FIELDS = new Set(Object.keys(EMPTY_RENAME))
const MODES = ['pattern', 'replace'] as const
const TABS = [
  { id: 'rename-pattern', content: t('By a pattern') },
  { id: 'rename-replace', content: t('Find and replace') },
]

export function RenameDialog({ entry, ...props }: EntryProps) {
  const { form, change, options, bulk, ...own } = useForm<RenameForm>({
    initial: EMPTY_RENAME,
    read: readRename,
  })
  const look = useRenamePreview(props.chosen.select, useDebounced(options))
  // The server reports an invalid expression while it is edited.
  const found = look.error ? problemsByField(look.error, {}, FIELDS) : { errors: {}, other: null }
  const errors = { ...found.errors, ...own.errors }
  const texts = textsOf(entry, props.chosen, options ?? {})
  return (
    <BulkDialog
      {...props}
      {...bulk(entry.plugin.id)}
      title={texts.title}
      run={texts.button}
      preview={props.chosen.count > RENAMES_SHOWN ? 'required' : 'offered'}
      size="large"
    >
      <Tabs
        tabs={TABS}
        selected={MODES.indexOf(form.mode)}
        onSelect={(at) => change({ mode: MODES[at]! })}
        fitted
        disclosureText={t('More')}
      />
      {form.mode === 'pattern' ? (
        <PatternFields form={form} errors={errors} onChange={change} />
      ) : (
        <ReplaceFields form={form} errors={errors} onChange={change} />
      )}
      <Checkbox
        label={t('Keep each file’s extension')}
        helpText={t('The part after the last dot does not change.')}
        checked={form.keep_extension}
        onChange={(keep_extension) => change({ keep_extension })}
      />
      <NewNames
        names={look.data}
        stale={look.isPlaceholderData || options === null}
        error={found.other}
      />
    </BulkDialog>
  )
}

interface FieldsProps {
  form: RenameForm
  errors: Errors
  onChange: (part: Partial<RenameForm>) => void
}

const PATTERN = 'rename-pattern-field'

/** A variable is inserted where the cursor was. */
function PatternField({ form, errors, onChange }: FieldsProps) {
  const cursor = useRef<number | null>(null)
  const insert = (variable: string) => {
    const at = cursor.current ?? form.pattern.length
    onChange({ pattern: form.pattern.slice(0, at) + variable + form.pattern.slice(at) })
    cursor.current = at + variable.length
    document.getElementById(PATTERN)?.focus()
  }
  const noteCursor = () => {
    const field = document.getElementById(PATTERN)
    if (field instanceof HTMLInputElement) cursor.current = field.selectionStart
  }
  return (
    <div onBlurCapture={noteCursor}>
      <TextField
        id={PATTERN}
        label={t('Pattern')}
        autoFocus
        maxLength={250}
        value={form.pattern}
        error={errors.pattern}
        onChange={(pattern) => onChange({ pattern })}
      />
      <div className="suggestions" role="group" aria-label={t('Variables')}>
        {Object.entries(VARIABLES).map(([variable, meaning]) => (
          <button key={variable} type="button" title={meaning} onClick={() => insert(variable)}>
            + {variable}
          </button>
        ))}
      </div>
    </div>
  )
}

const NUMBER = { type: 'number', inputMode: 'numeric', autoComplete: 'off' } as const

const SequenceFields = ({ form, errors, onChange }: FieldsProps) => (
  <div className="pairs">
    <TextField
      {...NUMBER}
      label={t('First number')}
      min={0}
      value={form.start}
      error={errors.start}
      onChange={(start) => onChange({ start })}
    />
    <TextField
      {...NUMBER}
      label={t('Minimum digits')}
      min={1}
      max={9}
      value={form.digits}
      error={errors.digits}
      onChange={(digits) => onChange({ digits })}
    />
  </div>
)

function PatternFields({ form, errors, onChange }: FieldsProps) {
  const uses = (variable: string) => form.pattern.includes(variable)
  return (
    <>
      <PatternField form={form} errors={errors} onChange={onChange} />
      {uses('{sequence}') && <SequenceFields form={form} errors={errors} onChange={onChange} />}
      {uses('{date}') && (
        <Select
          label={t('Date format')}
          options={DATE_FORMATS}
          value={form.date_format}
          onChange={(date_format) => onChange({ date_format })}
        />
      )}
      {mayLack(form.pattern) && (
        <Select
          label={t('If a file lacks a value')}
          options={[
            { label: t('Skip the file'), value: 'skip' },
            { label: t('Leave the variable out, with its separator'), value: 'omit' },
          ]}
          value={form.missing}
          onChange={(missing) => onChange({ missing: missing === 'omit' ? missing : 'skip' })}
        />
      )}
    </>
  )
}

function ReplaceFields({ form, errors, onChange }: FieldsProps) {
  return (
    <>
      <div className="pairs">
        <TextField
          label={t('Find')}
          autoFocus
          monospaced={form.regex}
          value={form.find}
          error={errors.find}
          onChange={(find) => onChange({ find })}
        />
        <TextField
          label={t('Replace with')}
          placeholder={t('Nothing')}
          monospaced={form.regex}
          helpText={form.regex ? t('$1 is the text that the first brackets found.') : undefined}
          value={form.replace}
          error={errors.replace}
          onChange={(replace) => onChange({ replace })}
        />
      </div>
      <div className="pairs">
        <Checkbox
          label={t('Case sensitive')}
          checked={form.case_sensitive}
          onChange={(case_sensitive) => onChange({ case_sensitive })}
        />
        <Checkbox
          label={t('Regular expression')}
          checked={form.regex}
          onChange={(regex) => onChange({ regex })}
        />
      </div>
    </>
  )
}

// The new names of the first files, each with its conflict.

interface Props {
  /** undefined: not loaded yet. */
  names: RenamePreview | undefined
  /** The names belong to earlier values of the form. */
  stale: boolean
  error: Error | null
}

function NewNames({ names, stale, error }: Props) {
  if (error)
    return (
      <Text as="p" tone="critical">
        {t('The new names could not be looked up: {message}', { message: error.message })}
      </Text>
    )
  if (!names) return null
  const broken = names.data.filter(({ problem }) => problem !== null).length
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t('New names')}
      </Text>
      <table className={stale ? 'new-names stale' : 'new-names'}>
        <thead>
          <tr>
            <th scope="col">{t('Now')}</th>
            <th scope="col">{t('Then')}</th>
          </tr>
        </thead>
        <tbody>
          {names.data.map(({ file_id, before, after, problem, problem_text }) => (
            <tr key={file_id}>
              <td>{before}</td>
              <td>
                {after === before ? <span className="same">{t('Does not change')}</span> : after}
                {problem !== null && (
                  <Text as="p" tone="critical" variant="bodySm">
                    {messageText({ message: problem, message_text: problem_text })}
                  </Text>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Text as="p" tone={broken > 0 ? 'critical' : 'subdued'} variant="bodySm">
        <span role="status">{lineOf(names, broken)}</span>
      </Text>
    </BlockStack>
  )
}

function lineOf({ data, total }: RenamePreview, broken: number): string {
  const shown = data.length
  const wrong =
    broken === 0
      ? ''
      : t(
          '{broken, plural, one {# of these keeps its name} other {# of these keep their names}}.',
          { broken },
        )
  const more =
    total > shown
      ? t('The first {shown, number} of {total, plural, one {# file} other {# files}}.', {
          shown,
          total,
        })
      : ''
  return [wrong, more].filter((part) => part !== '').join(' ')
}
