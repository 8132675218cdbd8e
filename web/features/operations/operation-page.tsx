// One operation: its progress, its result, its actions, and the result of every file.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { LoadedQuery } from '../../shell/client/together.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import type { Operation, Schemas } from '../../shell/client/types.ts'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { usePageChannels } from '../../shell/feature.ts'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Layout, Hint, Link, Card, Text } from '../../shell/ui/index.ts'
import { momentText, remainingText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { Facts, Figures } from '../../shell/components/facts.tsx'
import { Steps } from '../../shell/components/steps.tsx'
import { tRich } from '../../shell/messages/rich.ts'
import { numberText, capitalized, sizeText } from '../../shell/labels/size.ts'
import { durationText } from '../../shell/messages/duration.ts'
import { useChannels, type Channel } from '../imports/channel-calls.ts'
import { channelText } from '../imports/labels.ts'
import { isMoving, saveLog, useOperation, type Mails, useOperationMails } from './calls.ts'
import { type ActionButton, useOperationActions } from './operation-actions.tsx'
import { StatusBadge, Progress } from './status.tsx'
import { useRequester } from './use-requester.ts'
import {
  labelText,
  operationTitle,
  cannotUndoText,
  hasEndedWell,
  sourceText,
  awaitsFiles,
  waitingCount,
} from './labels.ts'
import { statusWord, isPreview } from './operation-status.ts'
import { Because } from './because.tsx'
import { ItemsCard } from './items-card.tsx'
import { Outcome } from './outcome.tsx'
import { RunSteps } from './run-steps.tsx'
import { Answered } from './asks.tsx'
import { Parts, Waits } from './waits.tsx'
import { useRetry, problemOf } from './retry-dialog.tsx'

export function OperationPage({ id }: { id: string }) {
  const operation = useOperation(id)
  const back = { content: t('Operations'), url: lastSeen('/operations') }
  if (operation.data) return <Whole operation={operation.data} query={operation} back={back} />
  return (
    <UnloadedPage
      query={operation}
      back={back}
      title={t('Operation')}
      what={t('the operation')}
      problem={t('The operation could not be loaded')}
      missing={{
        title: t('Operation not found'),
        heading: t('This operation doesn’t exist'),
        action: t('Go to operations'),
      }}
      fullWidth
    />
  )
}

interface WholeProps {
  operation: Operation
  query: LoadedQuery
  back: { content: string; url: string }
}

/**
 * The first of these that is possible is the button on the right. Pause and Resume are the same
 * button, which keeps the focus.
 */
const FOREMOST: readonly ActionButton['action'][] = ['confirm', 'resume', 'retry', 'pause']

function Whole({ operation, query, back }: WholeProps) {
  const actions = useOperationActions(operation, (record, action) => {
    if (action === 'undo') navigate(`/operations/${record.id}`)
  })
  const { question, error } = actions
  const retry = useRetry(
    operation,
    actions.buttons.find(({ action }) => action === 'retry'),
  )
  const buttons = actions.buttons.map((one) => (one.action === 'retry' && retry.button) || one)
  const requester = useRequester()(operation.requested_by)
  const log = useLog(operation.id)
  const title = operationTitle(operation, useChannels())
  const status = statusWord(operation)
  const [foremost] = buttons.filter(({ action }) => FOREMOST.includes(action))
  const others = buttons.filter((button) => button !== foremost)
  return (
    <Page
      title={title}
      tab={
        isMoving(operation)
          ? `${Math.floor(operation.percentage)}% ${title}`
          : `${title}: ${status.text}`
      }
      subtitle={[
        labelText(operation, usePageChannels()),
        momentText(operation.created_at),
        operation.because.kind === 'request' && requester,
      ]
        .filter(Boolean)
        .join(' · ')}
      titleMetadata={<StatusBadge word={status} />}
      backAction={back}
      primaryAction={foremost && { ...foremost, primary: foremost.action !== 'pause' }}
      secondaryActions={others.map(({ loading: _, ...button }) => button)}
      actionGroups={[{ title: t('Export log'), actions: log.choices }]}
      fullWidth
    >
      <BlockStack gap="400">
        <Problems query={query} done={error} log={log.error} />
        <Because operation={operation} />
        <Waits operation={operation} />
        <Outcome operation={operation} />
        <Layout>
          <Layout.Section>
            <SummaryCard operation={operation} />
          </Layout.Section>
          <Layout.Section variant="oneThird">
            <AboutCard operation={operation} retry={retry.plan} />
          </Layout.Section>
        </Layout>
        <RunSteps operation={operation} />
        <ItemsCard operation={operation} />
      </BlockStack>
      {question}
      {retry.dialog}
    </Page>
  )
}

interface ProblemsProps extends Record<'done' | 'log', Error | null> {
  query: LoadedQuery
}

const Problems = ({ query, done, log }: ProblemsProps) => (
  <>
    <LoadProblem query={query} what="" />
    {done && <Problem error={done} what={t('This could not be done')} />}
    {log && <Problem error={log} what={t('The log could not be exported')} />}
  </>
)

function useLog(id: string) {
  const [error, setError] = useState<Error | null>(null)
  const save = (format: 'csv' | 'json') => {
    setError(null)
    saveLog(id, format).catch((reason: unknown) => setError(reason as Error))
  }
  const choices = [
    { content: t('CSV, for spreadsheets'), onAction: () => save('csv') },
    { content: t('JSON, for programs'), onAction: () => save('json') },
  ]
  return { choices, error }
}

// About the operation: its files, its steps, what can be undone, and related operations.

interface Props {
  operation: Operation
  /** What a retry could run; undefined: not known, or it cannot be retried. */
  retry: Schemas['Retry'] | undefined
}

function AboutCard({ operation, retry }: Props) {
  const { steps, cannot_undo, undoes, undone_by, undo_until, workflow, workflow_version } =
    operation
  const channels = useChannels()
  return (
    <Titled title={t('What it does')}>
      {undoes && (
        <p>
          {tRich(
            'Restores each file to its state before <link>the operation that it undoes</link>. Later changes are kept.',
            {},
            { link: (text) => <Link url={`/operations/${undoes}`}>{text}</Link> },
          )}
        </p>
      )}
      <Parts operation={operation} />
      <Answered operation={operation} />
      <Steps steps={steps} />
      {workflow_version !== null && (
        <p>
          {tRich(
            'Runs <link>version {version, number} of the workflow</link>.',
            { version: workflow_version },
            {
              link: (text) => (
                <Link url={`/workflows/${workflow}?version=${workflow_version}`}>{text}</Link>
              ),
            },
          )}
        </p>
      )}
      {retry?.changed && (
        <Hint>{t('The workflow, or a setting that it uses, was changed since.')}</Hint>
      )}
      {retry?.problem && <Hint>{problemOf(retry)}</Hint>}
      <Facts rows={factsOf(operation, channels)} />
      {cannot_undo.length > 0 && !undoes && <Hint>{cannotUndoText(cannot_undo)}</Hint>}
      {undo_until && !undone_by && hasEndedWell(operation) && (
        <Hint>{t('Can be undone until {time}.', { time: momentText(undo_until) })}</Hint>
      )}
      {undone_by && (
        <p>
          {tRich(
            'Undone by <link>a later operation</link>.',
            {},
            {
              link: (text) => <Link url={`/operations/${undone_by}`}>{text}</Link>,
            },
          )}
        </p>
      )}
    </Titled>
  )
}

function factsOf(operation: Operation, channels: readonly Channel[]): [string, React.ReactNode][] {
  const { channel, schedule_id, finished_at, paused_at } = operation
  const facts: [string, React.ReactNode][] = []
  const files = sourceText(operation)
  if (files) facts.push([t('Files'), files])
  // What started it is said above.
  if (!schedule_id) facts.push([t('Channel'), channelText(channels, channel)])
  if (paused_at) facts.push([t('Paused', {}, 'time'), momentText(paused_at)])
  if (finished_at) facts.push([t('Ended', {}, 'time'), momentText(finished_at)])
  return facts
}

// The operation's progress in live counts.

function SummaryCard({ operation }: { operation: Operation }) {
  const moving = isMoving(operation)
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <Progress operation={operation} wide />
          {/* The line stays while its content may come, so that nothing below it moves. */}
          {(moving || operation.status === 'paused') && (
            <Text as="p" variant="bodySm" tone="subdued">
              {lineOf(operation)}
            </Text>
          )}
        </BlockStack>
        <Figures rows={figuresOf(operation, moving)} />
        {operation.action === 'give-files' && !isPreview(operation) && (
          <MailsLine id={operation.id} />
        )}
        {/* Announced by screen readers only when it changes. */}
        <div role="status">
          <Text as="span" visuallyHidden>
            {statusWord(operation).text}
          </Text>
        </div>
      </BlockStack>
    </Card>
  )
}

