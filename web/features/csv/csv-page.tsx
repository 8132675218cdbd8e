// One CSV file: its columns, then the results of its check, then its import.
import { useEffect, useRef, useState } from 'react'
import { KeptPage } from '../../shell/components/kept-page.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, Button, InlineStack, SmallPrint } from '../../shell/ui/index.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { Figures } from '../../shell/components/facts.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { type CsvUpload, useCsv, type CsvCheck, useCheckCsv, useStopCheck } from './calls.ts'
import { ColumnsStep } from './columns-step.tsx'
import { Stages } from './stages.tsx'
import { checkStage } from './labels.ts'
import { Corrections } from './corrections.tsx'
import { StartCard } from './start-card.tsx'

export function CsvPage({ id }: { id: string }) {
  const upload = useCsv(id)
  return (
    <KeptPage
      query={upload}
      title={upload.data?.filename ?? t('CSV file')}
      back={{ content: t('Import a CSV file'), url: '/import/csv' }}
      expired={{
        title: t('CSV file not found'),
        heading: t('This CSV file has expired'),
        action: t('Choose a CSV file'),
        hint: t('CSV files are kept for a day. Choose it again to continue.'),
      }}
      what={t('the CSV file')}
      problem={t('The CSV file could not be loaded')}
    >
      {(data) => <Steps upload={data} />}
    </KeptPage>
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

// The operations of a CSV file: its import and its changes of existing files.

function Started({ upload: { job_id, update_job_id } }: { upload: CsvUpload }) {
  return (
    <>
      {(job_id !== null || update_job_id === null) && (
        <Begun what={t('The import has been started')} job={job_id} />
      )}
      {update_job_id !== null && (
        <Begun what={t('The changes to existing files have been started')} job={update_job_id} />
      )}
    </>
  )
}

function Begun({ what, job }: { what: string; job: string | null }) {
  return (
    <Banner
      tone="success"
      title={what}
      action={
        job
          ? { content: t('View details'), url: `/operations/${job}` }
          : { content: t('Files'), url: '/files' }
      }
    >
      <p>{t('It continues in the background.')}</p>
    </Banner>
  )
}

// The running check of the whole file, its results, and the start of the import.

interface Props {
  upload: CsvUpload
  onBack: () => void
}

function CheckStep({ upload, onBack }: Props) {
  const { status, check, failure } = upload
  const again = useCheckCsv(upload.id)
  const back = <Button onClick={onBack}>{t('Change the columns')}</Button>
  if (status === 'checking' && check && !upload.recheck)
    return <Checking upload={upload} check={check} />
  if (failure !== null || !check)
    return (
      <>
        {again.error && <Problem error={again.error} what={t('The check could not be started')} />}
        <Banner
          tone="critical"
          title={t('The check did not finish')}
          action={{
            content: t('Check again'),
            loading: again.isPending,
            onAction: () =>
              again.mutate({
                probe: check?.probe ?? true,
                on_conflict: check?.on_conflict ?? 'error',
              }),
          }}
        >
          <p>{failure ?? t('Its results are lost.')}</p>
        </Banner>
        <InlineStack>{back}</InlineStack>
      </>
    )
  return (
    <>
      <Titled title={t('The check')} action={back}>
        <Figures
          rows={[
            [t('Rows'), numberText(check.rows)],
            [t('Valid rows'), numberText(Math.max(0, check.rows - check.error_rows))],
            [t('Rows with errors'), <Count key="errors" count={check.error_rows} />],
            [t('Errors'), <Count key="all" count={check.errors} />],
            [t('Warnings'), numberText(check.warnings)],
          ]}
        />
      </Titled>
      <StartCard upload={upload} check={check} />
      <Corrections upload={upload} />
    </>
  )
}

const Count = ({ count }: { count: number }) => (
  <span className={count > 0 ? 'critical' : undefined}>{numberText(count)}</span>
)

function Checking({ upload: { id, rows }, check }: { upload: CsvUpload; check: CsvCheck }) {
  const { text, share } = checkStage(check, rows)
  const stop = useStopCheck(id)
  return (
    <Titled
      title={t('Checking the file')}
      help={t(
        'You can leave this page: the check continues in the background. Stop it to change the columns.',
      )}
      action={
        <Button loading={stop.isPending} onClick={() => stop.mutate()}>
          {t('Stop the check')}
        </Button>
      }
    >
      {stop.error && <Problem error={stop.error} what={t('The check could not be stopped')} />}
      <div className="progress">
        <div
          className="bar wide moving"
          role="progressbar"
          aria-label={t('Check')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
          aria-valuetext={text}
        >
          <span className="done" style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
        </div>
        <SmallPrint>
          <span className="tabular">{text}</span>
        </SmallPrint>
      </div>
      <Figures
        rows={[
          [t('Errors'), <Count key="errors" count={check.errors} />],
          [t('Warnings'), numberText(check.warnings)],
        ]}
      />
    </Titled>
  )
}
