// Uploads from this computer: choose or drop files, watch the queue, pause and resume it.
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useSession } from '../../shell/client/queries.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import { DropArea } from '../../shell/components/drop-area.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { useStable } from '../../shell/components/use-stable.ts'
import { Banner, BlockStack, Card, Text, Link } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import { batchAdvice, MAX_BYTES } from './labels.ts'
import { announcementOf, endedText } from './announcement.ts'
import { ForAllCard } from './for-all-card.tsx'
import { NeedsProduct } from './needs-product.tsx'
import { needsProduct } from './rows.ts'
import { ConflictsDialog } from './conflicts-dialog.tsx'
import { Interrupted } from './interrupted.tsx'
import { type QueueState, UploadQueue } from './queue.ts'
import { QueueCard } from './queue-card.tsx'
import { type RefusedFile, useAdmission } from './use-admission.ts'
import { ComparingLine, SameFiles } from './same-files.tsx'
import { takeDropped } from './dropped.ts'
import './upload.css'
import type { Import } from './imports.ts'

export function UploadPage() {
  const session = useSession()
  return (
    <Page title={t('Upload files')} backAction={{ content: t('Import'), url: '/import' }} fullWidth>
      {session.data ? (
        <Uploads shop={session.data.shop.domain} />
      ) : (
        <Unloaded
          query={session}
          what={t('uploads')}
          problem={t('The page could not be loaded')}
          rows={4}
        />
      )}
    </Page>
  )
}

/** Takes files that were dropped on another page. */
function useDropped(
  take: (files: readonly ChosenFile[]) => Promise<void>,
  onPack: (pack: string) => void,
): void {
  const latest = useStable((files: readonly ChosenFile[], pack: string | undefined) => {
    if (pack !== undefined) onPack(pack)
    void take(files)
  })
  useEffect(() => {
    const { files, pack } = takeDropped()
    if (files.length > 0) latest(files, pack)
  }, [latest])
}

function Uploads({ shop }: { shop: string }) {
  const { queue, state } = useQueue(shop)
  const admission = useAdmission(queue)
  useDropped(admission.take, (pack) => queue.chooseForAll({ ...state.forAll, pack }))
  const { rows, totals, kept } = state
  return (
    <BlockStack gap="400">
      <Announced state={state} />
      {admission.error && (
        <Problem error={admission.error} what={t('The files could not be uploaded')} />
      )}
      {admission.refused.length > 0 && (
        <RefusedFiles refused={admission.refused} onDismiss={admission.dismiss} />
      )}
      {kept.length > 0 && (
        <Interrupted
          files={kept}
          onChosen={(file) => void admission.take([file])}
          onDiscard={queue.discardKept}
        />
      )}
      <Imports imports={state.imports} errors={state.errors} onRetry={queue.importAgain} />
      <Warnings state={state} onDismiss={queue.dismissFailure} />
      <Card>
        <BlockStack gap="300">
          <Chooser admission={admission} isFirst={rows.length === 0} />
          {admission.comparing && <ComparingLine comparing={admission.comparing} />}
        </BlockStack>
      </Card>
      <ForAllCard queue={queue} choices={state.forAll} imported={totals.completed} />
      <NeedsProduct queue={queue} state={state} />
      {admission.left && (
        <SameFiles
          left={admission.left}
          onLeave={admission.leaveOut}
          onSend={() => void admission.sendLeft()}
        />
      )}
      {rows.length > 0 && <QueueCard queue={queue} state={state} onTaken={admission.askAgain} />}
      {admission.asking && (
        <ConflictsDialog
          files={admission.asking.taken}
          others={admission.asking.files.length - admission.asking.taken.length}
          onChosen={(choices) => void admission.answer(choices)}
          onClose={admission.giveUp}
        />
      )}
    </BlockStack>
  )
}

