// The frame of every dialog about many files: which files, a preview, and the button that runs it.
import { type ReactNode, useState } from 'react'
import type { Operation, Item } from '../../../shell/client/types.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Hint, Text, BlockStack, Link } from '../../../shell/ui/index.ts'
import { allOf } from '../../../shell/files/selection-labels.ts'
import { t } from '../../../shell/messages/t.ts'
import { usePlugins } from '../../../shell/client/plugins.ts'
import { LoadingRows } from '../../../shell/components/lists.tsx'
import { shownText } from '../../../shell/messages/server-text.ts'
import {
  useAct,
  type useStartOperation,
  isMoving,
  usePreviewItems,
  useOperation,
} from '../../operations/calls.ts'
import { Progress } from '../../operations/status.tsx'
import { changesOf } from '../../operations/change.ts'
import { type PreviewPart, partsOfAll, partsOfCounts } from '../../operations/preview-parts.ts'
import { Changes } from '../../operations/changes.tsx'
import type { ActionFiles } from '../selection.ts'
import './preview.css'

export interface BulkProps {
  chosen: ActionFiles
  onClose: () => void
  /** The operation was started. */
  onStarted: (operation: Operation) => void
}

/** What to start, without the files: `{ action, options }`. */
export type Work = { action: string; options?: Record<string, unknown> } | { workflow: string }

interface Props extends BulkProps {
  title: string
  /** The label of the button: `Delete files`, or by the number of files: `Delete 12 files`. */
  run: string | ((files: number) => string)
  destructive?: boolean
  start: ReturnType<typeof useStartOperation>
  /** `required`: it can be run only from its preview. */
  preview?: 'offered' | 'required' | 'none'
  /** The line below the form; absent: an explanation of previews. */
  note?: string
  /** An error that no field shows. */
  error: Error | null
  /** Reads the form; null if it has problems. */
  work: () => Work | null
  /** A description of the files; absent: the filter in words if all that match are selected. */
  about?: null
  size?: 'small' | 'large'
  children: ReactNode
}

const WHAT_A_PREVIEW_IS = t(
  'A preview shows what would happen to each file, and changes nothing until you confirm it.',
)

/** Starts the work or its preview. `previewed`: what is done with the preview that is shown. */
function useLaunch({ chosen, start, work, run, onClose, onStarted }: Props) {
  // The button names the work that was previewed: the form may be read differently by now.
  const [shown, setShown] = useState<{ id: string; run: Props['run'] } | null>(null)
  const act = useAct()
  const discarding = useAct()
  const look = usePreview(shown?.id ?? null)
  const launch = (dry: boolean) => {
    const body = work()
    if (!body || start.isPending) return
    start.mutate(
      { ...body, select: chosen.select, ...(dry ? { dry_run: true } : {}) },
      { onSuccess: (record) => (dry ? setShown({ id: record.id, run }) : onStarted(record)) },
    )
  }
  if (shown === null) return { launch, previewed: null }
  const { id } = shown
  const confirm = () => act.mutate({ id, action: 'confirm' }, { onSuccess: onStarted })
  const discard = () => {
    // One that has failed, or that another page has discarded, cannot be cancelled.
    if (!look.operation || ['previewing', 'previewed'].includes(look.operation.status))
      discarding.mutate({ id, action: 'cancel' })
    act.reset()
    setShown(null)
  }
  const close = () => {
    discard()
    onClose()
  }
  const acts = { onConfirm: confirm, onBack: discard, onClose: close }
  return { launch, previewed: { look, act, run: shown.run, ...acts } }
}

export function BulkDialog(props: Props) {
  const {
    title,
    run,
    destructive,
    chosen,
    start,
    error,
    preview = 'offered',
    size,
    onClose,
  } = props
  const { note = preview === 'none' ? undefined : WHAT_A_PREVIEW_IS, about, children } = props
  const { launch, previewed } = useLaunch(props)
  if (previewed) return <PreviewedDialog {...props} {...previewed} />
  const previewing = start.isPending && 'dry_run' in start.variables
  const first = preview === 'required'
  const toPreview = {
    content: t('Preview'),
    loading: previewing,
    disabled: start.isPending,
    onAction: () => launch(true),
  }
  const toRun = {
    content: textOf(run, chosen.count),
    destructive,
    loading: start.isPending && !previewing,
    disabled: start.isPending,
    onAction: () => launch(false),
  }
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      primaryAction={first ? toPreview : toRun}
      secondaryActions={[
        ...(preview === 'offered' ? [toPreview] : []),
        { content: t('Cancel'), onAction: onClose },
      ]}
      // A destructive action needs a click on its button.
      onEnter={destructive && !first ? undefined : () => launch(first)}
    >
      {error && <Problem error={error} what={t('This could not be started')} />}
      {about !== null && 'filter' in chosen.select && (
        <Hint>{allOf(chosen.select.filter, chosen.count)}</Hint>
      )}
      {children}
      {note && (
        <Text as="p" tone="subdued" variant="bodySm">
          {note}
        </Text>
      )}
    </Dialog>
  )
}

