// One CSV file on its way in: its columns, then what its check found, then its import.
import { useState } from 'react'
import { type CsvUpload, useCsv } from '../../../client/csv.ts'
import { ApiError } from '../../../client/error.ts'
import { LoadingRows, Nothing } from '../../../components/lists.tsx'
import { Page } from '../../../components/page.tsx'
import { Problem } from '../../../components/problem.tsx'
import { BlockStack, Card } from '../../../ui/index.ts'
import { CheckStep } from './check-step.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { Stages } from './stages.tsx'
import { Started } from './started.tsx'

const BACK = { content: 'Import a CSV file', url: '/import/csv' }

export function CsvPage({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useCsv(id)
  const gone = error instanceof ApiError && error.status === 404
  return (
    <Page title={gone ? 'CSV file not found' : (data?.filename ?? 'CSV file')} backAction={BACK}>
      {gone ? (
        <Card>
          <Nothing
            why="unmatched"
            heading="This CSV file is not here any more"
            action={{ content: 'Choose a CSV file', url: BACK.url }}
          >
            A file is kept for a day. Choose it again to go on.
          </Nothing>
        </Card>
      ) : (
        <BlockStack gap="400">
          {error && (
            <Problem
              error={error}
              stale={data !== undefined}
              what="The CSV file could not be loaded"
              onRetry={() => void refetch()}
              retrying={isFetching}
            />
          )}
          {data ? (
            <Steps upload={data} />
          ) : (
            !error && (
              <Card padding="0">
                <LoadingRows rows={5} what="the CSV file" />
              </Card>
            )
          )}
        </BlockStack>
      )}
    </Page>
  )
}

function Steps({ upload }: { upload: CsvUpload }) {
  const [back, setBack] = useState(false)
  if (upload.status === 'started') return <Started upload={upload} />
  const columns = back || upload.status === 'ready'
  return (
    <>
      <Stages at={columns ? 'columns' : upload.status === 'checking' ? 'check' : 'import'} />
      {columns ? (
        <ColumnsStep upload={upload} onChecking={() => setBack(false)} />
      ) : (
        <CheckStep upload={upload} onBack={() => setBack(true)} />
      )}
    </>
  )
}