function lineOf(operation: Operation): string {
  const { status, remaining_seconds } = operation
  if (status === 'paused') return t('Paused. Resume to process the waiting files.')
  if (status === 'queued') return t('Waiting to start')
  if (awaitsFiles(operation)) return t('The operation ends when no more files arrive.')
  return capitalized(remainingText(remaining_seconds))
}

function figuresOf(operation: Operation, moving: boolean): [string, React.ReactNode][] {
  const { done, failed, skipped, unchanged, cancelled, bytes, bytes_saved } = operation
  const preview = isPreview(operation)
  const waiting = waitingCount(operation)
  const failures = <span className="critical">{numberText(failed)}</span>
  const figures: [string, React.ReactNode][] = [
    [preview ? t('Would be done') : t('Done'), numberText(done)],
  ]
  if (unchanged > 0) figures.push([t('Of them unchanged'), numberText(unchanged)])
  figures.push(
    [preview ? t('Would fail') : t('Failed'), failed > 0 ? failures : '0'],
    [preview ? t('Would be skipped') : t('Skipped'), numberText(skipped)],
  )
  if (cancelled > 0) figures.push([t('Cancelled'), numberText(cancelled)])
  if (moving || waiting > 0) figures.push([t('Waiting'), numberText(waiting)])
  figures.push([t('All files'), numberText(operation.total)])
  if (bytes > 0) figures.push([t('Size'), sizeText(bytes)])
  if (bytes_saved > 0) figures.push([t('Saved'), sizeText(bytes_saved)])
  if (!preview)
    figures.push([
      moving ? t('Elapsed') : t('Duration'),
      operation.started_at ? durationText(operation.elapsed_seconds) : '–',
    ])
  return figures
}

// How many of an operation's emails to buyers were sent, and until when the others wait.

function MailsLine({ id }: { id: string }) {
  const mails = useOperationMails(id)
  const { data } = mails
  // Nothing is shown before it is known whether there are emails at all. What was read stays shown if
  // it cannot be read again.
  if (data) return data.total === 0 ? null : <Text as="p">{textOf(data)}</Text>
  return <LoadProblem query={mails} what={t('The emails could not be counted')} />
}

function textOf({ total, sent, failed, ends_at }: Mails): string {
  const counts = t('Emails: {sent} of {total} sent', {
    sent: numberText(sent),
    total: numberText(total),
  })
  return [
    counts,
    ...(failed > 0 ? [t('{count} not delivered', { count: numberText(failed) })] : []),
    ...(ends_at === null ? [] : [t('the last one at {at}', { at: momentText(ends_at) })]),
  ].join(' · ')
}
