// One file of the queue.
import { FileIcon } from '../../shell/files/icon.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { sentText, UPLOAD_STATUSES } from './labels.ts'
import { type UploadQueue } from './queue.ts'
import { type UploadRow } from './rows.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  row: UploadRow
  queue: UploadQueue
  /** Its name is taken: the merchant is asked what to do. */
  onTaken: (row: UploadRow) => void
}

export function QueueRow({ row, queue, onTaken }: Props) {
  const { filename, folder, size, sent, status, error } = row
  const share = size === 0 ? 0 : sent / size
  const going = status === 'uploading' || status === 'paused'
  return (
    <li aria-label={filename}>
      <div className="file-name">
        <FileIcon filename={filename} />
        <div className="queue-name">
          <Text as="p" fontWeight="medium" truncate>
            <span title={filename}>{filename}</span>
          </Text>
          <Text as="p" variant="bodySm" tone="subdued" truncate>
            <span className="tabular">
              {[folder, sentText(sent, size)].filter(Boolean).join(' · ')}
            </span>
          </Text>
          {going && (
            <div className={`bar ${status === 'uploading' ? 'moving' : ''}`} aria-hidden="true">
              <span className="done" style={{ inlineSize: `${share * 100}%` }} />
            </div>
          )}
          {error && (
            <Text as="p" variant="bodySm" tone="critical" breakWord>
              {error}
            </Text>
          )}
        </div>
      </div>
      <StatusBadge word={UPLOAD_STATUSES[status]} />
      <Actions row={row} queue={queue} onTaken={onTaken} />
    </li>
  )
}

function Actions({ row, queue, onTaken }: Props) {
  const { id, filename, status, arrived, taken } = row
  // The key is the button's position: pausing changes the label of a button that keeps the focus.
  const action = (
    at: 'run' | 'remove',
    name: string,
    act: (id: string) => void,
    critical = false,
  ) => (
    <Button
      key={at}
      variant="plain"
      tone={critical ? 'critical' : undefined}
      accessibilityLabel={`${name}: ${filename}`}
      onClick={() => act(id)}
    >
      {name}
    </Button>
  )
  return (
    <InlineStack gap="300" align="end" wrap={false}>
      {[
        (status === 'uploading' || status === 'queued') && action('run', t('Pause'), queue.pause),
        status === 'paused' && action('run', t('Resume'), queue.resume),
        status === 'failed' &&
          (taken
            ? action('run', t('Choose'), () => onTaken(row))
            : action('run', t('Retry'), queue.retry)),
        (status === 'uploading' ||
          status === 'queued' ||
          status === 'paused' ||
          (status === 'failed' && !arrived)) &&
          action('remove', t('Cancel'), queue.cancel, true),
        status === 'failed' && arrived && action('remove', t('Remove'), queue.cancel),
      ]}
    </InlineStack>
  )
}
