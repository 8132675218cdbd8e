// The rows that are not imported, each with a way back.
import { useState } from 'react'
import { type CsvUpload } from './calls.ts'
import { useChangeRows, useCsvRows } from './correction-calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { BlockStack, Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export function LeftOutRows({ upload }: { upload: CsvUpload }) {
  const [open, setOpen] = useState(false)
  const { left_out: count } = upload.corrections
  return (
    <Titled
      title={t('{count, plural, one {# row} other {# rows}} left out', { count })}
      action={
        <Button variant="plain" ariaExpanded={open} onClick={() => setOpen(!open)}>
          {open ? t('Hide the rows') : t('Show the rows')}
        </Button>
      }
    >
      {open && <List upload={upload} />}
    </Titled>
  )
}

function List({ upload }: { upload: CsvUpload }) {
  const { data, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useCsvRows(upload.id, { only: 'left_out' })
  const change = useChangeRows(upload.id)
  const rows = (data?.pages.flatMap((page) => page.data) ?? []).filter((row) => row.left_out)
  if (isPending) return <LoadingRows rows={2} what={t('rows')} />
  return (
    <BlockStack gap="200">
      {error && (
        <Problem
          error={error}
          what={t('The rows could not be loaded')}
          onRetry={() => void refetch()}
        />
      )}
      {change.error && <Problem error={change.error} what={t('The row could not be put back')} />}
      <ul className="kept-files">
        {rows.map(({ row, values }) => (
          <li key={row}>
            <InlineStack align="space-between" gap="200" wrap={false}>
              <Text as="span" breakWord>
                {t('Row {row, number}', { row })}: {values.filename || values.file_url || '–'}
              </Text>
              <Button
                variant="plain"
                disabled={change.isPending}
                accessibilityLabel={t('Put back row {row}', { row })}
                onClick={() => change.mutate([{ row, left_out: false }])}
              >
                {t('Put back')}
              </Button>
            </InlineStack>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <InlineStack>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('Show more rows')}
          </Button>
        </InlineStack>
      )}
    </BlockStack>
  )
}
