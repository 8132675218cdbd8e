// The question that the preview of a run is: who answers it, and the buttons that do.
import { toast } from '../../shell/client/bridge.ts'
import { useSession } from '../../shell/client/queries.ts'
import { type Operation } from '../../shell/client/types.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, Hint, InlineStack, Link } from '../../shell/ui/index.ts'
import { useAnswer } from './calls.ts'
import { useRequester } from './use-requester.ts'

interface Props {
  operation: Operation
  /** Whether the page is not that of the operation: then it is linked. */
  named?: boolean
}

/** Nothing while it does not wait for an answer. */
export function Asks({ operation, named = false }: Props) {
  const { id, asks, created_at } = operation
  if (!asks?.until) return null
  const who = asks.who.join(', ')
  const time = momentText(asks.until)
  return (
    <Banner
      tone="warning"
      title={
        who === ''
          ? t('Waits for an answer until {time}', { time })
          : t('Waits for {who} until {time}', { who, time })
      }
    >
      <BlockStack gap="200">
        {named && (
          <Link url={`/operations/${id}`}>
            {t('The run of {time}', { time: momentText(created_at) })}
          </Link>
        )}
        <p>{NO_ANSWER[asks.no_answer]}</p>
        {who === '' ? (
          <Buttons operation={operation} />
        ) : (
          <p>{t('Each of them answers with the link in their mail.')}</p>
        )}
      </BlockStack>
    </Banner>
  )
}

const NO_ANSWER = {
  remind: t('If nobody answers, they are reminded.'),
  approve: t('If nobody answers, it is approved.'),
  reject: t('If nobody answers, it is rejected.'),
} as const

function Buttons({ operation: { id, asks, requested_by } }: Pick<Props, 'operation'>) {
  const answer = useAnswer()
  const me = useSession().data?.user
  const isOther = asks?.starter_may_approve || me !== requested_by
  const give = (chosen: 'approve' | 'reject', said: string) => () =>
    answer.mutate({ id, answer: chosen }, { onSuccess: () => toast(said) })
  return (
    <>
      {!isOther && <Hint>{t('You started this run: another person has to approve it.')}</Hint>}
      {answer.error && <Problem error={answer.error} what={t('This could not be done')} />}
      <InlineStack gap="200">
        <Button
          variant="primary"
          disabled={!isOther}
          loading={answer.isPending && answer.variables.answer === 'approve'}
          onClick={give('approve', t('Approved'))}
        >
          {t('Approve')}
        </Button>
        <Button
          loading={answer.isPending && answer.variables.answer === 'reject'}
          onClick={give('reject', t('Rejected'))}
        >
          {t('Reject')}
        </Button>
      </InlineStack>
    </>
  )
}

/** Who answered; nothing before. */
export function Answered({ operation: { asks } }: Pick<Props, 'operation'>) {
  const requester = useRequester()
  if (!asks?.answer) return null
  const { answer, answered_by } = asks
  if (answered_by === null)
    return (
      <p>
        {answer === 'approved'
          ? t('Approved, because nobody answered in time.')
          : t('Rejected, because nobody answered in time.')}
      </p>
    )
  const name = requester(answered_by)
  return (
    <p>
      {answer === 'approved'
        ? t('Approved by: {name}', { name })
        : t('Rejected by: {name}', { name })}
    </p>
  )
}
