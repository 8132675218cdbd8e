// One operation: its progress, its result, its actions, and the result of every file.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useChannels } from '../imports/channel-calls.ts'
import { type LoadedQuery } from '../../shell/client/together.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { UnloadedPage } from '../../shell/components/unloaded-page.tsx'
import { isMoving, saveLog, useOperation } from './calls.ts'
import { type Operation } from '../../shell/client/types.ts'
import { type ActionButton, useOperationActions } from './operation-actions.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { StatusBadge } from './status.tsx'
import { useRequester } from './use-requester.ts'
import { usePageChannels } from '../../shell/feature.ts'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Layout } from '../../shell/ui/index.ts'
import { labelText, operationTitle } from './labels.ts'
import { statusWord } from './operation-status.ts'
import { momentText } from '../../shell/labels/time.ts'
import { AboutCard } from './about-card.tsx'
import { ItemsCard } from './items-card.tsx'
import { Outcome } from './outcome.tsx'
import { useRetry } from './retry-dialog.tsx'
import { SummaryCard } from './summary-card.tsx'
import { t } from '../../shell/messages/t.ts'

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
  const buttons = actions.buttons.map((button) =>
    button.action === 'retry' ? (retry.button ?? button) : button,
  )
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
        requester,
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
        <LoadProblem query={query} what="" />
        {error && <Problem error={error} what={t('This could not be done')} />}
        {log.error && <Problem error={log.error} what={t('The log could not be exported')} />}
        <Outcome operation={operation} />
        <Layout>
          <Layout.Section>
            <SummaryCard operation={operation} />
          </Layout.Section>
          <Layout.Section variant="oneThird">
            <AboutCard operation={operation} retry={retry.plan} />
          </Layout.Section>
        </Layout>
        <ItemsCard operation={operation} />
      </BlockStack>
      {question}
      {retry.dialog}
    </Page>
  )
}

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
