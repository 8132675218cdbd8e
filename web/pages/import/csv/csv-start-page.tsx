// The first step of a CSV import: which file, what it should look like, and the column mappings
// that are saved.
import { navigate } from 'wouter/use-browser-location'
import { useCsvMappings, useDeleteCsvMapping, useSendCsv } from '../../../client/csv.ts'
import { ApiError } from '../../../client/error.ts'
import { saveBytes } from '../../../client/save.ts'
import { DropArea } from '../../../components/drop-area.tsx'
import { Facts } from '../../../components/facts.tsx'
import { Page } from '../../../components/page.tsx'
import { Problem } from '../../../components/problem.tsx'
import { Titled } from '../../../components/titled.tsx'
import { Banner, BlockStack, Button, Card, InlineStack, Text } from '../../../ui/index.ts'
import { CSV_FIELDS_TEXT, EXAMPLE_CSV } from '../../../labels/csv.ts'
import { KeptFiles } from './kept-files.tsx'
import { Stages } from './stages.tsx'

export function CsvStartPage() {
  const send = useSendCsv()
  return (
    <Page title="Import a CSV file" backAction={{ content: 'Import', url: '/import' }}>
      <BlockStack gap="400">
        <Stages at="file" />
        {send.error && <Unreadable error={send.error} />}
        <Card>
          <DropArea
            title="Drop a CSV file here"
            choose="Choose a CSV file"
            accept=".csv,.txt,.tsv,text/csv,text/tab-separated-values,text/plain"
            busy={send.isPending}
            help="At most 50,000 rows and 50 MB. Encoding and delimiter are found by themselves."
            onFiles={([file]) =>
              file &&
              send.mutate(file.data, { onSuccess: ({ id }) => navigate(`/import/csv/${id}`) })
            }
          />
        </Card>
        <KeptFiles />
        <Titled
          title="What the file needs"
          help="The first row names the columns. Other names than these can be assigned in the next step."
          action={
            <Button
              variant="plain"
              onClick={() =>
                saveBytes(new Blob([EXAMPLE_CSV], { type: 'text/csv' }), 'example.csv')
              }
            >
              Download an example
            </Button>
          }
        >
          <Facts
            rows={Object.entries(CSV_FIELDS_TEXT).map(([field, { help, required }]) => [
              field,
              required ? `${help} Required.` : help,
            ])}
          />
        </Titled>
        <SavedMappings />
      </BlockStack>
    </Page>
  )
}

/** A file that can't be read at all: where, and why. */
function Unreadable({ error }: { error: Error }) {
  if (!(error instanceof ApiError) || error.details.length === 0)
    return <Problem error={error} what="The file could not be taken" />
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
  const remove = useDeleteCsvMapping()
  if (!saved.data || saved.data.data.length === 0) return null
  return (
    <Titled
      title="Saved column mappings"
      help="Each applies by itself when a file with the same column names comes again."
    >
      {remove.error && <Problem error={remove.error} what="The mapping could not be deleted" />}
      <BlockStack gap="200">
        {saved.data.data.map(({ id, name }) => (
          <InlineStack key={id} align="space-between" gap="200" wrap={false}>
            <Text as="span" breakWord>
              {name}
            </Text>
            <Button
              variant="plain"
              tone="critical"
              accessibilityLabel={`Delete the mapping ${name}`}
              onClick={() => remove.mutate(id)}
            >
              Delete
            </Button>
          </InlineStack>
        ))}
      </BlockStack>
    </Titled>
  )
}
