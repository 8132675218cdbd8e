// What a workflow does now: runs that go on after it was switched off, and triggers that have paused.
import { toast } from '../../shell/client/bridge.ts'
import { useResumeWorkflow, useStopWorkflow, type Workflow } from '../../shell/client/workflows.ts'
import { shownText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack } from '../../shell/ui/index.ts'

export function RunningNow({ workflow }: { workflow: Workflow }) {
  const { id, enabled, running, when } = workflow
  const stop = useStopWorkflow()
  const resume = useResumeWorkflow()
  const paused = when.flatMap((trigger) => trigger.paused ?? [])
  return (
    <BlockStack gap="400">
      {!enabled && running > 0 && (
        <Banner
          tone="warning"
          title={t('It is off, but {count, plural, one {a run} other {# runs}} of it did not end', {
            count: running,
          })}
          action={{
            content: t('Cancel what runs'),
            loading: stop.isPending,
            onAction: () => stop.mutate(id, { onSuccess: () => toast(t('Cancelled')) }),
          }}
        >
          <p>{t('What waited was forgotten. What runs continues unless you cancel it.')}</p>
        </Banner>
      )}
      {paused[0] && (
        <Banner
          tone="critical"
          title={t('It has paused')}
          action={{
            content: t('Resume'),
            loading: resume.isPending,
            onAction: () => resume.mutate(id, { onSuccess: () => toast(t('Resumed')) }),
          }}
        >
          <p>{shownText(paused[0])}</p>
        </Banner>
      )}
    </BlockStack>
  )
}
