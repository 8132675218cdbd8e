// The queue: all of it in figures with what can be done with all, and each file with what can be
// done with it.
import { useState } from 'react'
import { Figures } from '../../../components/facts.tsx'
import { PageTurner } from '../../../components/lists.tsx'
import { BlockStack, Box, Button, Card, InlineStack, Modal, Text } from '../../../ui/index.ts'
import { countText, numberText, sizeText } from '../../../labels/size.ts'
import { remainingText } from '../../../labels/time.ts'
import { speedText, type UploadStatus } from '../../../labels/upload.ts'
import { type QueueState, type UploadQueue } from './queue.ts'
import { QueueRow } from './queue-row.tsx'
import { type UploadRow } from './rows.ts'

const SHOWN = 50

interface Props {
  queue: UploadQueue
  state: QueueState
  /** Names of these are taken: somebody says what becomes of them. */
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
      <ul className="queue" aria-label="Uploads">
        {rows.slice(at * SHOWN, (at + 1) * SHOWN).map((row) => (
          <QueueRow key={row.id} row={row} queue={queue} onTaken={(one) => onTaken([one])} />
        ))}
      </ul>
      {last > 0 && (
        <PageTurner
          label={`${numberText(at * SHOWN + 1)}–${numberText(Math.min(rows.length, (at + 1) * SHOWN))} of ${numberText(rows.length)}`}
          what="uploads"
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
          aria-label="All uploads"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.floor(share * 100)}
        >
          <span className="done" style={{ inlineSize: `${share * 100}%` }} />
        </div>
        <Text as="span" variant="bodySm" tone="subdued">
          <span className="tabular">
            {sizeText(totals.sent)} of {sizeText(totals.bytes)}
          </span>
        </Text>
      </div>
      <Figures
        rows={[
          ['Total files', numberText(totals.total)],
          ['Completed', numberText(totals.completed)],
          [
            'Failed',
            <span key="failed" className={totals.failed > 0 ? 'critical' : undefined}>
              {numberText(totals.failed)}
            </span>,
          ],
          ['Remaining', numberText(totals.remaining)],
          ['Estimated time', moving && seconds !== null ? remainingText(seconds) : '–'],
          ['Speed', moving && speed !== null ? speedText(speed) : '–'],
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
      <Button disabled={count('queued', 'uploading') === 0} onClick={queue.pauseAll}>
        Pause all
      </Button>
      <Button disabled={count('paused') === 0} onClick={queue.resumeAll}>
        Resume all
      </Button>
      <Button disabled={waiting === 0} tone="critical" onClick={() => setAsking(true)}>
        Cancel all
      </Button>
      <Button disabled={count('failed') === 0} onClick={retryFailed}>
        Retry failed
      </Button>
      {count('complete', 'failed') > 0 && (
        <Button variant="plain" onClick={queue.clear}>
          Clear finished
        </Button>
      )}
      <Modal
        open={asking}
        onClose={() => setAsking(false)}
        title={`Cancel ${countText(waiting, 'upload', 'uploads')}?`}
        primaryAction={{
          content: 'Cancel uploads',
          destructive: true,
          onAction: () => {
            setAsking(false)
            queue.cancelAll()
          },
        }}
        secondaryActions={[{ content: 'Keep uploading', onAction: () => setAsking(false) }]}
      >
        <Modal.Section>
          <Text as="p">
            What had arrived of them is thrown away. Files that are up already stay.
          </Text>
        </Modal.Section>
      </Modal>
    </InlineStack>
  )
}
