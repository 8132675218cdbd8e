// What came of the operation, or what it waits for, said in a sentence where the figures don't say
// enough.
import { usePlugins } from '../../client/plugins.ts'
import { type Artifact, type Operation } from '../../client/types.ts'
import { ArtifactButton } from '../../components/artifact.tsx'
import { Banner, BlockStack, Link } from '../../ui/index.ts'
import { cannotUndoText, hasEndedWell, makesFiles, outcomeText } from '../../labels/operation.ts'
import { countText, sizeText } from '../../labels/size.ts'

export function Outcome({ operation }: { operation: Operation }) {
  const { stopped, warnings } = operation
  const plugins = usePlugins().data?.data ?? []
  return (
    <>
      <PreviewBanner operation={operation} />
      {operation.artifact && <ArtifactBanner artifact={operation.artifact} />}
      {makesFiles(operation, plugins) &&
        hasEndedWell(operation) &&
        operation.status !== 'undone' && (
          <Banner tone="success">
            <p>
              New files were made. <Link url="/files">They stand first among the files</Link>,
              newest first.
            </p>
          </Banner>
        )}
      {operation.status === 'undone' && (
        <Banner tone="info" title="This operation was undone">
          {operation.undone_by && (
            <p>
              <Link url={`/operations/${operation.undone_by}`}>See what was set back</Link>
            </p>
          )}
        </Banner>
      )}
      {stopped && (
        <Banner
          tone="critical"
          title={`The operation stopped at the step “${stepTitle(operation, stopped.step)}”`}
        >
          <p>{stopped.message}</p>
        </Banner>
      )}
      {!stopped && <EndBanner operation={operation} />}
      {warnings.length > 0 && (
        <Banner tone="warning">
          {warnings.map(({ code, message }, at) => (
            <p key={`${code} ${at}`}>{message}</p>
          ))}
        </Banner>
      )}
    </>
  )
}

const ArtifactBanner = ({ artifact }: { artifact: Artifact }) => (
  <Banner tone="success" title={artifact.filename}>
    <BlockStack gap="200" inlineAlign="start">
      <p>{`${sizeText(artifact.size_bytes)}, ready to be downloaded.`}</p>
      <ArtifactButton artifact={artifact} />
    </BlockStack>
  </Banner>
)

const stepTitle = ({ steps }: Operation, id: string): string =>
  steps.find((step) => step.id === id)?.title ?? id

const TONES: Partial<Record<Operation['status'], 'critical' | 'info'>> = {
  failed: 'critical',
  cancelled: 'info',
}

function EndBanner({ operation }: { operation: Operation }) {
  const outcome = outcomeText(operation)
  if (!outcome) return null
  return (
    <Banner
      tone={TONES[operation.status] ?? 'warning'}
      title={outcome.title}
      action={
        operation.failed > 0
          ? { content: 'Show failed files', url: `/operations/${operation.id}?status=failed` }
          : undefined
      }
    >
      <p>{outcome.advice}</p>
    </Banner>
  )
}

function PreviewBanner({ operation }: { operation: Operation }) {
  const { status, total, intentions, cannot_undo } = operation
  if (status === 'previewing')
    return (
      <Banner tone="info" title="Preview">
        <p>{`Working out what would happen to ${countText(total, 'file', 'files')}. Nothing is changed.`}</p>
      </Banner>
    )
  if (status !== 'previewed') return null
  return (
    <Banner tone="info" title="This is a preview: nothing has been changed">
      <BlockStack gap="100">
        <p>
          Below stands what would happen to each file. Confirm to do it; a file that has changed by
          then in a way that matters is skipped, with the reason.
        </p>
        {intentions.length > 0 && (
          <>
            <p>When it has ended, there would also be:</p>
            <ul className="bullets">
              {intentions.map((intention) => (
                <li key={intention}>{intention}</li>
              ))}
            </ul>
          </>
        )}
        {cannot_undo.length > 0 && <p>{cannotUndoText(cannot_undo)}</p>}
      </BlockStack>
    </Banner>
  )
}
