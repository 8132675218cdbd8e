// What happened to a file, newest first: operations with their changes, links, deliveries, downloads,
// refused ones, and views.
import { agentText } from '../../shell/labels/agent.ts'
import { type ReactNode, useState } from 'react'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useReadPages } from '../../shell/client/reads.ts'
import type { File, ItemState, Operation, Schemas } from '../../shell/client/types.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { refusedText } from '../../shell/files/labels.ts'
import { dayText, momentText } from '../../shell/labels/time.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'
import {
  Badge,
  Box,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Link,
  SmallPrint,
  Text,
} from '../../shell/ui/index.ts'
import { SmallError } from '../../shell/components/small-error.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { changesOf } from '../operations/change.ts'
import { Changes } from '../operations/changes.tsx'
import { useRequester } from '../operations/use-requester.ts'
import { useOperation } from '../operations/calls.ts'
import { useOperationActions } from '../operations/operation-actions.tsx'
import './history-card.css'

type Entry = Schemas['FileHistoryEntry']
type OfKind<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

const PAGE = 20

const useHistory = (id: string) =>
  useReadPages('GET /api/files/{id}/history', {
    path: { id },
    query: { limit: PAGE },
    poll: SLOW_MS,
    key: ['file', id, 'history'],
  })

interface Props {
  file: Pick<File, 'id'>
  /** An operation of the history was undone. */
  onUndone: (operation: Operation) => void
}