function Warnings({ state, onDismiss }: { state: QueueState; onDismiss: () => void }) {
  const { failure, storageFull, totals } = state
  const advice = batchAdvice(totals.total, totals.bytes)
  return (
    <>
      {failure && (
        <Banner tone="critical" title={t('That could not be done')} onDismiss={onDismiss}>
          <p>{failure.message}</p>
        </Banner>
      )}
      {storageFull && (
        <Banner tone="warning">
          <p>
            {t(
              'The browser’s storage is full. Keep this page open until the uploads finish: after a reload you would have to choose and send the files again.',
            )}
          </p>
        </Banner>
      )}
      {advice && (
        <Banner tone="warning">
          <p>{advice}</p>
        </Banner>
      )}
    </>
  )
}

interface ChooserProps {
  admission: ReturnType<typeof useAdmission>
  /** No file is in the queue. */
  isFirst: boolean
}

const Chooser = ({ admission, isFirst }: ChooserProps) => (
  <DropArea
    many
    title={isFirst ? t('Drop files or a folder here') : t('Drop more files here')}
    choose={t('Choose files')}
    small={!isFirst}
    busy={admission.busy}
    help={
      isFirst
        ? t('All types of files, up to {size} each.', { size: sizeText(MAX_BYTES) })
        : undefined
    }
    onFiles={(files) => void admission.take(files)}
  />
)

function Announced({ state }: { state: QueueState }) {
  const { totals, imports, rows } = state
  const unmapped = rows.filter(needsProduct).length
  const now = announcementOf({ totals, imports, unmapped })
  const [said, setSaid] = useState(now)
  // The text of a stage is the one at its beginning.
  if (said.stage !== now.stage) setSaid(now)
  return (
    <Text as="span" visuallyHidden>
      <span role="status">{said.text}</span>
    </Text>
  )
}

const SHOWN = 10

function RefusedFiles({
  refused,
  onDismiss,
}: {
  refused: readonly RefusedFile[]
  onDismiss: () => void
}) {
  const more = refused.length - SHOWN
  return (
    <Banner
      tone="critical"
      title={t('{count, plural, one {# file} other {# files}} can’t be uploaded', {
        count: refused.length,
      })}
      onDismiss={onDismiss}
    >
      <ul className="bullets">
        {refused.slice(0, SHOWN).map(({ file: { path, data }, why }) => (
          <li key={path}>
            {path} ({sizeText(data.size)}): {why}
          </li>
        ))}
        {more > 0 && <li>{t('and {more, number} more', { more })}</li>}
      </ul>
    </Banner>
  )
}

// The shop's queue of uploads for a page; created on first use, kept as long as the tab lives.

const queues = new Map<string, UploadQueue>()

function useQueue(shop: string) {
  let queue = queues.get(shop)
  if (!queue) queues.set(shop, (queue = new UploadQueue(shop)))
  const state = useSyncExternalStore(queue.subscribe, queue.state)
  return { queue, state }
}

// Files are imported as they arrive: links to the imports, and the problems that prevent one.

interface Props extends Pick<QueueState, 'imports' | 'errors'> {
  onRetry: (batch: string) => void
}

function Imports({ imports, errors, onRetry }: Props) {
  return (
    <>
      {errors.map(([batch, error]) => (
        <Banner
          key={batch}
          tone="critical"
          title={t('The files have arrived, but could not be imported')}
          action={{ content: t('Try again'), onAction: () => onRetry(batch) }}
        >
          <p>{error.message}</p>
        </Banner>
      ))}
      {imports.map((one) => (
        <Banner
          key={one.batch}
          tone={!one.ended ? 'info' : one.failed > 0 ? 'warning' : 'success'}
          stopAnnouncements
        >
          <p>
            {`${stateText(one)} `}
            {one.failed > 0 &&
              `${t('{failed, plural, one {# file is} other {# files are}} not complete: see below.', { failed: one.failed })} `}
            {one.operation && <Link url={`/operations/${one.operation}`}>{t('View details')}</Link>}
          </p>
        </Banner>
      ))}
    </>
  )
}

const stateText = ({ ended, done }: Import): string =>
  ended
    ? endedText(done)
    : t(
        'Each file is imported when it arrives: {done, plural, one {# file} other {# files}} so far.',
        {
          done,
        },
      )
