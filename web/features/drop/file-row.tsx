// One file of the drop folder: its state, why it failed, and its actions.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type DropFile, useDeleteDropFile, useRetryDropFile } from './calls.ts'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { SmallError } from '../../shell/components/small-error.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { StatusBadge } from '../operations/status.tsx'
import { failureAdvice, fileWord, protocolText, waitingText } from './labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Link, SmallPrint, Text } from '../../shell/ui/index.ts'

export function FileRow({ file }: { file: DropFile }) {
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
