// The fields of a list of licence keys: its name, where its keys come from, and their terms.
import { useMemo } from 'react'
import { generateKey } from '../../../plugins/_page/key-pattern.ts'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Checkbox, ChoiceList, SmallPrint, TextField } from '../../shell/ui/index.ts'
import { type ListDraft } from './list-draft.ts'

const MAX_NAME = 100
const MAX_PATTERN = 100
const MAX_PREFIX = 20

interface Props {
  draft: ListDraft
  change: (part: Partial<ListDraft>) => void
  problems: Problems
  /** The list exists: the source of its keys cannot be changed. */
  exists?: boolean
}

export function ListFields({ draft, change, problems, exists = false }: Props) {
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

function TermFields({ draft, change, problems }: Omit<Props, 'exists'>) {
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

function PatternFields({ draft, change, problems }: Omit<Props, 'exists'>) {
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
