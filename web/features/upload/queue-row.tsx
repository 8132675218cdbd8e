// One file of the queue.
import { FileIcon } from '../../shell/files/icon.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { useState } from 'react'
import { andText } from '../../shell/labels/list.ts'
import { Button, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { type CommonValues } from './for-all.ts'
import { MapRows } from './map-rows.tsx'
import { sentText, UPLOAD_STATUSES } from './labels.ts'
import { type UploadQueue } from './queue.ts'
import { needsProduct, type UploadRow } from './rows.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  row: UploadRow
  queue: UploadQueue
  /** The name of the file is taken: the merchant is asked what to do. */
  onTaken: (row: UploadRow) => void
  /** The product that is chosen for all files. */
  common: CommonValues['product']
  isMapping: boolean
}

export function QueueRow({ row, queue, onTaken, common, isMapping }: Props) {
  const { filename, folder, size, sent, status, error } = row
  const share = size === 0 ? 0 : sent / size
  const going = status === 'uploading' || status === 'paused'
  return (
    <li aria-label={filename}>
      <div className="file-name">
        <FileIcon filename={filename} />
        <div className="queue-name">
          <Text as="p" fontWeight="medium" truncate>
            {row.file ? (
              <Link url={`/files/${row.file}`}>{filename}</Link>
            ) : (
              <span title={filename}>{filename}</span>
            )}
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
          <RowProduct row={row} queue={queue} common={common} isMapping={isMapping} />
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

/** The product of a file, or the way to one. */
function RowProduct({ row, queue, common, isMapping }: Omit<Props, 'onTaken'>) {
  const [choosing, setChoosing] = useState(false)
  if (row.status === 'failed') return null
  if (needsProduct(row)) {
    const state = isMapping ? t('Being mapped') : t('Not mapped: choose')
    return (
      <InlineStack>
        <Button
          variant="plain"
          disabled={isMapping}
          accessibilityLabel={actionName(state, row.filename)}
          onClick={() => setChoosing(true)}
        >
          {state}
        </Button>
        {choosing && <MapRows queue={queue} rows={[row]} onClose={() => setChoosing(false)} />}
      </InlineStack>
    )
  }
  const title = row.products.length > 0 ? andText(row.products) : common?.title
  if (title === undefined) return null
  return (
    <Text as="p" variant="bodySm" tone="subdued" truncate>
      {t('Product: {title}', { title })}
    </Text>
  )
}

function Actions({ row, queue, onTaken }: Pick<Props, 'row' | 'queue' | 'onTaken'>) {
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
      accessibilityLabel={actionName(name, filename)}
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
