// What each step of a run did with its files, beside another run of the same workflow if one is chosen.
import { useState } from 'react'
import { useRead } from '../../shell/client/reads.ts'
import type { Operation, Schemas } from '../../shell/client/types.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { numberText, capitalized } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { shownText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { Card, BlockStack, Button, Heading, Hint, Select, Text } from '../../shell/ui/index.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'
import { isMoving, useOperations } from './calls.ts'
import { ITEMS_STATE, type StepResult } from './url-state.ts'
import './run-steps.css'

type RunSteps = Schemas['OperationSteps']
type RunStep = RunSteps['data'][number]

/** Polled while it runs. */
const LIVE_MS = 3000
/** The runs of the workflow to compare with. */
const RUNS = 20

const useRunSteps = (id: string | null, isLive = false) =>
  useRead('GET /api/operations/{id}/steps', {
    path: { id },
    poll: () => (isLive ? LIVE_MS : false),
  })

export function RunSteps({ operation }: { operation: Operation }) {
  const { id, undoes, steps } = operation
  const [other, setOther] = useState('')
  const run = useRunSteps(id, isMoving(operation))
  const compared = useRunSteps(other === '' ? null : other)
  if (undoes !== null || steps.length === 0) return null
  return (
    <Card>
      <BlockStack gap="300">
        <div className="run-head">
          <Heading>{t('Steps of this run')}</Heading>
          <CompareWith operation={operation} value={other} onChange={setOther} />
        </div>
        <LoadProblem query={run} what={t('The steps could not be loaded')} />
        {other !== '' && (
          <LoadProblem query={compared} what={t('The other run could not be loaded')} />
        )}
        {run.isPending && <LoadingRows rows={2} what={t('the steps')} />}
        {run.data && !run.data.kept && (
          <Hint>{t('What became of its files is not kept any more.')}</Hint>
        )}
        {run.data && <StepCards run={run.data} other={other === '' ? undefined : compared.data} />}
        {run.data && run.data.write_ms > 0 && (
          <Hint>
            {t('Its results took {time} to write.', {
              time: durationText(run.data.write_ms / 1000),
            })}
          </Hint>
        )}
      </BlockStack>
    </Card>
  )
}

const StepCards = ({ run, other }: { run: RunSteps; other: RunSteps | undefined }) => (
  <ol className="run-steps">
    {run.data.map((step, at) => (
      <li key={step.id}>
        <StepCard
          step={step}
          at={at}
          kept={run.kept}
          other={other && (other.data.find(({ id }) => id === step.id) ?? null)}
        />
      </li>
    ))}
  </ol>
)

interface StepCardProps {
  step: RunStep
  at: number
  /** Whether its files can be listed. */
  kept: boolean
  /** The same step in the other run; null: that run has no such step. Undefined: none is chosen. */
  other: RunStep | null | undefined
}

const RESULTS: readonly (readonly [StepResult, string])[] = [
  ['changed', t('Changed')],
  ['unchanged', t('Unchanged')],
  ['kept', t('Kept, after a failure')],
  ['skipped', t('Skipped')],
  ['failed', t('Failed')],
]

function StepCard({ step, at, kept, other }: StepCardProps) {
  const { title, summary, summary_text, branch, files, ms } = step
  const shown = translated(title)
  // Common ones are always named; a failure that kept the file is rare.
  const rows = RESULTS.filter(([name]) => name !== 'kept' || files?.kept || other?.files?.kept)
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t('{number}. {title}', { number: at + 1, title: shown })}
      </Text>
      {summary !== '' && summary !== title && (
        <Text as="p" variant="bodySm" tone="subdued" breakWord>
          {capitalized(shownText(summary_text))}
        </Text>
      )}
      {branch && (
        <Text as="p" variant="bodySm" tone="subdued">
          {branch.else ? t('For the other files') : t('Only for some files')}
        </Text>
      )}
      {other === null && <Hint>{t('The other run has no such step.')}</Hint>}
      {files === null ? (
        <Hint>{t('On the whole operation')}</Hint>
      ) : (
        <dl>
          <dt>{t('Files')}</dt>
          <dd>
            {numberText(files.files)}
            <Other count={other?.files?.files} />
          </dd>
          {rows.map(([result, text]) => (
            <Result
              key={result}
              step={step}
              result={result}
              text={text}
              count={files[result]}
              other={other?.files?.[result]}
              kept={kept}
            />
          ))}
          {ms !== null && (
            <>
              <dt>{t('Time')}</dt>
              <dd>
                {durationText(ms / 1000)}
                {other && other.ms !== null && (
                  <span className="run-other">{durationText(other.ms / 1000)}</span>
                )}
              </dd>
            </>
          )}
        </dl>
      )}
    </BlockStack>
  )
}

interface ResultProps {
  step: RunStep
  result: StepResult
  text: string
  count: number
  other: number | undefined
  kept: boolean
}

/** A number that lists its files below. */
function Result({ step, result, text, count, other, kept }: ResultProps) {
  const { go } = useUrlState(ITEMS_STATE)
  const list = () => {
    go({ step: step.id, step_result: result, status: null, warned: null, error: '' })
    document.getElementById('items')?.scrollIntoView({ block: 'start' })
  }
  return (
    <>
      <dt>{text}</dt>
      <dd>
        {count > 0 && kept ? (
          <Button
            variant="plain"
            onClick={list}
            accessibilityLabel={t(
              '{title}, {result}: show {count, plural, one {# file} other {# files}}',
              {
                title: translated(step.title),
                result: text,
                count,
              },
            )}
          >
            {numberText(count)}
          </Button>
        ) : (
          numberText(count)
        )}
        <Other count={other} />
      </dd>
    </>
  )
}

const Other = ({ count }: { count: number | undefined }) =>
  count !== undefined && <span className="run-other">{numberText(count)}</span>

interface CompareProps {
  operation: Operation
  value: string
  onChange: (id: string) => void
}

/** The other runs of the same workflow. */
function CompareWith({ operation, value, onChange }: CompareProps) {
  const { workflow } = operation
  const isOwn = workflow.startsWith('workflow_')
  const runs = useOperations({ workflow, limit: RUNS }, isOwn)
  const others = runs.data?.data.filter(({ id }) => id !== operation.id) ?? []
  if (!isOwn || others.length === 0) return null
  return (
    <Select
      label={t('Compare with the run of')}
      labelInline
      options={[
        { value: '', label: t('None', {}, 'run') },
        ...others.map(({ id, created_at }) => ({ value: id, label: momentText(created_at) })),
      ]}
      value={value}
      onChange={onChange}
    />
  )
}
