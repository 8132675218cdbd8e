// The queue: totals with the actions on all files, and a row for each file.
import { useState } from 'react'
import { Figures } from '../../shell/components/facts.tsx'
import { PageTurner } from '../../shell/components/lists.tsx'
import { Question } from '../../shell/components/question.tsx'
import {
  BlockStack,
  Box,
  Button,
  Card,
  InlineStack,
  SmallPrint,
  Text,
  Link,
} from '../../shell/ui/index.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { remainingText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { andText } from '../../shell/labels/list.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { StatusBadge } from '../operations/status.tsx'
import { speedText, type UploadStatus, sentText, UPLOAD_STATUSES } from './labels.ts'
import { quarterOf } from './announcement.ts'
import type { QueueState, UploadQueue } from './queue.ts'
import { type UploadRow, needsProduct } from './rows.ts'
import type { CommonValues } from './for-all.ts'
import { MapRows } from './map-rows.tsx'

const SHOWN = 50

interface Props {
  queue: UploadQueue
  state: QueueState
  /** Asks the merchant what to do with files whose names are taken. */
  onTaken: (rows: readonly UploadRow[]) => void
}

export function QueueCard({ queue, state, onTaken }: Props) {
  const [page, setPage] = useState(0)
  const { rows } = state
  const last = Math.max(0, Math.ceil(rows.length / SHOWN) - 1)
  const at = Math.min(page, last)
  return (
    <Card padding="0">
      <Box padding="400">
        <BlockStack gap="400">
          <Totals state={state} />
          <ForAll queue={queue} state={state} onTaken={onTaken} />
        </BlockStack>
      </Box>
      <ul className="queue" aria-label={t('Uploads')}>
        {rows.slice(at * SHOWN, (at + 1) * SHOWN).map((row) => (
          <QueueRow
            key={row.id}
            row={row}
            queue={queue}
            common={state.forAll.product}
            isMapping={state.mapping.has(row.id)}
            onTaken={(one) => onTaken([one])}
          />
        ))}
      </ul>
      {last > 0 && (
        <PageTurner
          label={t('{first, number}–{last, number} of {total, number}', {
            first: at * SHOWN + 1,
            last: Math.min(rows.length, (at + 1) * SHOWN),
            total: rows.length,
          })}
          what={t('uploads')}
          pages={{
            hasNext: at < last,
            hasPrevious: at > 0,
            onNext: () => setPage(at + 1),
            onPrevious: () => setPage(at - 1),
          }}
        />
      )}
    </Card>
  )
}

function Totals({ state: { rows, totals, speed, seconds } }: { state: QueueState }) {
  const share = totals.bytes === 0 ? 0 : totals.sent / totals.bytes
  const moving = rows.some(({ status }) => status === 'uploading')
  return (
    <BlockStack gap="300">
      <div className="progress">
        <div
          className={`bar wide ${totals.remaining > 0 ? 'moving' : ''}`}
          role="progressbar"
          aria-label={t('All uploads')}
          aria-valuemin={0}
          aria-valuemax={100}
          // Screen readers announce each change; the text beside it is exact.
          aria-valuenow={quarterOf(totals) * 25}
        >
          <span className="done" style={{ inlineSize: `${share * 100}%` }} />
        </div>
        <SmallPrint>
          <span className="tabular">
            {t('{sent} of {size}', {
              sent: sizeText(totals.sent),
              size: sizeText(totals.bytes),
            })}
          </span>
        </SmallPrint>
      </div>
      <Figures
        rows={[
          [t('Total files'), numberText(totals.total)],
          [t('Completed'), numberText(totals.completed)],
          [
            t('Failed'),
            <span key="failed" className={totals.failed > 0 ? 'critical' : undefined}>
              {numberText(totals.failed)}
            </span>,
          ],
          [t('Remaining'), numberText(totals.remaining)],
          [t('Estimated time'), moving && seconds !== null ? remainingText(seconds) : '–'],
          [t('Speed'), moving && speed !== null ? speedText(speed) : '–'],
        ]}
      />
    </BlockStack>
  )
}

function ForAll({ queue, state: { rows }, onTaken }: Props) {
  const [asking, setAsking] = useState(false)
  const count = (...statuses: UploadStatus[]) =>
    rows.filter(({ status }) => statuses.includes(status)).length
  const waiting = count('queued', 'uploading', 'paused')
  const retryFailed = () => {
    queue.retryFailed()
    const taken = rows.filter((row) => row.taken)
    if (taken.length > 0) onTaken(taken)
  }
  return (
    <InlineStack gap="200">
      {count('queued', 'uploading') > 0 && (
        <Button onClick={queue.pauseAll}>{t('Pause all')}</Button>
      )}
      {count('paused') > 0 && <Button onClick={queue.resumeAll}>{t('Resume all')}</Button>}
      {waiting > 0 && (
        <Button tone="critical" onClick={() => setAsking(true)}>
          {t('Cancel all')}
        </Button>
      )}
      {count('failed') > 0 && <Button onClick={retryFailed}>{t('Retry failed')}</Button>}
      {count('complete', 'failed') > 0 && (
        <Button variant="plain" onClick={queue.clear}>
          {t('Clear finished')}
        </Button>
      )}
      {asking && (
        <Question
          title={t('Cancel {waiting, plural, one {# upload} other {# uploads}}?', { waiting })}
          onClose={() => setAsking(false)}
          action={{
            content: t('Cancel uploads'),
            destructive: true,
            onAction: () => {
              setAsking(false)
              queue.cancelAll()
            },
          }}
          back={t('Keep uploading')}
        >
          <Text as="p">{t('Parts that have arrived are deleted. Completed files are kept.')}</Text>
        </Question>
      )}
    </InlineStack>
  )
}

// One file of the queue.

interface QueueRowProps {
  row: UploadRow
  queue: UploadQueue
  /** The name of the file is taken: the merchant is asked what to do. */
  onTaken: (row: UploadRow) => void
  /** The product that is chosen for all files. */
  common: CommonValues['product']
  isMapping: boolean
}

function QueueRow({ row, queue, onTaken, common, isMapping }: QueueRowProps) {
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
function RowProduct({ row, queue, common, isMapping }: Omit<QueueRowProps, 'onTaken'>) {
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

function Actions({ row, queue, onTaken }: Pick<QueueRowProps, 'row' | 'queue' | 'onTaken'>) {
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
