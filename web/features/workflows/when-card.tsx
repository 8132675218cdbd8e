// When a workflow runs: its triggers as sentences, each with its form.
import { useState } from 'react'
import { type Trigger } from '../../shell/client/workflows.ts'
import {
  ActionList,
  BlockStack,
  Button,
  Card,
  Checkbox,
  ChevronDownIcon,
  ChevronUpIcon,
  DeleteIcon,
  Heading,
  Hint,
  InlineStack,
  PlusIcon,
  Popover,
  Text,
} from '../../shell/ui/index.ts'
import { SaveFirst } from '../../shell/components/save-first.tsx'
import { t } from '../../shell/messages/t.ts'
import { fittingTriggers, newTrigger, type TriggerDraft, type WorkflowDraft } from './draft.ts'
import { TriggerForm } from './trigger-form.tsx'
import { useSourceNames } from './use-source-names.ts'
import { addTimes, Times, useTimes } from './times.tsx'
import { triggerSentence } from './when-text.ts'
import type { WorkflowForm } from './use-workflow-form.ts'

const MOST = 5

interface Props {
  form: WorkflowForm
  /** null: it is not saved yet. */
  id: string | null
}

export function WhenCard({ form, id }: Props) {
  const { draft, change } = form
  const [open, setOpen] = useState<string | null>(null)
  const [saveFirst, setSaveFirst] = useState(false)
  const shown = fittingTriggers(draft)
  const times = useTimes(draft.kind === 'bulk' ? id : null)
  const set = (when: TriggerDraft[]) => change({ when })
  const add = (kind: Trigger['kind']) => {
    const trigger = newTrigger(kind)
    set([...shown, trigger])
    setOpen(trigger.key)
  }
  return (
    <Card>
      <BlockStack gap="400">
        <Heading>{t('When')}</Heading>
        <Hint>{WHEN_HINTS[draft.kind]}</Hint>
        {id !== null && (
          <Checkbox
            label={t('On')}
            helpText={t('Off: nothing starts it by itself, and what waits is forgotten.')}
            error={form.problems.at('enabled')}
            checked={draft.enabled}
            onChange={(enabled) => change({ enabled })}
          />
        )}
        {shown.length > 0 && (
          <TriggerList form={form} shown={shown} open={open} onOpen={setOpen} onSet={set} />
        )}
        {times.length > 0 && <Times times={times} />}
        {shown.length + times.length < (draft.kind === 'delivery' ? 1 : MOST) && (
          <div>
            <AddTrigger
              kind={draft.kind}
              onAdd={add}
              onTimes={() => (id === null || form.dirty ? setSaveFirst(true) : addTimes(id))}
            />
          </div>
        )}
      </BlockStack>
      {saveFirst && <SaveFirst onClose={() => setSaveFirst(false)} />}
    </Card>
  )
}

const WHEN_HINTS: Record<WorkflowDraft['kind'], string> = {
  bulk: t('You can always run it by hand, also when it is off.'),
  import: t('Of several workflows, the one with the most specific source runs.'),
  delivery: t('Without this, orders are delivered as they are.'),
}

interface ListProps {
  form: WorkflowForm
  shown: readonly TriggerDraft[]
  /** The key of the one whose options are shown. */
  open: string | null
  onOpen: (key: string | null) => void
  onSet: (when: TriggerDraft[]) => void
}

const TriggerList = ({ form, shown, open, onOpen, onSet }: ListProps) => (
  <ol className="triggers">
    {shown.map((trigger, at) => (
      <li key={trigger.key}>
        <TriggerItem
          trigger={trigger}
          path={`when[${at}]`}
          form={form}
          open={open === trigger.key}
          onToggle={() => onOpen(open === trigger.key ? null : trigger.key)}
          onChange={(part) =>
            onSet(shown.map((one) => (one === trigger ? { ...one, ...part } : one)))
          }
          onRemove={() => onSet(shown.filter((one) => one !== trigger))}
        />
      </li>
    ))}
  </ol>
)

interface AddProps {
  kind: WorkflowDraft['kind']
  onAdd: (kind: Trigger['kind']) => void
  onTimes: () => void
}

function AddTrigger({ kind, onAdd, onTimes }: AddProps) {
  const [open, setOpen] = useState(false)
  if (kind !== 'bulk')
    return (
      <Button icon={PlusIcon} onClick={() => onAdd(kind === 'import' ? 'imports' : 'orders')}>
        {kind === 'import' ? t('Add a source of imports') : t('Run it on each new delivery')}
      </Button>
    )
  const item = (content: string, helpText: string, onChoose: () => void) => ({
    content,
    helpText,
    onAction: () => {
      setOpen(false)
      onChoose()
    },
  })
  return (
    <Popover
      active={open}
      onClose={() => setOpen(false)}
      activator={
        <Button icon={PlusIcon} disclosure onClick={() => setOpen(!open)}>
          {t('Add when it runs')}
        </Button>
      }
    >
      <ActionList
        actionRole="menuitem"
        items={[
          item(t('When something happens'), t('Files arrive, are changed, are delivered …'), () =>
            onAdd('event'),
          ),
          item(t('At times'), t('Every night, on all files that meet conditions'), onTimes),
          item(t('When a program calls'), t('A secret address that names files'), () =>
            onAdd('hook'),
          ),
        ]}
      />
    </Popover>
  )
}

interface ItemProps {
  trigger: TriggerDraft
  path: string
  form: WorkflowForm
  open: boolean
  onToggle: () => void
  onChange: (part: Partial<TriggerDraft>) => void
  onRemove: () => void
}

function TriggerItem({ trigger, path, form, open, onToggle, onChange, onRemove }: ItemProps) {
  const sentence = triggerSentence(trigger, useSourceNames())
  const broken = form.problems.within(path) !== undefined
  const shown = open || broken
  return (
    <BlockStack gap="300">
      <InlineStack align="space-between" blockAlign="center" gap="200" wrap={false}>
        <BlockStack gap="050">
          <Text as="h3" variant="headingSm">
            {sentence}
          </Text>
          {trigger.waiting > 0 && (
            <Hint>
              {t('{count, plural, one {# event waits} other {# events wait}}', {
                count: trigger.waiting,
              })}
            </Hint>
          )}
        </BlockStack>
        <InlineStack gap="100" wrap={false}>
          <Button
            variant="tertiary"
            icon={DeleteIcon}
            accessibilityLabel={t('Remove: {named}', { named: sentence })}
            onClick={onRemove}
          />
          <Button
            variant="tertiary"
            icon={shown ? ChevronUpIcon : ChevronDownIcon}
            ariaExpanded={shown}
            accessibilityLabel={t('Options: {named}', { named: sentence })}
            onClick={onToggle}
          />
        </InlineStack>
      </InlineStack>
      {shown && (
        <div className="nested">
          <TriggerForm trigger={trigger} path={path} problems={form.problems} onChange={onChange} />
        </div>
      )}
    </BlockStack>
  )
}
