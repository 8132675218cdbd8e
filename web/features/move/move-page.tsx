// One export of another app: what was recognised, what it would import, and its import.
import { useState } from 'react'
import { useSearch } from 'wouter/use-browser-location'
import { Facts, Figures } from '../../shell/components/facts.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { KeptPage } from '../../shell/components/kept-page.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Checkbox,
  Hint,
  InlineStack,
  SmallPrint,
  Text,
  Card,
  Link,
} from '../../shell/ui/index.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import type { Operation } from '../../shell/client/types.ts'
import '../imports/import.css'
import { isMoving, useOperation } from '../operations/calls.ts'
import { useOperationActions } from '../operations/operation-actions.tsx'
import { Progress } from '../operations/status.tsx'
import { type Move, useMove, useStartMove } from './calls.ts'
import { APPS, FIELD_TEXTS, recognisedText, resultTitle } from './labels.ts'

export function MovePage({ id }: { id: string }) {
  const move = useMove(id)
  return (
    <KeptPage
      query={move}
      title={move.data?.filename ?? t('Move to Stevedore')}
      back={{ content: t('Move to Stevedore'), url: '/import/move' }}
      expired={{
        title: t('Export not found'),
        heading: t('This export has expired'),
        action: t('Choose an export'),
        hint: t('Exports that are not imported are kept for a day. Choose it again to continue.'),
      }}
      what={t('the export')}
      problem={t('The export could not be loaded')}
    >
      {(data) => <Whole move={data} />}
    </KeptPage>
  )
}

function Whole({ move }: { move: Move }) {
  const from = new URLSearchParams(useSearch()).get('from')
  const chosen = APPS.find(({ id }) => id === from)
  return (
    <>
      {chosen && !chosen.recognised.includes(move.app) && (
        <Banner tone="warning" title={t('You chose {app}', { app: chosen.name })}>
          <p>{t('The columns are those of another app, and are read as such.')}</p>
        </Banner>
      )}
      {move.started_at && <MoveResult move={move} />}
      <Titled title={t('Recognised: {what}', { what: recognisedText(move) })}>
        <BlockStack gap="400">
          {move.files && <FileFigures rows={move.rows} files={move.files} />}
          {move.buyers && <BuyerFigures rows={move.rows} buyers={move.buyers} />}
          {!move.started_at && <StartForm move={move} />}
        </BlockStack>
      </Titled>
      {move.findings.length > 0 && <Findings findings={move.findings} />}
      <Columns move={move} />
    </>
  )
}

function FileFigures({ rows, files }: { rows: number; files: NonNullable<Move['files']> }) {
  const { sku, handle, title, id, none } = files.products
  return (
    <>
      <Figures
        rows={[
          [t('Rows'), numberText(rows)],
          [t('New files'), numberText(files.fresh)],
          [t('Here already'), numberText(files.present)],
          [t('Rows without files'), numberText(files.without_files)],
        ]}
      />
      <Figures
        rows={[
          [t('Products by SKU'), numberText(sku)],
          [t('By handle'), numberText(handle)],
          [t('By title'), numberText(title)],
          ...(id > 0 ? [[t('By ID'), numberText(id)] as const] : []),
          [t('Not found'), numberText(none)],
        ]}
      />
    </>
  )
}

const BuyerFigures = ({ rows, buyers }: { rows: number; buyers: NonNullable<Move['buyers']> }) => (
  <Figures
    rows={[
      [t('Rows'), numberText(rows)],
      [t('Buyers'), numberText(buyers.total)],
      [t('New links'), numberText(buyers.links)],
      [t('Here already'), numberText(buyers.present)],
      [t('Expired or used up'), numberText(buyers.ended)],
      [t('Without a file here'), numberText(buyers.without_file)],
    ]}
  />
)

function StartForm({ move }: { move: Move }) {
  const [email, setEmail] = useState(false)
  const start = useStartMove(move.id)
  const count = move.files?.fresh ?? move.buyers?.links ?? 0
  if (count === 0)
    return (
      <Banner
        tone="info"
        title={
          move.files ? t('All files of this export are here already') : t('No buyer lacks a link')
        }
      />
    )
  return (
    <BlockStack gap="300">
      {start.error && <Problem error={start.error} what={t('The import could not be started')} />}
      {move.buyers && (
        <Checkbox
          label={t('Email the buyers')}
          helpText={t(
            'One email for each buyer, with all links. Without it, the links are ready and nobody is told.',
          )}
          checked={email}
          onChange={setEmail}
        />
      )}
      <InlineStack>
        <Button
          variant="primary"
          loading={start.isPending}
          onClick={() => start.mutate(move.buyers ? { email } : {})}
        >
          {move.files
            ? t('Import {count, plural, one {# file} other {# files}}', { count })
            : t('Create {count, plural, one {# link} other {# links}}', { count })}
        </Button>
      </InlineStack>
      <Hint>{t('You can undo it for seven days.')}</Hint>
    </BlockStack>
  )
}

