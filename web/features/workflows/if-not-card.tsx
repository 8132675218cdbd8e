// What follows when runs of the workflow end with failed files: who is told, the later tries, and a
// workflow for the files that still fail.
import { type IfNot, useWorkflows } from '../../shell/client/workflows.ts'
import { NumberField } from '../../shell/components/number-field.tsx'
import { fieldId } from '../../shell/components/problems.ts'
import { WordsField } from '../../shell/components/words-field.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Card, Checkbox, Heading, Hint, Select } from '../../shell/ui/index.ts'
import { FRESH_IF_NOT } from './draft.ts'
import type { WorkflowForm } from './use-workflow-form.ts'

interface Props {
  form: WorkflowForm
  /** null: it is not saved yet. */
  id: string | null
  /** Since when its runs fail; null: they do not. */
  failingSince: string | null
}

export function IfNotCard({ form, id, failingSince }: Props) {
  const { draft, change, problems } = form
  const set = (if_not: IfNot | null) => {
    change({ if_not })
    form.visit('if_not')
  }
  return (
    <Card>
      <BlockStack gap="400">
        <Heading>{t('If not')}</Heading>
        {failingSince !== null && (
          <Banner tone="warning">
            <p>
              {t('Its runs have ended with failed files since {time}.', {
                time: momentText(failingSince),
              })}
            </p>
          </Banner>
        )}
        <Checkbox
          label={t('Do something when runs end with failed files')}
          helpText={t('Each step says for itself what becomes of a file that fails in it.')}
          id={fieldId('if_not')}
          error={problems.at('if_not')}
          checked={draft.if_not !== null}
          onChange={(some) => set(some ? FRESH_IF_NOT : null)}
        />
        {draft.if_not !== null && (
          <Fields form={form} id={id} value={draft.if_not} onChange={set} />
        )}
      </BlockStack>
    </Card>
  )
}

interface FieldsProps extends Pick<Props, 'form' | 'id'> {
  value: IfNot
  onChange: (value: IfNot) => void
}

function Fields({ form: { problems }, id, value, onChange }: FieldsProps) {
  const set = (part: Partial<IfNot>) => onChange({ ...value, ...part })
  const { after, mail, run, again, on_recovery: onRecovery } = value
  return (
    <div className="fields">
      <WordsField
        label={t('Try the failed files again after')}
        id={fieldId('if_not.again')}
        help={t('Minutes, hours or days after the run, up to five times: 30m, 6h, 2d.')}
        error={problems.within('if_not.again') ?? ''}
        value={again}
        suggestions={SUGGESTED.map((time) => ({ value: time, text: time }))}
        write={(time) => time.toLowerCase().replaceAll(/\s+/g, '')}
        onChange={(times) => set({ again: times })}
      />
      <NumberField
        label={t('Tell after this many failed runs in a row')}
        id={fieldId('if_not.after')}
        error={problems.at('if_not.after') ?? ''}
        value={after}
        onChange={(count) => set({ after: count as number })}
      />
      <Select
        label={t('Send a mail to')}
        id={fieldId('if_not.mail')}
        helpText={t('A notice is always created. You are told once, until it works again.')}
        options={[
          { value: 'nobody', label: t('Nobody') },
          { value: 'shop', label: t('The recipients in the settings') },
          { value: 'people', label: t('Other people') },
        ]}
        value={Array.isArray(mail) ? 'people' : mail ? 'shop' : 'nobody'}
        onChange={(who) => set({ mail: who === 'people' ? [] : who === 'shop' })}
      />
      {Array.isArray(mail) && (
        <WordsField
          label={t('Their email addresses')}
          error={problems.within('if_not.mail') ?? ''}
          value={mail}
          onChange={(people) => set({ mail: people })}
        />
      )}
      <RunField
        id={id}
        error={problems.at('if_not.run')}
        run={run}
        onChange={(next) => set({ run: next })}
      />
      <Checkbox
        label={t('Also tell when it works again')}
        checked={onRecovery}
        onChange={(next) => set({ on_recovery: next })}
      />
    </div>
  )
}

const SUGGESTED = ['30m', '1h', '6h', '1d']

interface RunProps {
  id: string | null
  error: string | undefined
  run: string | null
  onChange: (run: string | null) => void
}

/** The workflow for the files that still fail when no try is left. */
function RunField({ id, error, run, onChange }: RunProps) {
  const workflows = useWorkflows()
  const own = (workflows.data?.data ?? []).filter(
    (one) => !one.built_in && one.kind === 'bulk' && one.id !== id,
  )
  return (
    <>
      <Select
        label={t('Then run on files that still fail')}
        id={fieldId('if_not.run')}
        error={error}
        options={[
          { value: '', label: t('No workflow') },
          ...own.map(({ id: value, name }) => ({ value, label: name })),
        ]}
        value={run ?? ''}
        onChange={(next) => onChange(next === '' ? null : next)}
      />
      {own.length === 0 && !workflows.isPending && (
        <Hint>{t('A workflow that works on files can be chosen here once there is one.')}</Hint>
      )}
    </>
  )
}
