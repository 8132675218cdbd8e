// The operations of a CSV file: its import and its changes of existing files.
import { type CsvUpload } from './calls.ts'
import { Banner } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export function Started({ upload: { job_id, update_job_id } }: { upload: CsvUpload }) {
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
