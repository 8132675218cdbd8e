// Corrections of a checked file: its problems by cause with what fixes all of them, the rows that are
// left out, undo, and the corrected file.
import { useEffect, useRef, useState } from 'react'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { Button, Card, Hint, InlineStack, Text, BlockStack } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import { type CsvUpload, saveErrorRows } from './calls.ts'
import {
  saveCorrected,
  useProblemGroups,
  useReadProblemsAgain,
  useRecheck,
  useUndoCorrection,
  useChangeRows,
  useCsvRows,
} from './correction-calls.ts'
import { ProblemGroupCard } from './problem-group.tsx'
import './corrections.css'

export function Corrections({ upload }: { upload: CsvUpload }) {
  const { id, check, recheck, corrections } = upload
  const groups = useProblemGroups(id)
  const again = useReadProblemsAgain(id)
  useEnd(recheck !== null, () => void again())
  const list = groups.data?.data
  const found = (check?.errors ?? 0) + (check?.warnings ?? 0) > 0
  if (!found && recheck === null && corrections.rows + corrections.left_out === 0) return null
  return (
    <>
      <Summary upload={upload} />
      {groups.error && !list && (
        <LoadProblem query={groups} what={t('The problems could not be loaded')} />
      )}
      {groups.isPending && (
        <Card padding="0">
          <LoadingRows rows={4} what={t('problems')} />
        </Card>
      )}
      {list?.map((group, at) => (
        <ProblemGroupCard key={group.id} upload={upload} group={group} startsOpen={at === 0} />
      ))}
      {corrections.left_out > 0 && <LeftOutRows upload={upload} />}
    </>
  )
}

/** Calls `act` when `running` becomes false. */
function useEnd(running: boolean, act: () => void): void {
  const before = useRef(running)
  const latest = useStable(act)
  useEffect(() => {
    if (before.current && !running) latest()
    before.current = running
  }, [running, latest])
}

function Summary({ upload }: { upload: CsvUpload }) {
  const { id, check, recheck, corrections } = upload
  const undo = useUndoCorrection(id)
  const recheckFailed = useRecheck(id)
  const [saveError, setSaveError] = useState<Error | null>(null)
  const errorRows = check?.error_rows ?? 0
  const changed = corrections.rows + corrections.left_out > 0
  return (
    <Titled
      title={t('Problems')}
      help={t(
        'Correct cells here, or fix all rows with one problem. Your file does not change; corrections are imported.',
      )}
    >
      {undo.error && <Problem error={undo.error} what={t('The correction could not be undone')} />}
      {recheckFailed.error && (
        <Problem error={recheckFailed.error} what={t('The check could not be started')} />
      )}
      {saveError && <Problem error={saveError} what={t('The file could not be downloaded')} />}
      <div role="status" className="corrections-state">
        <Text as="p">{recheck ? recheckText(recheck) : leftText(errorRows)}</Text>
        {changed && (
          <Hint>
            {t(
              '{rows, plural, one {# row is} other {# rows are}} corrected, {leftOut, plural, one {# row is} other {# rows are}} left out.',
              { rows: corrections.rows, leftOut: corrections.left_out },
            )}
          </Hint>
        )}
      </div>
      <InlineStack gap="200">
        {corrections.can_undo && (
          <Button loading={undo.isPending} onClick={() => undo.mutate()}>
            {t('Undo the last correction')}
          </Button>
        )}
        <Downloads upload={upload} onError={setSaveError} />
        <Button
          disabled={recheck !== null}
          loading={recheckFailed.isPending}
          onClick={() => recheckFailed.mutate()}
        >
          {t('Check failed URLs and SKUs again')}
        </Button>
      </InlineStack>
    </Titled>
  )
}

interface DownloadsProps {
  upload: CsvUpload
  onError: (error: Error | null) => void
}

function Downloads({ upload, onError }: DownloadsProps) {
  const [saving, setSaving] = useState(false)
  const errorRows = upload.check?.error_rows ?? 0
  const save = (download: (upload: CsvUpload) => Promise<void>) => {
    setSaving(true)
    onError(null)
    download(upload)
      .catch((failure: unknown) => onError(failure as Error))
      .finally(() => setSaving(false))
  }
  return (
    <>
      <Button disabled={saving} onClick={() => save(saveCorrected)}>
        {t('Download the corrected file')}
      </Button>
      {errorRows > 0 && (
        <Button disabled={saving} onClick={() => save(saveErrorRows)}>
          {t('Download {rows, plural, one {# row with errors} other {# rows with errors}}', {
            rows: errorRows,
          })}
        </Button>
      )}
    </>
  )
}

const recheckText = ({ phase, urls, urls_total }: NonNullable<CsvUpload['recheck']>): string =>
  phase === 'urls' && urls_total > 0
    ? t('Checking what changed: {urls, number} of {total, number} URLs', {
        urls,
        total: urls_total,
      })
    : t('Checking what changed')

const leftText = (rows: number): string =>
  rows === 0
    ? t('No row has errors')
    : t('{rows, plural, one {# row has} other {# rows have}} errors', { rows })

// The rows that are not imported, each with a way back.

function LeftOutRows({ upload }: { upload: CsvUpload }) {
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
