// The wait of a workflow between two of its parts, and the parts before and after an operation.
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { shownText } from '../../shell/messages/server-text.ts'
import { tRich } from '../../shell/messages/rich.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, InlineStack, Link } from '../../shell/ui/index.ts'
import { Asks } from './asks.tsx'
import { useContinue, useEndWait } from './calls.ts'
import { Tries } from './tries.tsx'

interface Props {
  operation: Operation
  /** Whether the page is not that of the operation: then it is linked. */
  named?: boolean
}

/** Nothing while it waits neither for its next part, nor for an answer, nor for another try. */
export const Waits = (props: Props) => (
  <>
    {props.operation.asks?.until ? <Asks {...props} /> : <WaitBanner {...props} />}
    <Tries {...props} />
  </>
)

function WaitBanner({ operation: { id, waits, created_at }, named = false }: Props) {
  const proceed = useContinue()
  const end = useEndWait()
  const error = proceed.error ?? end.error
  if (!waits) return null
  return (
    <Banner tone="info" title={t('Waits until {time}', { time: momentText(waits.until) })}>
      <BlockStack gap="200">
        {named && (
          <Link url={`/operations/${id}`}>
            {t('The run of {time}', { time: momentText(created_at) })}
          </Link>
        )}
        <p>{t('Then its next steps run on the files that are done:')}</p>
        <ol className="bullets">
          {waits.steps.map((step) => (
            <li key={step.id}>{shownText(step.summary_text) || step.title}</li>
          ))}
        </ol>
        {error && <Problem error={error} what={t('This could not be done')} />}
        <InlineStack gap="200">
          <Button
            loading={proceed.isPending}
            onClick={() =>
              proceed.mutate({ id }, { onSuccess: (next) => navigate(`/operations/${next.id}`) })
            }
          >
            {t('Continue now')}
          </Button>
          <Button
            loading={end.isPending}
            onClick={() =>
              end.mutate({ id }, { onSuccess: () => toast(t('It does not continue any more')) })
            }
          >
            {t('Cancel the wait')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Banner>
  )
}

/** The parts of its workflow before and after it. */
export function Parts({ operation }: { operation: Operation }) {
  const { continues, continued_by, undo_until, undone_by } = operation
  const link = (id: string) => ({
    link: (text: string) => <Link url={`/operations/${id}`}>{text}</Link>,
  })
  return (
    <>
      {continues && (
        <p>
          {tRich('Continues <link>an earlier part of the workflow</link>.', {}, link(continues))}
        </p>
      )}
      {continued_by.map((id) => (
        <p key={id}>
          {tRich('Continued by <link>a later part of the workflow</link>.', {}, link(id))}
          {undo_until && !undone_by && ` ${t('To undo both, undo the later part first.')}`}
        </p>
      ))}
    </>
  )
}