const Findings = ({ findings }: Pick<Move, 'findings'>) => (
  <Titled
    title={t('Rows that need attention')}
    help={t('Rows with an error are left out; everything else is imported.')}
  >
    <ul className="problems">
      {findings.map(({ severity, message, message_text, count, rows }) => (
        <li key={`${severity} ${message}`}>
          <InlineStack gap="200" blockAlign="center">
            <Badge tone={severity === 'error' ? 'critical' : 'attention'}>
              {severity === 'error' ? t('Left out') : t('Note')}
            </Badge>
            <Text as="span">{t('{count, plural, one {# time} other {# times}}', { count })}</Text>
          </InlineStack>
          <BlockStack gap="050">
            <Text as="span">{messageText({ message, ...(message_text && { message_text }) })}</Text>
            <SmallPrint>
              {t('{count, plural, one {Row {rows}} other {Rows {rows}}}', {
                count: rows.length,
                rows: rows.join(', ') + (count > rows.length ? ' …' : ''),
              })}
            </SmallPrint>
          </BlockStack>
        </li>
      ))}
    </ul>
  </Titled>
)

const Columns = ({ move: { columns, unknown_columns } }: { move: Move }) => (
  <Titled title={t('Columns')}>
    <BlockStack gap="400">
      <Facts rows={columns.map(({ field, header }) => [header, FIELD_TEXTS[field]])} />
      {unknown_columns.length > 0 && (
        <BlockStack gap="100">
          <Text as="h3" variant="headingSm">
            {t('Not read: {count, plural, one {# column} other {# columns}}', {
              count: unknown_columns.length,
            })}
          </Text>
          <Text as="p" tone="subdued" breakWord>
            {unknown_columns.join(', ')}
          </Text>
        </BlockStack>
      )}
    </BlockStack>
  </Titled>
)

// The import of an export: its progress, its result, and its undo.

function MoveResult({ move }: { move: Move }) {
  const operation = useOperation(move.operation_id)
  if (move.operation_id === null)
    return (
      <Card>
        <Text as="p">{t('The import is no longer in the history.')}</Text>
      </Card>
    )
  return (
    <>
      <LoadProblem query={operation} what={t('The import could not be loaded')} />
      {operation.data && <Imported move={move} operation={operation.data} />}
    </>
  )
}

function Imported({ move, operation }: { move: Move; operation: Operation }) {
  const { buttons, question, error } = useOperationActions(operation)
  const undone = operation.status === 'undone' || operation.undone_by !== null
  const isMoved = operation.status === 'success' || operation.status === 'partial'
  return (
    <Titled title={resultTitle(move.kind, undone ? 'undone' : operation.status)}>
      <BlockStack gap="300">
        {error && <Problem error={error} what={t('This could not be done')} />}
        <Progress operation={operation} wide />
        {undone && <Text as="p">{undoneText(move)}</Text>}
        <InlineStack gap="200" blockAlign="center">
          {buttons.map(({ action, content, loading, disabled, destructive, onAction }) => (
            <Button
              key={action}
              loading={loading}
              disabled={disabled}
              {...(destructive ? { tone: 'critical' as const } : {})}
              onClick={onAction}
            >
              {content}
            </Button>
          ))}
          <Link url={`/operations/${operation.id}`}>{t('Show the operation')}</Link>
          {move.kind === 'files' ? (
            <Link url="/files">{t('Show files')}</Link>
          ) : (
            <Link url="/links">{t('Show links')}</Link>
          )}
        </InlineStack>
        {isMoving(operation) && (
          <Text as="p" tone="subdued" variant="bodySm">
            {t('It continues when you close this page.')}
          </Text>
        )}
        {move.kind === 'files' && isMoved && !undone && (
          <Text as="p">
            {t('Next: choose the export of your buyers, so that they keep their access.')}{' '}
            <Link url="/import/move">{t('Choose an export')}</Link>
          </Text>
        )}
        {question}
      </BlockStack>
    </Titled>
  )
}

const undoneText = ({ kind }: Move): string =>
  kind === 'files'
    ? t('Its files are in the trash. Choose the export again to import it again.')
    : t('Its links no longer work. Choose the export again to create new ones.')
