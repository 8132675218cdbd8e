// One step: its summary, and below it its options, when it applies, and its failure policy.
import { type ReactNode } from 'react'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type WorkflowKind } from '../../shell/client/workflows.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { OptionForm } from '../plugins/option-form/option-form.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Checkbox,
  ChevronDownIcon,
  ChevronUpIcon,
  DeleteIcon,
  Hint,
  Select,
  Text,
} from '../../shell/ui/index.ts'
import { canBranch, newBranch } from './branches.ts'
import { conditionSentence } from './condition-text.ts'
import { FAILURE_POLICIES } from '../plugins/step-labels.ts'
import { defaultPolicy, policiesOf, type StepDraft } from './draft.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  step: StepDraft
  /** What the workflow works on. */
  kind: WorkflowKind
  /** The index of the step, from 0. */
  at: number
  /** The handle that drags it, and the buttons that move it. */
  controls: { handle: ReactNode; buttons: ReactNode }
  /** The step's plugin; absent if this installation no longer has it. */
  plugin: Plugin | undefined
  summary: string | null
  problems: Problems
  open: boolean
  onToggle: () => void
  onChange: (part: Partial<StepDraft>) => void
  onRemove: () => void
}

export function StepForm(props: Props) {
  const { step, at, problems, open } = props
  const path = `steps[${at}]`
  const broken = problems.within(path)
  return (
    <>
      <Head {...props} broken={broken} />
      {/* Rendered while it is closed, so that a problem’s field can be focused. */}
      <div className="step-body" data-no-drag id={`${step.key}-body`} hidden={!open && !broken}>
        <Body {...props} path={path} />
      </div>
    </>
  )
}

function Head({
  step,
  at,
  controls,
  plugin,
  summary,
  open,
  broken,
  ...on
}: Props & { broken: string | undefined }) {
  const title = plugin?.title ?? step.plugin
  const named = t('step {at}, {title}', { at: at + 1, title })
  const condition = step.when && conditionSentence(step.when)
  return (
    <div className="step-head">
      <span className="step-place">
        {controls.handle}
        <span className="step-number" aria-hidden="true">
          {at + 1}
        </span>
      </span>
      <div className="step-title">
        <Text as="h3" variant="headingSm">
          {title}
        </Text>
        {summary !== null && summary !== title && (
          <Hint>
            <span className="sentence">{summary}</span>
          </Hint>
        )}
        {(condition || step.on_failure === 'stop') && (
          <div className="tags">
            {condition && <Badge>{condition}</Badge>}
            {step.on_failure === 'stop' && (
              <Badge tone="attention">{t('A failure stops the operation')}</Badge>
            )}
          </div>
        )}
      </div>
      <div className="step-buttons">
        {controls.buttons}
        <Button
          variant="tertiary"
          icon={DeleteIcon}
          accessibilityLabel={t('Remove {named}', { named })}
          onClick={() => on.onRemove()}
        />
        <Button
          id={`${step.key}-toggle`}
          variant="tertiary"
          icon={open || broken ? ChevronUpIcon : ChevronDownIcon}
          ariaExpanded={open || broken !== undefined}
          ariaControls={`${step.key}-body`}
          accessibilityLabel={t('Options of {named}', { named })}
          onClick={on.onToggle}
        />
      </div>
    </div>
  )
}

type BodyProps = Pick<Props, 'step' | 'kind' | 'plugin' | 'problems' | 'onChange'> & {
  path: string
}

function Body({ step, kind, plugin, problems, path, onChange }: BodyProps) {
  const own = ['.options', '', '.plugin', '.branch', '.branch.id', '.branch.else']
    .map((part) => problems.at(path + part))
    .find((problem) => problem !== undefined)
  const empty = Object.keys(plugin?.options.properties ?? {}).length === 0
  return (
    <BlockStack gap="400">
      {own && (
        <div tabIndex={-1} id={fieldId(`${path}.options`)} className="place">
          <Banner tone="critical">
            <p>{own}</p>
          </Banner>
        </div>
      )}
      {plugin && !empty && (
        <OptionForm
          schema={plugin.options}
          value={step.options}
          onChange={(options) => onChange({ options })}
          path={`${path}.options`}
          problems={problems}
          alternatives={plugin.alternatives}
        />
      )}
      {plugin && empty && <Hint>{t('This step has no options.')}</Hint>}
      {plugin?.scope !== 'operation' && !plugin?.waits && (
        <StepTerms
          step={step}
          kind={kind}
          plugin={plugin}
          problems={problems}
          path={path}
          onChange={onChange}
        />
      )}
    </BlockStack>
  )
}

