// Corrections of a checked file: its problems by cause with what fixes all of them, the rows that are
// left out, undo, and the corrected file.
import { useEffect, useRef, useState } from 'react'
import { type CsvUpload, saveErrorRows } from './calls.ts'
import {
  saveCorrected,
  useProblemGroups,
  useReadProblemsAgain,
  useRecheck,
  useUndoCorrection,
} from './correction-calls.ts'
import { LeftOutRows } from './left-out-rows.tsx'
import { ProblemGroupCard } from './problem-group.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { Button, Card, Hint, InlineStack, Text } from '../../shell/ui/index.ts'
import './corrections.css'
import { t } from '../../shell/messages/t.ts'

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
