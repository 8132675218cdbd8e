// One step: its summary, and below it its options, when it applies, and its failure policy.
import { type KeyboardEvent } from 'react'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type WorkflowKind } from '../../shell/client/workflows.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { OptionForm } from '../plugins/option-form/option-form.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  Badge,
  Banner,
  BlockStack,
  Button,
  Checkbox,
  ChevronDownIcon,
  ChevronUpIcon,
  DeleteIcon,
  Select,
  Text,
} from '../../shell/ui/index.ts'
import { filterTexts } from '../../shell/files/filter-labels.ts'
import { FAILURE_POLICIES } from '../plugins/step-labels.ts'
import { defaultPolicy, policiesOf, type StepDraft } from './draft.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  step: StepDraft
  /** What the workflow works on. */
  kind: WorkflowKind
  /** The index of the step, from 0. */
  at: number
  last: boolean
  /** Absent: this installation no longer has it. */
  plugin: Plugin | undefined
  summary: string | null
  problems: Problems
  open: boolean
  onToggle: () => void
  onChange: (part: Partial<StepDraft>) => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

export function StepForm(props: Props) {
  const { step, at, last, plugin, problems, open, onMove } = props
  const path = `steps[${at}]`
  const broken = problems.within(path)
  const press = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (!event.altKey || by === 0 || (by < 0 ? at === 0 : last)) return
    event.preventDefault()
    onMove(by as -1 | 1)
  }
  return (
    <li
      className={broken ? 'step broken' : 'step'}
      id={fieldId(path)}
      tabIndex={-1}
      aria-label={t('Step {at}, {title}', { at: at + 1, title: plugin?.title ?? step.plugin })}
      onKeyDown={press}
    >
      <Head {...props} broken={broken} />
      {/* Rendered while it is closed, so that a problem’s field can be focused. */}
      <div className="step-body" id={`${step.key} body`} hidden={!open && !broken}>
        <Body {...props} path={path} />
      </div>
    </li>
  )
}

function Head({
  step,
  at,
  last,
  plugin,
  summary,
  open,
  broken,
  ...on
}: Props & { broken: string | undefined }) {
  const title = plugin?.title ?? step.plugin
  const named = t('step {at}, {title}', { at: at + 1, title })
  const condition = step.when ? filterTexts(step.when) : []
  return (
    <div className="step-head">
      <span className="step-number" aria-hidden="true">
        {at + 1}
      </span>
      <div className="step-title">
        <Text as="h3" variant="headingSm">
          {title}
        </Text>
        {summary !== null && summary !== title && (
          <Text as="p" tone="subdued">
            <span className="sentence">{summary}</span>
          </Text>
        )}
        {(condition.length > 0 || step.on_failure === 'stop') && (
          <div className="tags">
            {condition.length > 0 && (
              <Badge>{t('Only if {list}', { list: condition.join(', ') })}</Badge>
            )}
            {step.on_failure === 'stop' && (
              <Badge tone="attention">{t('A failure stops the operation')}</Badge>
            )}
          </div>
        )}
      </div>
      <div className="step-buttons">
        <Button
          id={`${step.key} up`}
          variant="tertiary"
          icon={ArrowUpIcon}
          disabled={at === 0}
          accessibilityLabel={t('Move {named} up', { named })}
          onClick={() => on.onMove(-1)}
        />
        <Button
          id={`${step.key} down`}
          variant="tertiary"
          icon={ArrowDownIcon}
          disabled={last}
          accessibilityLabel={t('Move {named} down', { named })}
          onClick={() => on.onMove(1)}
        />
        <Button
          variant="tertiary"
          icon={DeleteIcon}
          accessibilityLabel={t('Remove {named}', { named })}
          onClick={() => on.onRemove()}
        />
        <Button
          id={`${step.key} toggle`}
          variant="tertiary"
          icon={open || broken ? ChevronUpIcon : ChevronDownIcon}
          ariaExpanded={open || broken !== undefined}
          ariaControls={`${step.key} body`}
          accessibilityLabel={t('Options of {named}', { named })}
          onClick={on.onToggle}
        />
      </div>
    </div>
  )
}

function Body({ step, kind, plugin, problems, path, onChange }: Props & { path: string }) {
  const own = problems.at(`${path}.options`) ?? problems.at(path) ?? problems.at(`${path}.plugin`)
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
      {plugin && empty && (
        <Text as="p" tone="subdued">
          {t('This step has no options.')}
        </Text>
      )}
      {plugin?.scope !== 'operation' && (
        <>
          <Checkbox
            label={t('Only for some files')}
            helpText={
              step.when === null
                ? undefined
                : t('Other files skip this step. A file must meet all conditions.')
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
                onChange={(on_failure) =>
                  onChange({ on_failure: on_failure as StepDraft['on_failure'] })
                }
              />
            </div>
          )}
        </>
      )}
    </BlockStack>
  )
}
