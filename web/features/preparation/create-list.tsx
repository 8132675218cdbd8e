// The dialog that creates a list of licence keys, and the one that changes a list.
import { useState, useMemo } from 'react'
import { generateKey } from '../../../plugins/_page/key-pattern.ts'
import { toast } from '../../shell/client/bridge.ts'
import { useKnown } from '../../shell/client/edits.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  objectionsIn,
  problemsOf,
  fieldId,
  type Problems,
} from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { NumberField } from '../../shell/components/number-field.tsx'
import { BlockStack, Checkbox, ChoiceList, SmallPrint, TextField } from '../../shell/ui/index.ts'
import { type LicenceList, useChangeLicenceList, useCreateLicenceList } from './calls.ts'
import { bodyOf, draftOf, NEW_LIST, problemsOfDraft, type ListDraft } from './list-draft.ts'

export function CreateList({ onClose }: { onClose: (made: LicenceList | null) => void }) {
  const create = useCreateLicenceList()
  return (
    <ListDialog
      title={t('Create a list of licence keys')}
      action={t('Create')}
      failure={t('The list could not be created')}
      first={NEW_LIST}
      error={create.error}
      saving={create.isPending}
      onChange={() => create.error && create.reset()}
      onSave={(draft) => create.mutate(bodyOf(draft), { onSuccess: onClose })}
      onClose={() => onClose(null)}
    />
  )
}

export function EditList({ list, onClose }: { list: LicenceList; onClose: () => void }) {
  const edit = useChangeLicenceList(list.id, useKnown(list))
  return (
    <ListDialog
      exists
      title={t('Change {name}', { name: list.name })}
      action={t('Save')}
      failure={t('The list could not be changed')}
      first={draftOf(list)}
      error={edit.error}
      saving={edit.isPending}
      onChange={() => edit.error && edit.reset()}
      onSave={(draft) =>
        edit.mutate(bodyOf(draft), {
          onSuccess: () => {
            toast(t('List changed'))
            onClose()
          },
        })
      }
      onClose={onClose}
    />
  )
}

interface Props {
  exists?: boolean
  title: string
  action: string
  failure: string
  first: ListDraft
  error: Error | null
  saving: boolean
  onChange: () => void
  onSave: (draft: ListDraft) => void
  onClose: () => void
}

function ListDialog({ exists, title, action, failure, first, onClose, ...state }: Props) {
  const { error, saving, onChange, onSave } = state
  const [draft, setDraft] = useState(first)
  const [checked, setChecked] = useState(false)
  const own = problemsOfDraft(draft)
  const problems = problemsOf(checked ? own : [], objectionsIn(error))
  const submit = () => {
    setChecked(true)
    if (own.length === 0) onSave(draft)
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: action, onAction: submit, loading: saving }}
    >
      {error && problems.all.length === 0 && <Problem error={error} what={failure} />}
      <ListFields
        draft={draft}
        change={(part) => {
          setDraft({ ...draft, ...part })
          onChange()
        }}
        problems={problems}
        {...(exists ? { exists } : {})}
      />
    </Dialog>
  )
}

// The fields of a list of licence keys: its name, where its keys come from, and their terms.

const MAX_NAME = 100
const MAX_PATTERN = 100
const MAX_PREFIX = 20

interface ListFieldsProps {
  draft: ListDraft
  change: (part: Partial<ListDraft>) => void
  problems: Problems
  /** The list exists: the source of its keys cannot be changed. */
  exists?: boolean
}

function ListFields({ draft, change, problems, exists = false }: ListFieldsProps) {
  return (
    <BlockStack gap="400">
      <TextField
        id={fieldId('name')}
        label={t('Name')}
        helpText={t('You choose the list by it in a workflow. Buyers do not see it.')}
        placeholder={t('Editor, single seat')}
        maxLength={MAX_NAME}
        value={draft.name}
        error={problems.at('name')}
        onChange={(name) => change({ name })}
      />
      {!exists && (
        <ChoiceList
          title={t('Keys')}
          selected={[draft.keys]}
          onChange={([keys]) => change({ keys: keys as ListDraft['keys'] })}
          choices={[
            {
              value: 'own',
              label: t('I add my keys'),
              helpText: t('From your own software, or bought from a publisher.'),
            },
            {
              value: 'generated',
              label: t('Generate keys'),
              helpText: t('Each order gets new keys, so the list never runs out.'),
            },
          ]}
        />
      )}
      {draft.keys === 'generated' && (
        <PatternFields draft={draft} change={change} problems={problems} />
      )}
      <TermFields draft={draft} change={change} problems={problems} />
    </BlockStack>
  )
}

function TermFields({ draft, change, problems }: Omit<ListFieldsProps, 'exists'>) {
  return (
    <BlockStack gap="400">
      <NumberField
        id={fieldId('expiry_days')}
        label={t('Keys expire')}
        help={t('Counted from the day on which a buyer gets the key. Earlier keys stay unchanged.')}
        none={t('Never')}
        suffix={t('days')}
        start={365}
        value={draft.expiry_days}
        error={problems.at('expiry_days')}
        onChange={(expiry_days) => change({ expiry_days })}
      />
      <NumberField
        id={fieldId('activation_limit')}
        label={t('Activations of a key')}
        help={t('At how many devices or sites your software can be activated at one time.')}
        none={t('Unlimited')}
        start={3}
        value={draft.activation_limit}
        error={problems.at('activation_limit')}
        onChange={(activation_limit) => change({ activation_limit })}
      />
      <Checkbox
        label={t('Revoke keys of refunded and cancelled orders')}
        helpText={t('When the refund is reversed, the keys work again.')}
        checked={draft.revoke_on_refund}
        onChange={(revoke_on_refund) => change({ revoke_on_refund })}
      />
    </BlockStack>
  )
}

function PatternFields({ draft, change, problems }: Omit<ListFieldsProps, 'exists'>) {
  const { pattern, prefix, checksum } = draft
  const example = useMemo(
    () => generateKey({ pattern, prefix, checksum }),
    [pattern, prefix, checksum],
  )
  return (
    <BlockStack gap="400">
      <TextField
        id={fieldId('generate.prefix')}
        label={t('Prefix')}
        monospaced
        maxLength={MAX_PREFIX}
        value={prefix}
        error={problems.at('generate.prefix')}
        onChange={(text) => change({ prefix: text })}
      />
      <TextField
        id={fieldId('generate.pattern')}
        label={t('Pattern')}
        helpText={t(
          'X becomes a letter or digit, 9 a digit and A a letter, without those that are easily confused. All other characters stay.',
        )}
        monospaced
        maxLength={MAX_PATTERN}
        value={pattern}
        error={problems.at('generate.pattern')}
        onChange={(text) => change({ pattern: text })}
      />
      <Checkbox
        label={t('Add a check character')}
        helpText={t('Your software can find typing errors in a key without asking the server.')}
        checked={checksum}
        onChange={(checked) => change({ checksum: checked })}
      />
      <div role="status" aria-label={t('Example of a key')}>
        <BlockStack gap="050">
          <SmallPrint>{t('Example of a key')}</SmallPrint>
          <code className="long-text">{example}</code>
        </BlockStack>
      </div>
    </BlockStack>
  )
}
