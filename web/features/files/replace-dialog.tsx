// Replaces a file by one that is dropped or chosen, or by the bytes at an address. What differs from
// the present version is shown before anything is sent; afterwards its buyers can be told.
import { useEffect, useRef, useState } from 'react'
import { useFileBytes } from '../../shell/client/queries.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { kindText } from '../../shell/files/labels.ts'
import { numberText, scoreText, sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, Hint, Link, Text, TextField } from '../../shell/ui/index.ts'
import { MOST_PDF_BYTES, pdfPages } from './pdf-pages.ts'
import { useBuyersOf, useReplaceByUpload } from './replace-calls.ts'
import { type ReplaceResult, useReplaceFile } from './version-calls.ts'
import './replace-dialog.css'

interface Props {
  file: FileDetail
  /** The file that was dropped on the page; null: none was chosen yet. */
  dropped: ChosenFile | null
  onClose: () => void
  /** Opens the dialog that notifies the file's buyers; null: this installation has none. */
  onTell: (() => void) | null
}

export function ReplaceDialog({ file, dropped, onClose, onTell }: Props) {
  // The version that is replaced: the page reads the file again when it is done.
  const [before] = useState(file)
  const [chosen, setChosen] = useState<File | null>(
    file.link_url === null ? (dropped?.data ?? null) : null,
  )
  const [url, setUrl] = useState(before.link_url ?? '')
  const { busy, result, error, problem, sent, send, reset } = useReplacing(before)
  const submit = () => !busy && send(chosen, url.trim())
  if (result && isSame(result)) return <Same file={before} onClose={onClose} />
  if (result && (isReplaced(result) || result.status === 'processing'))
    return <Replaced file={before} result={result} onClose={onClose} onTell={onTell} />
  const choose = (next: File | null) => {
    reset()
    setChosen(next)
  }
  return (
    <Dialog
      title={titleOf(before)}
      onClose={onClose}
      onEnter={submit}
      why={whyNot(before, chosen, url.trim())}
      primaryAction={{ content: t('Replace'), onAction: submit, loading: busy }}
    >
      {error && <Problem error={error} what={t('The file could not be replaced')} />}
      {result && <NotReplaced replaced={result} />}
      {chosen ? (
        <>
          <Compared key={chosen.name + chosen.size} file={before} chosen={chosen} />
          {busy ? (
            <Text as="p">
              <span role="status">
                {t('{percent} sent', { percent: scoreText(sent / Math.max(1, chosen.size)) })}
              </span>
            </Text>
          ) : (
            <div>
              <Button variant="plain" onClick={() => choose(null)}>
                {t('Choose another file')}
              </Button>
            </div>
          )}
        </>
      ) : (
        <Choices
          file={before}
          url={url}
          problem={problem}
          onUrl={(text) => {
            reset()
            setUrl(text)
          }}
          onFile={choose}
        />
      )}
    </Dialog>
  )
}

/** Why nothing can be sent yet; null: it can. */
function whyNot(file: FileDetail, chosen: File | null, url: string): string | null {
  if (chosen) return null
  if (file.link_url !== null) return url === file.link_url ? t('Enter another address.') : null
  return url === '' ? t('Choose a file first.') : null
}

/** Sends the chosen file, or lets the server fetch the bytes at an address. */
function useReplacing({ id, filename, link_url }: FileDetail) {
  const [sent, setSent] = useState(0)
  const upload = useReplaceByUpload(id)
  const fetched = useReplaceFile(id)
  const sending = useRef(new AbortController())
  // A closed dialog sends nothing more.
  useEffect(() => () => sending.current.abort(), [])
  const problem = problemsOf(objectionsIn(fetched.error)).at(link_url === null ? 'url' : 'link_url')
  const reset = () => {
    upload.reset()
    fetched.reset()
  }
  return {
    sent,
    problem,
    reset,
    busy: upload.isPending || fetched.isPending,
    result: upload.data ?? fetched.data,
    error: upload.error ?? (problem ? null : fetched.error),
    send: (bytes: File | null, url: string) => {
      reset()
      sending.current = new AbortController()
      const { signal } = sending.current
      if (bytes) upload.mutate({ bytes, filename, signal, onProgress: setSent })
      else if (url !== '') fetched.mutate(link_url === null ? { url } : { link_url: url })
    },
  }
}

interface ChoicesProps {
  file: FileDetail
  url: string
  problem: string | undefined
  onUrl: (text: string) => void
  onFile: (file: File) => void
}

const Choices = ({ file, url, problem, onUrl, onFile }: ChoicesProps) =>
  file.link_url !== null ? (
    <TextField
      label={t('The new address')}
      helpText={t('Links to the file lead there. The address before is kept as a version.')}
      type="url"
      autoFocus
      value={url}
      error={problem}
      onChange={onUrl}
    />
  ) : (
    <>
      <DropArea
        small
        title={t('Drop the new version here')}
        help={t('It may have any name. Links, products and settings do not change.')}
        choose={t('Choose a file')}
        onFiles={([one]) => one && onFile(one.data)}
      />
      <TextField
        label={t('Or the URL of the new file')}
        type="url"
        placeholder={t('https://cdn.example.com/guide.pdf')}
        value={url}
        error={problem}
        onChange={onUrl}
      />
    </>
  )