/** How often a file is tried whose failure may be temporary. */
const TryFields = ({
  step: { tries, pause },
  problems,
  path,
  onChange,
}: Pick<BodyProps, 'step' | 'problems' | 'path' | 'onChange'>) => (
  <div style={{ maxInlineSize: 420 }}>
    <BlockStack gap="400">
      <Select
        label={t('Tries')}
        id={fieldId(`${path}.tries`)}
        helpText={t('Of a file whose failure may be temporary, as when a server does not answer.')}
        error={problems.at(`${path}.tries`)}
        options={[
          { value: '', label: t('As usual: up to three') },
          ...TRIES.map((count) => ({
            value: String(count),
            label: t('{count, plural, one {Only one} other {Up to #}}', { count }),
          })),
        ]}
        value={tries === null ? '' : String(tries)}
        onChange={(count) => onChange({ tries: count === '' ? null : Number(count) })}
      />
      <Select
        label={t('Pause between two tries')}
        id={fieldId(`${path}.pause`)}
        error={problems.at(`${path}.pause`)}
        options={[
          { value: '', label: t('As usual: a few seconds') },
          ...[...new Set([...PAUSES, ...(pause === null ? [] : [pause])])]
            .sort((a, b) => a - b)
            .map((seconds) => ({ value: String(seconds), label: durationText(seconds) })),
        ]}
        value={pause === null ? '' : String(pause)}
        onChange={(seconds) => onChange({ pause: seconds === '' ? null : Number(seconds) })}
      />
    </BlockStack>
  </div>
)

const TRIES = Array.from({ length: 10 }, (_, at) => at + 1)
const PAUSES = [1, 5, 15, 30, 60, 120, 300, 600, 900]

/** The condition of the step, and what follows if it fails. */
const StepTerms = ({ step, kind, plugin, problems, path, onChange }: BodyProps) => (
  <>
    <Checkbox
      label={t('Only for some files')}
      helpText={
        step.when === null
          ? undefined
          : (conditionSentence(step.when) ??
            t('Set at least one condition: until then the step applies to all files.'))
      }
      id={fieldId(`${path}.when`)}
      error={problems.at(`${path}.when`)}
      checked={step.when !== null}
      onChange={(some) => onChange({ when: some ? {} : null })}
    />
    {step.when !== null && (
      <div className="nested">
        <FilterFields
          value={step.when}
          onChange={(when) => onChange({ when })}
          path={`${path}.when`}
          problems={problems}
        />
        {step.branch === null && canBranch(plugin) && (
          <div className="branch-others">
            <Button onClick={() => onChange({ branch: newBranch(step.when), when: null })}>
              {t('Other steps for the other files')}
            </Button>
          </div>
        )}
      </div>
    )}
    {/* A failure always holds the whole delivery. */}
    {kind !== 'delivery' && (
      <div style={{ maxInlineSize: 420 }}>
        <Select
          label={t('If a file fails')}
          id={fieldId(`${path}.on_failure`)}
          error={problems.at(`${path}.on_failure`)}
          options={policiesOf(plugin?.kind ?? 'act').map((value) => ({
            label: FAILURE_POLICIES[value],
            value,
          }))}
          value={step.on_failure ?? defaultPolicy(plugin?.kind ?? 'act', kind)}
          onChange={(on_failure) => onChange({ on_failure: on_failure as StepDraft['on_failure'] })}
        />
      </div>
    )}
    {kind !== 'delivery' && (
      <TryFields step={step} problems={problems} path={path} onChange={onChange} />
    )}
  </>
)
