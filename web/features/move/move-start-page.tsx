// Moving from another app: which app, how to get its exports, and the file.
import { navigate, useSearch } from 'wouter/use-browser-location'
import { ApiError } from '../../shell/client/error.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { TABLE_FILES } from '../../shell/components/chosen-files.ts'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Card,
  InlineStack,
  Link,
  Select,
  SmallPrint,
} from '../../shell/ui/index.ts'
import '../imports/import.css'
import { type Move, useMoves, useSendExport } from './calls.ts'
import { type AppChoice, APPS, recognisedText } from './labels.ts'

export function MoveStartPage() {
  const send = useSendExport()
  const from = new URLSearchParams(useSearch()).get('from')
  const app = APPS.find(({ id }) => id === from) ?? null
  return (
    <Page
      title={t('Move to Stevedore')}
      subtitle={t('Files, their products and past buyers from another app')}
      backAction={{ content: t('Import'), url: '/import' }}
    >
      <BlockStack gap="400">
        {send.error && <Unread error={send.error} />}
        <Titled
          title={t('Where do you move from?')}
          help={t('The app is also recognised by the columns of its export.')}
        >
          <BlockStack gap="400">
            <Select
              label={t('App')}
              options={[
                ...(app ? [] : [{ label: t('Choose an app'), value: '' }]),
                ...APPS.map(({ id, name }) => ({ label: name, value: id })),
              ]}
              value={app?.id ?? ''}
              onChange={(id) => navigate(`/import/move?from=${id}`, { replace: true })}
            />
            {app && <Instructions app={app} />}
          </BlockStack>
        </Titled>
        <Card>
          <DropArea
            title={t('Drop an export here')}
            choose={t('Choose an export')}
            accept={TABLE_FILES}
            busy={send.isPending}
            help={t(
              'CSV, Excel (.xlsx) or OpenDocument (.ods). You see what it would import before anything changes.',
            )}
            onFiles={([file]) =>
              file &&
              send.mutate(file.data, {
                onSuccess: ({ id }) =>
                  navigate(`/import/move/${id}${app ? `?from=${app.id}` : ''}`),
              })
            }
          />
        </Card>
        <Kept />
      </BlockStack>
    </Page>
  )
}

function Instructions({ app }: { app: AppChoice }) {
  return (
    <ol className="bullets">
      <li>
        {app.files} {app.noFiles && <Link url="/import/upload">{t('Upload files')}</Link>}
      </li>
      <li>
        {app.buyers ??
          tRich(
            'Past buyers: their orders are in your store. <orders>Import past orders</orders>, or export the orders in the admin of your store as CSV and choose that file below.',
            {},
            { orders: (text) => <Link url="/deliveries/import">{text}</Link> },
          )}
      </li>
      <li>{t('Import the files first: the access of buyers refers to them.')}</li>
    </ol>
  )
}

/** An export that cannot be read, or in which no app was recognised. */
function Unread({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.details.length === 0)
    return <Problem error={error} what={t('The export could not be read')} />
  return (
    <Banner tone="critical" title={t('The export could not be read')}>
      <BlockStack gap="200">
        <ul className="bullets">
          {error.details.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
        <p>
          {tRich(
            'Rename the columns, or assign them by hand in the <csv>CSV import</csv>.',
            {},
            { csv: (text) => <Link url="/import/csv">{text}</Link> },
          )}
        </p>
      </BlockStack>
    </Banner>
  )
}

/** Exports that were sent before. */
function Kept() {
  const moves = useMoves()
  if (moves.error && !moves.data)
    return <LoadProblem query={moves} what={t('Your earlier exports could not be loaded')} />
  if (!moves.data || moves.data.data.length === 0) return null
  return (
    <Titled title={t('Your exports')} help={t('Exports that are not imported are kept for a day.')}>
      <ul className="kept-files">
        {moves.data.data.map((move) => (
          <li key={move.id}>
            <KeptExport move={move} />
          </li>
        ))}
      </ul>
    </Titled>
  )
}

const KeptExport = ({ move }: { move: Move }) => (
  <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
    <BlockStack>
      <Link url={`/import/move/${move.id}`}>{move.filename}</Link>
      <SmallPrint>{`${recognisedText(move)} · ${momentText(move.created_at)}`}</SmallPrint>
    </BlockStack>
    <span className="actions">
      <StateBadge move={move} />
    </span>
  </InlineStack>
)

function StateBadge({ move: { started_at, undone } }: { move: Move }) {
  if (undone) return <Badge>{t('Undone')}</Badge>
  return started_at ? (
    <Badge tone="success">{t('Imported')}</Badge>
  ) : (
    <Badge>{t('Not imported')}</Badge>
  )
}
