// The drop folder: waiting files, failed ones with their reasons, imported ones; and importing the
// waiting ones.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Quiet } from '../../shell/components/quiet.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Box,
  Button,
  Card,
  Heading,
  InlineStack,
  Tabs,
  Text,
  Link,
  SmallPrint,
} from '../../shell/ui/index.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { StatusBadge } from '../operations/status.tsx'
import {
  type Drop,
  type DropFolder,
  useDropFiles,
  useImportDropped,
  type DropFile,
  useDeleteDropFile,
  useRetryDropFile,
} from './calls.ts'
import './drop.css'
import { failureAdvice, fileWord, protocolText, waitingText } from './labels.ts'

const FOLDERS: readonly { id: DropFolder; content: string; empty: string; why: string }[] = [
  {
    id: '',
    content: t('Not imported yet'),
    empty: t('Nothing is waiting'),
    why: t('Connect with one of the accounts and send files: they appear here when they arrive.'),
  },
  {
    id: 'failed',
    content: t('Failed'),
    empty: t('No file has failed'),
    why: t('A file that could not be imported is moved to /failed/, with the reason beside it.'),
  },
  {
    id: 'processed',
    content: t('Imported'),
    empty: t('No imported file is kept'),
    why: t(
      'Imported files are moved to /processed/ for 30 days, unless the settings say otherwise.',
    ),
  },
]

export function FolderCard({ drop }: { drop: Drop }) {
  const [chosen, setChosen] = useState(0)
  const folder = FOLDERS[chosen]!
  const start = useImportDropped()
  const begin = (dry_run: boolean) =>
    start.mutate(
      { dry_run },
      {
        onSuccess: ({ id }) => {
          if (dry_run) navigate(`/operations/${id}`)
          else toast(t('The import has started'))
        },
      },
    )
  const busy = (dry_run: boolean) => start.isPending && start.variables.dry_run === dry_run
  return (
    <Card padding="0">
      <Box padding="400">
        <BlockStack gap="300">
          <InlineStack align="space-between" blockAlign="center" gap="200">
            <Heading>{t('In the folder')}</Heading>
            <InlineStack gap="200">
              <Button
                loading={busy(true)}
                disabled={start.isPending || drop.waiting.files === 0}
                onClick={() => begin(true)}
              >
                {t('Preview import')}
              </Button>
              <Button
                variant="primary"
                loading={busy(false)}
                disabled={start.isPending || drop.waiting.files === 0}
                onClick={() => begin(false)}
              >
                {t('Import now')}
              </Button>
            </InlineStack>
          </InlineStack>
          {start.error && (
            <Problem error={start.error} what={t('The import could not be started')} />
          )}
          <Waiting drop={drop} />
        </BlockStack>
      </Box>
      <Tabs
        tabs={FOLDERS.map(({ id, content }) => ({ id: `folder-${id}`, content }))}
        selected={chosen}
        onSelect={setChosen}
      >
        <Files key={folder.id} folder={folder} />
      </Tabs>
    </Card>
  )
}

function Waiting({ drop: { waiting, quota, next_import_at, ...drop } }: { drop: Drop }) {
  const share = quota.max_bytes === 0 ? 0 : (quota.used_bytes / quota.max_bytes) * 100
  const next = !drop.auto_import
    ? t('Automatic import is off.')
    : drop.schedule === 'manual'
      ? t('Files are imported when you choose Import now.')
      : drop.schedule === 'realtime'
        ? t('Each file is imported when it has arrived.')
        : next_import_at === null
          ? ''
          : t('Next import: {at}.', { at: momentText(next_import_at) })
  return (
    <BlockStack gap="200">
      <Text as="p">
        <span role="status">
          {t(
            '{files, plural, =0 {No file waits} one {# file waits, {size}} other {# files wait, {size}}}.',
            {
              files: waiting.files,
              size: sizeText(waiting.bytes),
            },
          )}
        </span>{' '}
        {next}
      </Text>
      <div
        className="bar"
        role="meter"
        aria-label={t('Space used')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share)}
      >
        <span className={share > 90 ? 'failed' : 'done'} style={{ inlineSize: `${share}%` }} />
      </div>
      <Text as="p" variant="bodySm" tone="subdued">
        {t('{used} of {max} are used by files that wait, are being sent, or are in /failed/.', {
          used: sizeText(quota.used_bytes),
          max: sizeText(quota.max_bytes),
        })}{' '}
        {t('A file may have up to {size}.', { size: sizeText(drop.limits.file_bytes) })}
      </Text>
    </BlockStack>
  )
}

