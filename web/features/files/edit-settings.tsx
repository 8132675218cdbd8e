// Changes the settings of one file. What was not changed is not sent, so that it stays as others
// have set it meanwhile.
import { useId, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { NumberField, type NumberValue } from '../../shell/components/number-field.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  clearing,
  objectionsIn,
  problemsOf,
  type Problems,
} from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { VIEWS, viewText } from '../../shell/files/view-labels.ts'
import { visibilityText } from '../../shell/files/labels.ts'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Checkbox, Select, TextField } from '../../shell/ui/index.ts'
import { type FileChange, useChangeFile } from './version-calls.ts'

type Draft = Omit<FileChange, 'filename' | 'tags' | 'pack_id'>
type Change = (part: Draft) => void

interface FieldsProps {
  /** The file as it will be. */
  value: FileDetail
  problems: Problems
  onChange: Change
}

export function EditSettings({ file, onClose }: { file: FileDetail; onClose: () => void }) {
  const change = useChangeFile(file.id, useKnown(file))
  const [draft, setDraft] = useState<Draft>({})
  const [open, setOpen] = useState(false)
  const rare = useId()
  const problems = problemsOf(objectionsIn(change.error))
  const edit: Change = clearing(change, (part) => setDraft((before) => ({ ...before, ...part })))
  const submit = () => {
    const changed = changedFields<Draft>(file, draft)
    if (Object.keys(changed).length === 0) return onClose()
    change.mutate(changed, {
      onSuccess: () => {
        toast(t('Settings saved'))
        onClose()
      },
    })
  }
  const fields = { value: { ...file, ...draft }, problems, onChange: edit }
  const isHiddenProblem = problems.all.some(
    ({ param }) => !COMMON.has(param.split(/[.[]/)[0] ?? ''),
  )
  const isOpen = open || isHiddenProblem
  return (
    <Dialog
      title={t('Settings of {filename}', { filename: file.filename })}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Save'), onAction: submit, loading: change.isPending }}
    >
      {change.error && problems.all.length === 0 && (
        <Problem error={change.error} what={t('The settings could not be changed')} />
      )}
      <CommonFields {...fields} />
      <div>
        <Button
          variant="plain"
          ariaExpanded={isOpen}
          ariaControls={rare}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? t('Fewer settings') : t('More settings')}
        </Button>
      </div>
      <div id={rare} hidden={!isOpen}>
        <BlockStack gap="400">
          <AvailabilityFields {...fields} />
          <OtherFields {...fields} />
        </BlockStack>
      </div>
    </Dialog>
  )
}

const COMMON: ReadonlySet<string> = new Set([
  'download_limit',
  'expiry_days',
  'visibility',
  'view',
  'buyer_text',
])

/** A text that is no number is sent as it is, so that the server says what is wrong. */
const sent = (value: NumberValue): number | null => (value === undefined ? '' : value) as number

const CommonFields = ({ value, problems, onChange }: FieldsProps) => (
  <>
    <NumberField
      label={t('Buyers can download it')}
      none={t('as often as they like')}
      suffix={t('times')}
      start={5}
      value={value.download_limit}
      error={problems.at('download_limit')}
      onChange={(next) => onChange({ download_limit: sent(next) })}
    />
    <NumberField
      label={t('Their link works')}
      none={t('for ever')}
      suffix={t('days')}
      start={60}
      value={value.expiry_days}
      error={problems.at('expiry_days')}
      onChange={(next) => onChange({ expiry_days: sent(next) })}
    />
    <Select
      label={t('In the browser')}
      options={VIEWS.map((view) => ({ value: view, label: viewText(view) }))}
      value={value.view}
      error={problems.at('view')}
      onChange={(view) => onChange({ view: view as FileDetail['view'] })}
    />
    <Select
      label={t('Visibility')}
      options={(['private', 'public'] as const).map((one) => ({
        value: one,
        label: visibilityText(one),
      }))}
      value={value.visibility}
      error={problems.at('visibility')}
      onChange={(one) => onChange({ visibility: one as FileDetail['visibility'] })}
    />
    <TextField
      label={t('Text for buyers')}
      helpText={t(
        'Instructions or thanks, beside the file on the buyer’s page and in the mail about the order.',
      )}
      multiline={3}
      maxLength={1000}
      value={value.buyer_text ?? ''}
      error={problems.at('buyer_text')}
      onChange={(text) => onChange({ buyer_text: text === '' ? null : text })}
    />
  </>
)

const AvailabilityFields = ({ value, problems, onChange }: FieldsProps) => (
  <>
    <TextField
      label={t('Buyers get it from')}
      type="date"
      value={value.available_from ?? ''}
      error={problems.at('available_from')}
      onChange={(day) => onChange({ available_from: day === '' ? null : day })}
    />
    <NumberField
      label={t('Buyers get it after the purchase')}
      none={t('immediately')}
      suffix={t('days')}
      start={7}
      value={value.available_after_days}
      error={problems.at('available_after_days')}
      onChange={(next) => onChange({ available_after_days: sent(next) })}
    />
    <NumberField
      label={t('A link ends after its first use')}
      none={t('never')}
      suffix={t('hours')}
      start={48}
      value={value.first_use_hours}
      error={problems.at('first_use_hours')}
      onChange={(next) => onChange({ first_use_hours: sent(next) })}
    />
    <TextField
      label={t('Only customers with the tag')}
      placeholder={t('All buyers')}
      value={value.customer_tag ?? ''}
      error={problems.at('customer_tag')}
      onChange={(tag) => onChange({ customer_tag: tag === '' ? null : tag })}
    />
    {value.view !== 'download' && (
      <>
        <NumberField
          label={t('Buyers can view it')}
          none={t('as often as they like')}
          suffix={t('times')}
          start={5}
          value={value.view_limit}
          error={problems.at('view_limit')}
          onChange={(next) => onChange({ view_limit: sent(next) })}
        />
        <NumberField
          label={t('Views end')}
          none={t('with the link')}
          suffix={t('days')}
          start={60}
          value={value.view_days}
          error={problems.at('view_days')}
          onChange={(next) => onChange({ view_days: sent(next) })}
        />
      </>
    )}
  </>
)

const OtherFields = ({ value, problems, onChange }: FieldsProps) => (
  <>
    <Select
      label={t('Asked before a download')}
      options={[
        { value: '', label: t('Nothing') },
        { value: 'email', label: t('The buyer’s email address') },
        { value: 'password', label: t('A password') },
      ]}
      value={value.ask_for ?? ''}
      error={problems.at('ask_for')}
      onChange={(asked) =>
        onChange({ ask_for: asked === '' ? null : (asked as 'email' | 'password') })
      }
    />
    {value.ask_for === 'password' && (
      <TextField
        label={t('Password')}
        placeholder={t('Unchanged')}
        value={(value as Draft).password ?? ''}
        error={problems.at('password')}
        onChange={(password) => onChange({ password })}
      />
    )}
    <WordsField
      label={t('Sites that may link to it')}
      value={value.allowed_referrers}
      error={problems.within('allowed_referrers')}
      suggestions={[]}
      onChange={(sites) => onChange({ allowed_referrers: [...sites] })}
    />
    <Checkbox
      label={t('Tell me about each download')}
      checked={value.download_notification}
      onChange={(on) => onChange({ download_notification: on })}
    />
    <Checkbox
      label={t('Record the time and address of downloads')}
      checked={value.download_tracking}
      onChange={(on) => onChange({ download_tracking: on })}
    />
    <Checkbox
      label={t('Deliver it through the CDN')}
      checked={value.cdn}
      onChange={(on) => onChange({ cdn: on })}
    />
  </>
)
