// The tries of a run's failed files that its workflow still makes.
import { toast } from '../../shell/client/bridge.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, InlineStack, Link } from '../../shell/ui/index.ts'
import { useAct, useCancelAgain } from './calls.ts'

interface Props {
  operation: Operation
  /** Whether the page is not that of the operation: then it is linked. */
  named?: boolean
}

/** Nothing while no try waits. */
export function Tries({ operation: { id, again, failed, created_at }, named = false }: Props) {
  const act = useAct()
  const cancel = useCancelAgain()
  const error = act.error ?? cancel.error
  if (!again) return null
  const later = again.later.map((at) => momentText(at)).join(' · ')
  return (
    <Banner
      tone="info"
      title={t(
        '{count, plural, one {One failed file is tried again at {time}} other {# failed files are tried again at {time}}}',
        { count: failed, time: momentText(again.at) },
      )}
    >
      <BlockStack gap="200">
        {named && (
          <Link url={`/operations/${id}`}>
            {t('The run of {time}', { time: momentText(created_at) })}
          </Link>
        )}
        {later !== '' && (
          <p>{t('Files that still fail then: again at {times}.', { times: later })}</p>
        )}
        {error && <Problem error={error} what={t('This could not be done')} />}
        <InlineStack gap="200">
          <Button loading={act.isPending} onClick={() => act.mutate({ id, action: 'retry' })}>
            {t('Try now')}
          </Button>
          <Button
            loading={cancel.isPending}
            onClick={() =>
              cancel.mutate({ id }, { onSuccess: () => toast(t('The files are not tried again')) })
            }
          >
            {t('Cancel the tries')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Banner>
  )
}
