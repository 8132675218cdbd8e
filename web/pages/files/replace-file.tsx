// The dialog that gives a file new bytes from an address, and says what came of it.
import { useState } from 'react'
import { toast } from '../../client/bridge.ts'
import { type FileDetail } from '../../client/types.ts'
import { type Replaced, useReplaceFile } from '../../client/versions.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
import { objectionsIn, problemsOf } from '../../components/problems.ts'
import { Banner, Link, TextField } from '../../ui/index.ts'

interface Props {
  file: FileDetail
  onClose: () => void
}

export function ReplaceFile({ file, onClose }: Props) {
  const replace = useReplaceFile(file.id)
  const [url, setUrl] = useState('')
  const problem = problemsOf(objectionsIn(replace.error)).at('url')
  const submit = () => {
    if (url.trim() === '' || replace.isPending) return
    replace.mutate(url.trim(), {
      onSuccess: (replaced) => {
        if (!isReplaced(replaced)) return
        toast('The file was replaced')
        onClose()
      },
    })
  }
  if (replace.data?.status === 'processing')
    return <GoingOn file={file} replaced={replace.data} onClose={onClose} />
  return (
    <Dialog
      title={titleOf(file)}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{
        content: 'Replace',
        onAction: submit,
        loading: replace.isPending,
        disabled: url.trim() === '',
      }}
      secondaryActions={[{ content: 'Cancel', onAction: onClose }]}
    >
      {replace.error && !problem && (
        <Problem error={replace.error} what="The file could not be replaced" />
      )}
      {replace.data && !isReplaced(replace.data) && <NotReplaced replaced={replace.data} />}
      <TextField
        label="Address of the new bytes"
        type="url"
        autoComplete="off"
        autoFocus
        placeholder="https://cdn.example.com/guide.pdf"
        helpText="Links, products and settings stay. To send a file from this computer, upload one of the same name and choose New version."
        value={url}
        error={problem}
        onChange={(text) => {
          setUrl(text)
          replace.reset()
        }}
      />
    </Dialog>
  )
}

const isReplaced = ({ files }: Replaced) => files[0]?.status === 'imported'
const titleOf = ({ filename }: FileDetail) => `Replace ${filename}`

function NotReplaced({ replaced: { files, job_id } }: { replaced: Replaced }) {
  const error = files[0]?.error
  return (
    <Banner tone="critical" title="The file could not be replaced">
      <p>
        {[error?.message ?? 'The import was stopped', error?.detail].filter(Boolean).join(': ')}
      </p>
      <p>
        <Link url={`/operations/${job_id}`}>View details</Link>
      </p>
    </Banner>
  )
}

/** Large bytes take their time. */
const GoingOn = ({ file, replaced, onClose }: Props & { replaced: Replaced }) => (
  <Dialog
    title={titleOf(file)}
    onClose={onClose}
    primaryAction={{ content: 'Done', onAction: onClose }}
  >
    <Banner tone="info" title="The new version is on its way">
      <p>
        Until it is here, links give the bytes that they gave before.{' '}
        <Link url={`/operations/${replaced.job_id}`}>See how far it is</Link>
      </p>
    </Banner>
  </Dialog>
)
