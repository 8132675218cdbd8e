// What every dialog about many files has: what it is about, a way to look first, and the way to run it.
import { type ReactNode } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { type useStartOperation } from '../../client/operations.ts'
import { type DeletionWithBackup, type Operation } from '../../client/types.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Problem } from '../../components/problem.tsx'
import { Text } from '../../ui/index.ts'
import { type Chosen } from './selection.ts'

export interface BulkProps {
  chosen: Chosen
  onClose: () => void
  /** The operation runs. */
  onLaunched: (operation: Operation) => void
}

/** What to start, but for the files: `{ action, options }`. */
type Work = { action: string; options?: Record<string, unknown> } | { workflow: string } | DeletionWithBackup

interface Props extends BulkProps {
  title: string
  /** The button that runs it: `Delete 12 files`. */
  run: string
  destructive?: boolean
  start: ReturnType<typeof useStartOperation>
  /** Why it can't be previewed, where that is so. */
  noPreview?: string
  /** What is left to say of a refusal, where the fields don't say it. */
  error: Error | null
  /** Null where the form is not right yet. */
  work: () => Work | null
  children: ReactNode
}

export function BulkDialog(props: Props) {
  const { title, run, destructive, chosen, start, error, work, noPreview, onClose, onLaunched, children } = props
  const launch = (preview: boolean) => {
    const body = work()
    if (!body) return
    const operation = { ...body, select: chosen.select, ...(preview ? { dry_run: true } : {}) }
    start.mutate('backup_first' in body ? body : operation, {
      onSuccess: (record) => (preview ? navigate(`/operations/${record.id}`) : onLaunched(record)),
    })
  }
  const previewing = start.isPending && 'dry_run' in start.variables
  return (
    <Dialog
      title={title}
      onClose={onClose}
      primaryAction={{
        content: run,
        destructive,
        loading: start.isPending && !previewing,
        disabled: start.isPending,
        onAction: () => launch(false),
      }}
      secondaryActions={[
        ...(noPreview
          ? []
          : [{ content: 'Preview', loading: previewing, disabled: start.isPending, onAction: () => launch(true) }]),
        { content: 'Cancel', onAction: onClose },
      ]}
    >
      {error && <Problem error={error} what="This could not be started" />}
      {children}
      <Text as="p" tone="subdued" variant="bodySm">
        {noPreview ?? 'A preview shows what would happen to each file, and changes nothing until you confirm it.'}
      </Text>
    </Dialog>
  )
}
