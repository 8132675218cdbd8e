// Runs a workflow on the chosen files.
import { useState } from 'react'
import { useStartOperation } from '../../../client/operations.ts'
import { useWorkflows, type Workflow } from '../../../client/workflows.ts'
import { Problem } from '../../../components/problem.tsx'
import { Steps } from '../../../components/steps.tsx'
import { Banner, Link, Select, Spinner } from '../../../ui/index.ts'
import { cannotUndoText } from '../../../labels/operation.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'

/** These have dialogs of their own, since they must be told what to do, or are about the trash. */
const OWN_DIALOG = [
  'update-settings',
  'tag-files',
  'replace-tag',
  'merge-tag-case',
  'delete-files',
  'restore-files',
  'purge-files',
  'map-products',
  'unmap-products',
  'rename-files',
  'move-to-pack',
  'change-storage',
  'export-files',
  'create-links',
  'optimize-image',
  'optimize-pdf',
  'watermark-pdf',
  'split-pdf',
  'merge-pdf',
]

export function WorkflowDialog(props: BulkProps) {
  const start = useStartOperation()
  const workflows = useWorkflows()
  const [id, setId] = useState<string | null>(null)
  const offered = workflows.data?.data.filter(isOffered).toSorted(ownFirst) ?? []
  const chosen = offered.find((workflow) => workflow.id === id) ?? offered[0]
  const files = countText(props.chosen.count, 'file', 'files')
  return (
    <BulkDialog
      {...props}
      title={`Run a workflow on ${files}`}
      run="Run workflow"
      start={start}
      error={start.error}
      work={() => (chosen ? { workflow: chosen.id } : null)}
    >
      {workflows.isPending && <Spinner size="small" accessibilityLabel="Loading workflows" />}
      {workflows.error && (
        <Problem
          error={workflows.error}
          what="The workflows could not be loaded"
          onRetry={() => void workflows.refetch()}
          retrying={workflows.isFetching}
        />
      )}
      {workflows.data && !chosen && (
        <p>
          No workflow works on files that are already here. <Link url="/workflows/new">Make one</Link>.
        </p>
      )}
      {chosen && (
        <>
          <Select
            label="Workflow"
            options={offered.map(({ id: value, name }) => ({ value, label: name }))}
            value={chosen.id}
            onChange={(value) => {
              setId(value)
              if (start.error) start.reset()
            }}
          />
          <Steps steps={chosen.steps} />
          {chosen.cannot_undo.length > 0 && (
            <Banner tone="warning">
              <p>{cannotUndoText(chosen.cannot_undo)}</p>
            </Banner>
          )}
        </>
      )}
    </BulkDialog>
  )
}

const isOffered = ({ id, kind }: Workflow): boolean => kind === 'bulk' && !OWN_DIALOG.includes(id)
const ownFirst = (one: Workflow, other: Workflow): number =>
  Number(one.built_in) - Number(other.built_in) || one.name.localeCompare(other.name)