interface PreviewedProps extends Pick<Props, 'title' | 'size' | 'run' | 'destructive' | 'chosen'> {
  look: ReturnType<typeof usePreview>
  act: ReturnType<typeof useAct>
  onConfirm: () => void
  /** Discards the preview and shows the form again. */
  onBack: () => void
  onClose: () => void
}

/** The preview, in place of the form. */
function PreviewedDialog(props: PreviewedProps) {
  const { title, size, run, destructive, chosen, look, act, onConfirm, onBack, onClose } = props
  const { operation, ready } = look
  // The number of files that the preview froze, not of those that match now.
  const files = ready ? operation!.done : (operation?.total ?? chosen.count)
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      primaryAction={{
        content: textOf(run, files),
        destructive,
        loading: act.isPending,
        disabled: !ready || act.isPending,
        onAction: onConfirm,
      }}
      secondaryActions={[
        { content: t('Back'), onAction: onBack },
        { content: t('Cancel'), onAction: onClose },
      ]}
    >
      {act.error && <Problem error={act.error} what={t('This could not be started')} />}
      <Preview look={look} />
    </Dialog>
  )
}

const textOf = (run: Props['run'], files: number): string =>
  typeof run === 'string' ? run : run(files)

// A preview inside the dialog that requested it: how many files would change, and the first of
// them.

const SHOWN = 4

/** The operation of a preview. `ready`: it can be confirmed. */
function usePreview(id: string | null) {
  const { data: operation, error, refetch } = useOperation(id)
  const found = operation?.status === 'previewed' ? operation : null
  const items = usePreviewItems(found)
  const plugins = usePlugins()
  const parts =
    found && items.data && !plugins.isPending
      ? (items.data.whole ? partsOfAll : partsOfCounts)(found, items.data.items, plugins.data?.data)
      : undefined
  return {
    operation,
    parts,
    error: error ?? items.error,
    retry: () => void (found ? items.refetch() : refetch()),
    ready: found !== null && (found.done > 0 || worksOnAll(found)),
  }
}

/** Whether it works on all files together, without a result for each: an export. */
const worksOnAll = ({ total, done, failed, skipped }: Operation): boolean =>
  total > 0 && done + failed + skipped === 0

function Preview({
  look: { operation, parts, error, retry },
}: {
  look: ReturnType<typeof usePreview>
}) {
  if (error && !parts)
    return <Problem error={error} what={t('The preview could not be loaded')} onRetry={retry} />
  if (!operation) return <LoadingRows rows={3} what={t('the preview')} />
  if (isMoving(operation))
    return (
      <BlockStack gap="200">
        <Text as="p">
          {t(
            'Calculating what would happen to {total, plural, one {# file} other {# files}}. Nothing is changed.',
            { total: operation.total },
          )}
        </Text>
        <Progress operation={operation} />
      </BlockStack>
    )
  if (!parts) return <LoadingRows rows={3} what={t('the preview')} />
  const together = worksOnAll(operation)
  const intentions = operation.intention_texts.map(shownText).join('; ')
  return (
    <BlockStack gap="400">
      {!together && parts.length === 0 && <Text as="p">{t('No file matches.')}</Text>}
      {!together && parts.map((part) => <Part key={part.title} part={part} />)}
      {intentions !== '' && (
        <Text as="p">{together ? intentions : t('Also: {list}.', { list: intentions })}</Text>
      )}
      <Hint>
        {t('Nothing has been changed yet.')}{' '}
        <Link url={`/operations/${operation.id}`}>{t('Show every file')}</Link>
      </Hint>
    </BlockStack>
  )
}

function Part({ part: { kind, title, note, count, items } }: { part: PreviewPart }) {
  const shown = items.slice(0, SHOWN)
  return (
    <section className="preview-part">
      <Text as="h3" variant="headingSm" tone={kind === 'failed' ? 'critical' : undefined}>
        {title}
      </Text>
      {note !== '' && <Hint>{note}</Hint>}
      {shown.length > 0 && (
        <ul className="preview-files">
          {shown.map((item) => (
            <li key={item.position}>
              <PreviewedItem item={item} />
            </li>
          ))}
          {count > shown.length && (
            <li className="more">
              {t('and {count, number} more', { count: count - shown.length })}
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

/** The group's heading has the reason; an item shows only its own details. */
function PreviewedItem({ item: { filename, error, warnings, before, after } }: { item: Item }) {
  return (
    <>
      <Text as="p" fontWeight="medium" breakWord>
        {before?.filename ?? filename}
      </Text>
      {error?.detail && (
        <Text as="p" tone="subdued" breakWord>
          {error.detail}
        </Text>
      )}
      <Changes changes={changesOf(before, after)} />
      {warnings.map(({ code, message }, at) => (
        <Text key={`${code} ${at}`} as="p" tone="caution" breakWord>
          {message}
        </Text>
      ))}
    </>
  )
}
