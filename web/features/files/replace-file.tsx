// The dialog that replaces a file's bytes from an address, and shows the result.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { type ReplaceResult, useReplaceFile } from './version-calls.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Banner, Link, TextField } from '../../shell/ui/index.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t } from '../../shell/messages/t.ts'

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
        toast(t('The file was replaced'))
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
      why={url.trim() === '' ? t('Enter an address first.') : null}
      primaryAction={{
        content: t('Replace'),
        onAction: submit,
        loading: replace.isPending,
      }}
    >
      {replace.error && !problem && (
        <Problem error={replace.error} what={t('The file could not be replaced')} />
      )}
      {replace.data && !isReplaced(replace.data) && <NotReplaced replaced={replace.data} />}
      <TextField
        label={t('URL of the new file')}
        type="url"
        autoFocus
        placeholder={t('https://cdn.example.com/guide.pdf')}
        helpText={t(
          'Links, products and settings do not change. To use a file from this computer, upload a file with the same name and choose Add as a new version.',
        )}
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

const isReplaced = ({ files }: ReplaceResult) => files[0]?.status === 'imported'
const titleOf = ({ filename }: FileDetail) => t('Replace {filename}', { filename })

function NotReplaced({ replaced: { files, job_id } }: { replaced: ReplaceResult }) {
  const error = files[0]?.error
  return (
    <Banner tone="critical" title={t('The file could not be replaced')}>
      <p>
        {[error?.message ?? t('The import was stopped'), error?.detail].filter(Boolean).join(': ')}
      </p>
      <p>
        <Link url={`/operations/${job_id}`}>{t('View details')}</Link>
      </p>
    </Banner>
  )
}

/** A large file takes longer than the dialog waits. */
const GoingOn = ({ file, replaced, onClose }: Props & { replaced: ReplaceResult }) => (
  <Dialog
    title={titleOf(file)}
    onClose={onClose}
    primaryAction={{ content: t('Done'), onAction: onClose }}
  >
    <Banner tone="info" title={t('The new version is being imported')}>
      <p>
        {tRich(
          'Until it has arrived, links deliver the previous version. <link>See the progress</link>',
          {},
          { link: (text) => <Link url={`/operations/${replaced.job_id}`}>{text}</Link> },
        )}
      </p>
    </Banner>
  </Dialog>
)