export function HistoryCard({ file, onUndone }: Props) {
  const history = useHistory(file.id)
  const entries = history.data?.pages.flatMap(({ data }) => data)
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('History')}</Heading>
      </Box>
      {history.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={history} what={t('The history could not be loaded')} />
        </Box>
      )}
      {history.isPending && <LoadingRows rows={2} what={t('the history')} />}
      {entries?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>{t('Nothing is recorded: operations are listed as long as they are kept.')}</Hint>
        </Box>
      )}
      {entries && entries.length > 0 && (
        <ol className="entries file-history">
          {entries.map((entry, position) => (
            <li key={`${entry.at} ${position}`}>
              <HistoryEntry entry={entry} onUndone={onUndone} />
            </li>
          ))}
        </ol>
      )}
      {history.hasNextPage && (
        <Box padding="400" paddingBlockStart="0">
          <InlineStack align="center">
            <Button
              loading={history.isFetchingNextPage}
              onClick={() => void history.fetchNextPage()}
            >
              {t('Show earlier entries')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </Card>
  )
}

/** The page to which the entry leads; '' if it has none. */
const linkOf = (entry: Entry): string =>
  entry.kind === 'operation'
    ? `/operations/${entry.operation_id}`
    : (entry.kind === 'delivery' || entry.kind === 'refused' || entry.kind === 'view') &&
        entry.delivery_id !== null
      ? `/deliveries/${entry.delivery_id}`
      : ''

interface EntryProps extends Pick<Props, 'onUndone'> {
  entry: Entry
}

function HistoryEntry({ entry, onUndone }: EntryProps) {
  switch (entry.kind) {
    case 'operation':
      return <OperationEntry entry={entry} onUndone={onUndone} />
    case 'link':
      return (
        <Line when={momentText(entry.at)}>
          {entry.email === null
            ? t('A link was created')
            : t('A link was created for {email}', { email: entry.email })}
          {entry.revoked_at !== null && <Badge>{t('Revoked')}</Badge>}
        </Line>
      )
    case 'delivery':
      return <DeliveryEntry entry={entry} />
    case 'downloads':
      return (
        <Line when={dayText(entry.day)}>
          {t('{count, plural, one {# download} other {# downloads}}', { count: entry.downloads })}
        </Line>
      )
    case 'refused':
      return <RefusedEntry entry={entry} />
    case 'view':
      return <ViewEntry entry={entry} />
  }
}

type Visit = OfKind<'refused'> | OfKind<'view'>

const RefusedEntry = ({ entry }: { entry: OfKind<'refused'> }) => (
  <VisitLine entry={entry}>
    <span>
      {entry.reason === 'views_used_up' || entry.reason === 'views_expired'
        ? t('A view was refused')
        : t('A download was refused')}
    </span>
    <Badge tone="critical">{refusedText(entry)}</Badge>
  </VisitLine>
)

const ViewEntry = ({ entry }: { entry: OfKind<'view'> }) => (
  <VisitLine entry={entry}>
    <span>{t('Viewed in the browser')}</span>
  </VisitLine>
)

/** What a buyer did, with who it was and from where. */
const VisitLine = ({ entry, children }: { entry: Visit; children: ReactNode }) => (
  <Line
    when={[momentText(entry.at), entry.address, agentText(entry.agent)].filter(Boolean).join(' · ')}
  >
    {children}
    {entry.order_name !== null && (
      <Link url={linkOf(entry)}>{t('Order {name}', { name: entry.order_name })}</Link>
    )}
    {entry.email !== null && <span>{entry.email}</span>}
  </Line>
)

function OperationEntry({ entry, onUndone }: EntryProps & { entry: OfKind<'operation'> }) {
  const requester = useRequester()
  const { title, requested_by, error, undone, undo_until, files, operation_id } = entry
  const changes = changesOf(entry.before as ItemState | null, entry.after as ItemState | null)
  return (
    <Line when={`${momentText(entry.at)} · ${requester(requested_by)}`}>
      <Link url={linkOf(entry)}>{translated(title)}</Link>
      {entry.status === 'failed' && <Badge tone="critical">{t('Failed')}</Badge>}
      {undone && <Badge>{t('Undone')}</Badge>}
      {undo_until !== null && (
        <UndoEntry id={operation_id} title={translated(title)} files={files} onUndone={onUndone} />
      )}
      {error && (
        <Text as="p" tone="critical">
          {messageText(error)}
        </Text>
      )}
      <Changes changes={changes} />
    </Line>
  )
}

const DeliveryEntry = ({ entry }: { entry: OfKind<'delivery'> }) => (
  <Line when={momentText(entry.at)}>
    <Link url={linkOf(entry)}>{t('Order {name}', { name: entry.order_name })}</Link>
    <span>{entry.email ?? t('No email address')}</span>
    {entry.withdrawn && <Badge>{t('Withdrawn')}</Badge>}
  </Line>
)

const Line = ({ when, children }: { when: string; children: ReactNode }) => (
  <>
    <div className="file-history-what">{children}</div>
    <SmallPrint>{when}</SmallPrint>
  </>
)

// The button in a file's history that undoes an operation. The question names what it undoes: all
// files of the operation, not only this one.

interface UndoEntryProps {
  id: string
  title: string
  /** How many files the operation changed. */
  files: number
  onUndone: (operation: Operation) => void
}

function UndoEntry({ id, title, files, onUndone }: UndoEntryProps) {
  const [asked, setAsked] = useState(false)
  const operation = useOperation(asked ? id : null)
  const undo =
    files > 1 ? t('Undo for {files, plural, one {# file} other {# files}}', { files }) : t('Undo')
  return (
    <>
      <Button
        variant="plain"
        loading={asked && operation.isPending}
        onClick={() => setAsked(true)}
        accessibilityLabel={actionName(undo, title)}
      >
        {undo}
      </Button>
      {asked && <SmallError error={operation.error} />}
      {asked && operation.data && (
        <AskUndo
          operation={operation.data}
          onUndone={(undo) => {
            setAsked(false)
            onUndone(undo)
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

interface AskProps extends Pick<UndoEntryProps, 'onUndone'> {
  operation: Operation
  onClose: () => void
}

function AskUndo({ operation, onUndone, onClose }: AskProps) {
  // It was undone or its time ended after the history was read.
  const possible = operation.actions.includes('undo')
  const { question } = useOperationActions(operation, onUndone, { action: 'undo', onClose })
  return possible ? (
    question
  ) : (
    <Text as="p" tone="critical">
      {t('This operation can no longer be undone.')}
    </Text>
  )
}
