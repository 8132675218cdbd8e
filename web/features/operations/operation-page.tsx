// One operation: its progress, its result, its actions, and the result of every file.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useChannels } from '../imports/channel-calls.ts'
import { ApiError } from '../../shell/client/error.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { isMoving, saveLog, useOperation } from './calls.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Nothing } from '../../shell/components/lists.tsx'
import { type ActionButton, useOperationActions } from './operation-actions.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { StatusBadge } from './status.tsx'
import { useRequester } from './use-requester.ts'
import { usePageChannels } from '../../shell/feature.ts'
import { lastSeen } from '../../shell/url-state/use-url-state.ts'
import { BlockStack, Card, Layout } from '../../shell/ui/index.ts'
import { labelText, operationTitle } from './labels.ts'
import { statusWord } from './operation-status.ts'
import { momentText } from '../../shell/labels/time.ts'
import { AboutCard } from './about-card.tsx'
import { ItemsCard } from './items-card.tsx'
import { Outcome } from './outcome.tsx'
import { SummaryCard } from './summary-card.tsx'
import { t } from '../../shell/messages/t.ts'

export function OperationPage({ id }: { id: string }) {
  const operation = useOperation(id)
  const back = { content: t('Operations'), url: lastSeen('/operations') }
  const retry = () => void operation.refetch()
  if (operation.data)
    return (
      <Whole
        operation={operation.data}
        back={back}
        stale={
          operation.error && (
            <Problem
              stale
              error={operation.error}
              what=""
              onRetry={retry}
              retrying={operation.isFetching}
            />
          )
        }
      />
    )
  const gone = operation.error instanceof ApiError && operation.error.status === 404
  return (
    <Page title={gone ? t('Operation not found') : t('Operation')} backAction={back} fullWidth>
      {gone ? (
        <Card>
          <Nothing
            why="unmatched"
            heading={t('This operation doesn’t exist')}
            action={{ content: t('Go to operations'), url: back.url }}
          />
        </Card>
      ) : (
        <Unloaded
          query={operation}
          what={t('the operation')}
          problem={t('The operation could not be loaded')}
          rows={5}
        />
      )}
    </Page>
  )
}

interface WholeProps {
  operation: Operation
  back: { content: string; url: string }
  stale: React.ReactNode
}

/**
 * The first of these that is possible is the button on the right. Pause and Resume are the same
 * button, which keeps the focus.
 */
const FOREMOST: readonly ActionButton['action'][] = ['confirm', 'resume', 'retry', 'pause']

function Whole({ operation, back, stale }: WholeProps) {
  const { buttons, question, error } = useOperationActions(operation, (record, action) => {
    if (action === 'undo') navigate(`/operations/${record.id}`)
  })
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
        {stale}
        {error && <Problem error={error} what={t('This could not be done')} />}
        {log.error && <Problem error={log.error} what={t('The log could not be exported')} />}
        <Outcome operation={operation} />
        <Layout>
          <Layout.Section>
            <SummaryCard operation={operation} />
          </Layout.Section>
          <Layout.Section variant="oneThird">
            <AboutCard operation={operation} />
          </Layout.Section>
        </Layout>
        <ItemsCard operation={operation} />
      </BlockStack>
      {question}
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