const isReplaced = ({ files }: ReplaceResult) => files[0]?.status === 'imported'
const isSame = ({ files }: ReplaceResult) => files[0]?.status === 'unchanged'
const titleOf = ({ filename }: FileDetail) => t('Replace {filename}', { filename })

/** The present version beside the chosen file. */
function Compared({ file, chosen }: { file: FileDetail; chosen: File }) {
  const pages = usePages(file, chosen)
  const [now, next] = [
    kindText(file.filename, file.content_type),
    kindText(chosen.name, chosen.type),
  ]
  const rows: [string, string, string][] = [
    [t('Name'), file.filename, chosen.name],
    [t('Type'), now, next],
    [t('Size'), sizeText(file.size_bytes), sizeText(chosen.size)],
    ...(pages.some((count) => count !== null)
      ? [[t('Pages'), pagesText(pages[0]), pagesText(pages[1])] as [string, string, string]]
      : []),
    [
      t('Date'),
      momentText(file.updated_at),
      momentText(new Date(chosen.lastModified).toISOString()),
    ],
  ]
  return (
    <BlockStack gap="300">
      <div className="compared" role="region" tabIndex={0} aria-label={t('What changes')}>
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">{t('Version {number}', { number: file.version })}</th>
              <th scope="col">{t('New version')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, was, will]) => (
              <tr key={name} className={was === will ? undefined : 'differs'}>
                <th scope="row">{name}</th>
                <td>{was}</td>
                <td>{will}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {now !== next && (
        <Banner tone="warning">
          <p>
            {t('The new file is of another type. The file keeps its name {filename}.', {
              filename: file.filename,
            })}
          </p>
        </Banner>
      )}
      {now === next && chosen.name !== file.filename && (
        <Hint>{t('The file keeps its name.')}</Hint>
      )}
    </BlockStack>
  )
}

const pagesText = (count: number | null): string => (count === null ? '–' : numberText(count))

/** The pages of the present version and of the chosen file; null: not known. */
function usePages(file: FileDetail, chosen: File): readonly [number | null, number | null] {
  const { id, version, content_type, size_bytes } = file
  const isRead = content_type.includes('pdf') && size_bytes <= MOST_PDF_BYTES
  const present = useFileBytes(id, version, isRead)
  return [usePageCount(present.data), usePageCount(chosen)]
}

function usePageCount(bytes: Blob | undefined): number | null {
  const [pages, setPages] = useState<number | null>(null)
  useEffect(() => {
    let isShown = true
    if (bytes)
      void pagesOf(bytes)
        .catch(() => null)
        .then((count) => isShown && setPages(count))
    return () => {
      isShown = false
    }
  }, [bytes])
  return pages
}

const pagesOf = async (bytes: Blob): Promise<number | null> =>
  bytes.size <= MOST_PDF_BYTES ? pdfPages(new Uint8Array(await bytes.arrayBuffer())) : null

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

interface ReplacedProps extends Pick<Props, 'file' | 'onClose' | 'onTell'> {
  result: ReplaceResult
}

/** The file was replaced, or is being replaced: a large one takes longer than the dialog waits. */
function Replaced({ file, result, onClose, onTell }: ReplacedProps) {
  const counted = useBuyersOf(file.id)
  const buyers = counted.data?.buyers ?? 0
  const isDone = isReplaced(result)
  const tell = isDone && buyers > 0 ? onTell : null
  return (
    <Dialog
      title={titleOf(file)}
      onClose={onClose}
      primaryAction={
        tell
          ? {
              content: t('Tell the {buyers, plural, one {# buyer} other {# buyers}} …', { buyers }),
              onAction: tell,
            }
          : { content: t('Done'), onAction: onClose }
      }
      secondaryActions={tell ? [{ content: t('Done'), onAction: onClose }] : undefined}
    >
      {isDone ? (
        <Banner tone="success" title={t('The file was replaced')}>
          <p>
            {t('Its links deliver the new version. The one before is kept and can be restored.')}
          </p>
        </Banner>
      ) : (
        <Banner tone="info" title={t('The new version is being imported')}>
          <p>
            {tRich(
              'Until it has arrived, links deliver the previous version. <link>See the progress</link>',
              {},
              { link: (text) => <Link url={`/operations/${result.job_id}`}>{text}</Link> },
            )}
          </p>
        </Banner>
      )}
      {isDone && counted.data && buyers === 0 && (
        <Hint>{t('No buyer with an email address has this file.')}</Hint>
      )}
    </Dialog>
  )
}

/** The new bytes are those of the present version: nothing changed, and buyers have no news. */
const Same = ({ file, onClose }: Pick<Props, 'file' | 'onClose'>) => (
  <Dialog
    title={titleOf(file)}
    onClose={onClose}
    primaryAction={{ content: t('Done'), onAction: onClose }}
  >
    <Banner tone="info" title={t('The file has the same bytes already')} />
  </Dialog>
)
