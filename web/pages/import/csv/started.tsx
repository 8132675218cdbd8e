// The import of a CSV file has begun: it is watched as an operation.
import { type CsvUpload } from '../../../client/csv.ts'
import { Banner } from '../../../ui/index.ts'

export function Started({ upload: { job_id } }: { upload: CsvUpload }) {
  return (
    <Banner
      tone="success"
      title="The import has been started"
      action={job_id ? { content: 'View details', url: `/operations/${job_id}` } : { content: 'Files', url: '/files' }}
    >
      <p>It goes on by itself, whatever page you are on.</p>
    </Banner>
  )
}
