// One CSV file: its columns, then the results of its check, then its import.
import { useEffect, useRef, useState } from 'react'
import { type CsvUpload, useCsv } from './calls.ts'
import { CheckStep } from './check-step.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { Stages } from './stages.tsx'
import { Started } from './started.tsx'
import { KeptPage } from '../../shell/components/kept-page.tsx'
import { t } from '../../shell/messages/t.ts'

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
