// The frame of every dialog about many files: which files, a preview, and the button that runs it.
import { type ReactNode, useState } from 'react'
import { useAct, type useStartOperation } from '../../operations/calls.ts'
import { type Operation } from '../../../shell/client/types.ts'
import { Dialog } from '../../../shell/components/dialog.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Hint, Text } from '../../../shell/ui/index.ts'
import { allOf } from '../../../shell/files/selection-labels.ts'
import { type ActionFiles } from '../selection.ts'
import { Preview, usePreview } from './preview.tsx'
import { t } from '../../../shell/messages/t.ts'

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