function Files({ folder }: { folder: (typeof FOLDERS)[number] }) {
  const files = useDropFiles(folder.id)
  // Running transfers have a card above.
  const list = files.data?.pages
    .flatMap(({ data }) => data)
    .filter(({ state }) => state !== 'writing')
  return (
    <>
      {files.error && (
        <Box padding="400">
          <LoadProblem query={files} what={t('The files could not be loaded')} />
        </Box>
      )}
      {files.isPending && <LoadingRows rows={3} what={t('files')} />}
      {list?.length === 0 && !files.hasNextPage && (
        <Quiet heading={folder.empty} text={folder.why} />
      )}
      {list && list.length > 0 && (
        <ul className="drop-list" aria-label={folder.content}>
          {list.map((file) => (
            <FileRow key={file.id} file={file} />
          ))}
        </ul>
      )}
      {files.hasNextPage && (
        <Box padding="400">
          <Button loading={files.isFetchingNextPage} onClick={() => void files.fetchNextPage()}>
            {t('Show more')}
          </Button>
        </Box>
      )}
    </>
  )
}

// One file of the drop folder: its state, why it failed, and its actions.

function FileRow({ file }: { file: DropFile }) {
  const { path, state, size_bytes, modified_at, protocol, account_name, import_id } = file
  const retry = useRetryDropFile()
  const [deleting, setDeleting] = useState(false)
  const about = [
    sizeText(size_bytes),
    momentText(modified_at),
    account_name,
    protocolText(protocol),
  ]
  return (
    <li>
      <div className="drop-name">
        <BlockStack gap="050">
          <Text as="span" breakWord>
            {path}
          </Text>
          <SmallPrint>{about.filter(Boolean).join(' · ')}</SmallPrint>
          <Reason file={file} />
          <SmallError error={retry.error} />
        </BlockStack>
      </div>
      <div className="drop-state">
        <StatusBadge word={fileWord(file)} />
        {import_id && <Link url={`/operations/${import_id}`}>{t('View import')}</Link>}
        {state === 'failed' && (
          <Button
            variant="plain"
            loading={retry.isPending}
            accessibilityLabel={actionName(t('Try again'), path)}
            onClick={() =>
              retry.mutate(file.id, { onSuccess: () => toast(t('It waits for the next import')) })
            }
          >
            {t('Try again')}
          </Button>
        )}
        {state !== 'importing' && (
          <CriticalButton
            label={t('Delete {name}', { name: path })}
            onClick={() => setDeleting(true)}
            text={t('Delete')}
          />
        )}
      </div>
      {deleting && <DeleteFile file={file} onClose={() => setDeleting(false)} />}
    </li>
  )
}

function Reason({ file }: { file: DropFile }) {
  const { state, error, cleared_at } = file
  const text =
    state === 'failed' && error
      ? [error.message, error.detail ?? failureAdvice(error.code)].filter(Boolean).join('. ')
      : state === 'partial'
        ? t('The transfer broke off. Send it again: most programs resume where it stopped.')
        : cleared_at
          ? t('It is removed from the folder on {at}', { at: momentText(cleared_at) })
          : waitingText(file)
  if (text === null) return null
  return (
    <Text as="span" variant="bodySm" tone={state === 'failed' ? 'critical' : 'subdued'} breakWord>
      {text}
    </Text>
  )
}

function DeleteFile({ file, onClose }: { file: DropFile; onClose: () => void }) {
  const remove = useDeleteDropFile()
  return (
    <DeleteDialog
      open
      title={t('Delete “{name}”?', { name: file.path })}
      deleting={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onDelete={() =>
        remove.mutate(file.id, {
          onSuccess: () => {
            toast(t('The file was deleted from the folder'))
            onClose()
          },
        })
      }
    >
      <Text as="p">
        {file.state === 'processed'
          ? t(
              'Only the copy in the drop folder is deleted. The imported file stays in your library.',
            )
          : t(
              'It is deleted from the drop folder without being imported. This cannot be undone: send it again if you need it.',
            )}
      </Text>
    </DeleteDialog>
  )
}
