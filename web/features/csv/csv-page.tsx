// One CSV file: its columns, then the results of its check, then its import.
import { useEffect, useRef, useState } from 'react'
import { type CsvUpload, useCsv } from './calls.ts'
import { ApiError } from '../../shell/client/error.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { BlockStack, Card } from '../../shell/ui/index.ts'
import { CheckStep } from './check-step.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { Stages } from './stages.tsx'
import { Started } from './started.tsx'
import { t } from '../../shell/messages/t.ts'

const BACK = { content: t('Import a CSV file'), url: '/import/csv' }

export function CsvPage({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useCsv(id)
  const gone = error instanceof ApiError && error.status === 404
  return (
    <Page
      title={gone ? t('CSV file not found') : (data?.filename ?? t('CSV file'))}
      backAction={BACK}
    >
      {gone ? (
        <Card>
          <Nothing
            why="unmatched"
            heading={t('This CSV file has expired')}
            action={{ content: t('Choose a CSV file'), url: BACK.url }}
          >
            {t('CSV files are kept for a day. Choose it again to continue.')}
          </Nothing>
        </Card>
      ) : (
        <BlockStack gap="400">
          {error && (
            <Problem
              error={error}
              stale={data !== undefined}
              what={t('The CSV file could not be loaded')}
              onRetry={() => void refetch()}
              retrying={isFetching}
            />
          )}
          {data ? (
            <Steps upload={data} />
          ) : (
            !error && (
              <Card padding="0">
                <LoadingRows rows={5} what={t('the CSV file')} />
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
  const columns = back || upload.status === 'ready'
  const checking = upload.status === 'checking' && !upload.recheck
  const at = columns ? 'columns' : checking ? 'check' : 'import'
  const place = useFocusOnChange(at)
  if (upload.status === 'started') return <Started upload={upload} />
  return (
    <>
      <div ref={place} tabIndex={-1} className="place">
        <Stages at={at} />
      </div>
      {columns ? (
        <ColumnsStep upload={upload} onChecking={() => setBack(false)} />
      ) : (
        <CheckStep upload={upload} onBack={() => setBack(true)} />
      )}
    </>
  )
}

/** The button that led to another step is gone: the focus, and the view, move to the steps. */
function useFocusOnChange(step: string) {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef(step)
  useEffect(() => {
    if (before.current === step) return
    before.current = step
    // Leaves the focus where the merchant has moved it during a check.
    if (document.activeElement !== document.body) return
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [step])
  return place
}
