// The first step of a CSV import: choosing a file, an example, and the saved column mappings.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { ApiError } from '../../shell/client/error.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { TABLE_FILES } from '../../shell/components/chosen-files.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import {
  Banner,
  BlockStack,
  Button,
  Card,
  InlineStack,
  Text,
  Link,
  SmallPrint,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { LoadingNothing } from '../../shell/components/lists.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { StatusBadge } from '../operations/status.tsx'
import {
  type CsvMapping,
  useCsvMappings,
  useDeleteCsvMapping,
  useSendCsv,
  type KeptCsv,
  useKeptCsvs,
} from './calls.ts'
import { CSV_FIELDS_TEXT, EXAMPLE_CSV, CSV_STATUSES } from './labels.ts'
import { Stages } from './stages.tsx'

export function CsvStartPage() {
  const send = useSendCsv()
  return (
    <Page title={t('Import a CSV file')} backAction={{ content: t('Import'), url: '/import' }}>
      <BlockStack gap="400">
        <Stages at="file" />
        {send.error && <Unreadable error={send.error} />}
        <Card>
          <DropArea
            title={t('Drop a CSV file here')}
            choose={t('Choose a CSV file')}
            accept={TABLE_FILES}
            busy={send.isPending}
            help={t(
              'CSV, Excel (.xlsx) or OpenDocument (.ods), up to 50,000 rows and 50 MB. Encoding and delimiter are detected automatically.',
            )}
            onFiles={([file]) =>
              file &&
              send.mutate(file.data, { onSuccess: ({ id }) => navigate(`/import/csv/${id}`) })
            }
          />
        </Card>
        <KeptFiles />
        <Titled
          title={t('What the file needs')}
          help={t(
            'The first row names the columns. You can assign other column names in the next step.',
          )}
          action={
            <Button
              variant="plain"
              onClick={() =>
                saveBytes(new Blob([EXAMPLE_CSV], { type: 'text/csv' }), 'example.csv')
              }
            >
              {t('Download an example')}
            </Button>
          }
        >
          <Facts
            rows={Object.entries(CSV_FIELDS_TEXT).map(([field, { help, required }]) => [
              field,
              required ? t('{help} Required.', { help }) : help,
            ])}
          />
        </Titled>
        <SavedMappings />
      </BlockStack>
    </Page>
  )
}

/** A file that cannot be read: where and why. */
function Unreadable({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.details.length === 0)
    return <Problem error={error} what={t('The file could not be read')} />
  return (
    <Banner tone="critical" title={error.message}>
      <ul className="bullets">
        {error.details.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Banner>
  )
}

function SavedMappings() {
  const saved = useCsvMappings()
  const [deleted, setDeleted] = useState<CsvMapping | null>(null)
  if (saved.error && !saved.data)
    return <LoadProblem query={saved} what={t('The saved mappings could not be loaded')} />
  if (!saved.data || saved.data.data.length === 0) return null
  return (
    <Titled
      title={t('Saved column mappings')}
      help={t('Each mapping applies automatically to files with the same column names.')}
    >
      <BlockStack gap="200">
        {saved.data.data.map((mapping) => (
          <InlineStack key={mapping.id} align="space-between" gap="200" wrap={false}>
            <Text as="span" breakWord>
              {mapping.name}
            </Text>
            <CriticalButton
              label={t('Delete the mapping {name}', { name: mapping.name })}
              onClick={() => setDeleted(mapping)}
              text={t('Delete')}
            />
          </InlineStack>
        ))}
      </BlockStack>
      {deleted && <DeleteMapping mapping={deleted} onClose={() => setDeleted(null)} />}
    </Titled>
  )
}

function DeleteMapping({ mapping, onClose }: { mapping: CsvMapping; onClose: () => void }) {
  const remove = useDeleteCsvMapping()
  return (
    <DeleteDialog
      open
      title={t('Delete the mapping “{name}”?', { name: mapping.name })}
      problem={t('The mapping could not be deleted')}
      deleting={remove.isPending}
      error={remove.error}
      onDelete={() =>
        remove.mutate(mapping.id, {
          onSuccess: () => {
            toast(t('Mapping deleted'))
            onClose()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">
        {t('You then choose the columns of such files by hand. Nothing that was imported changes.')}
      </Text>
    </DeleteDialog>
  )
}

// Stored CSV files: each can be continued where it was left.

function KeptFiles() {
  const kept = useKeptCsvs()
  if (kept.error && !kept.data)
    return <LoadProblem query={kept} what={t('Your earlier CSV files could not be loaded')} />
  if (!kept.data) return <LoadingNothing />
  if (kept.data.data.length === 0) return null
  return (
    <Titled
      title={t('Your CSV files')}
      help={t('CSV files are kept for a day. Continue where you left off.')}
    >
      <ul className="kept-files">
        {kept.data.data.map((file) => (
          <li key={file.id}>
            <KeptFile file={file} />
          </li>
        ))}
      </ul>
    </Titled>
  )
}

const KeptFile = ({ file: { id, filename, status, rows, created_at } }: { file: KeptCsv }) => (
  <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
    <BlockStack>
      <Link url={`/import/csv/${id}`}>{filename}</Link>
      <SmallPrint>
        {t('{rows, plural, one {# row} other {# rows}} · {time}', {
          rows,
          time: momentText(created_at),
        })}
      </SmallPrint>
    </BlockStack>
    <StatusBadge word={CSV_STATUSES[status]} />
  </InlineStack>
)
