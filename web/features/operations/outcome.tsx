// The result of the operation, or what it waits for, in a sentence if the counts do not say enough.
import { usePlugins } from '../../shell/client/plugins.ts'
import { useOperation } from './calls.ts'
import { type Artifact, type Operation } from '../../shell/client/types.ts'
import { ArtifactButton } from './artifact.tsx'
import { Banner, BlockStack, Link } from '../../shell/ui/index.ts'
import { cannotUndoText, hasEndedWell, makesFiles } from './labels.ts'
import { outcomeText } from './operation-outcome.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { messageText, shownText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'

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
              {tRich(
                'New files were created. <link>See them first in the list of files</link>.',
                {},
                {
                  link: (text) => <Link url="/files">{text}</Link>,
                },
              )}
            </p>
          </Banner>
        )}
      {operation.status === 'undone' && <UndoneBanner undo={operation.undone_by} />}
      {stopped && (
        <Banner
          tone="critical"
          title={t('The operation stopped at the step “{step}”', {
            step: stepTitle(operation, stopped.step),
          })}
        >
          <p>{messageText(stopped)}</p>
        </Banner>
      )}
      {!stopped && <EndBanner operation={operation} />}
      {warnings.length > 0 && (
        <Banner tone="warning">
          {warnings.map((warning, at) => (
            <p key={`${warning.code} ${at}`}>{messageText(warning)}</p>
          ))}
        </Banner>
      )}
    </>
  )
}

/** `undo`: the operation that undid this one. */
function UndoneBanner({ undo }: { undo: string | null }) {
  const { data } = useOperation(undo)
  const isPart = data !== undefined && data.done < data.total
  return (
    <Banner
      tone={isPart ? 'warning' : 'info'}
      title={
        isPart
          ? t(
              'This operation was undone for {done, number} of {total, plural, one {# file} other {# files}}',
              { done: data.done, total: data.total },
            )
          : t('This operation was undone')
      }
    >
      {undo && (
        <p>
          <Link url={`/operations/${undo}`}>{t('See what was restored')}</Link>
        </p>
      )}
    </Banner>
  )
}

const ArtifactBanner = ({ artifact }: { artifact: Artifact }) => (
  <Banner tone="success" title={artifact.filename}>
    <BlockStack gap="200" inlineAlign="start">
      <p>{t('{size}, ready to be downloaded.', { size: sizeText(artifact.size_bytes) })}</p>
      <ArtifactButton artifact={artifact} />
    </BlockStack>
  </Banner>
)

const stepTitle = ({ steps }: Operation, id: string): string =>
  translated(steps.find((step) => step.id === id)?.title ?? id)

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
          ? { content: t('Show failed files'), url: `/operations/${operation.id}?status=failed` }
          : undefined
      }
    >
      <p>{outcome.advice}</p>
    </Banner>
  )
}

function PreviewBanner({ operation }: { operation: Operation }) {
  const { status, total, intention_texts, cannot_undo, asks } = operation
  if (status === 'previewing')
    return (
      <Banner tone="info" title={t('Preview')}>
        <p>
          {t(
            'Calculating what would happen to {total, plural, one {# file} other {# files}}. Nothing is changed.',
            { total },
          )}
        </p>
      </Banner>
    )
  if (status !== 'previewed') return null
  return (
    <Banner tone="info" title={t('This is a preview: nothing has been changed')}>
      <BlockStack gap="100">
        <p>
          {asks
            ? t(
                'The list below shows what would happen to each file. It runs when it is approved. A file with conflicting later changes is skipped, with the reason.',
              )
            : t(
                'The list below shows what would happen to each file. Confirm to run it. A file with conflicting later changes is skipped, with the reason.',
              )}
        </p>
        {intention_texts.length > 0 && (
          <>
            <p>{t('At the end this would also happen:')}</p>
            <ul className="bullets">
              {intention_texts.map(shownText).map((intention) => (
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
