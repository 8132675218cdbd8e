// How many of an operation's emails to buyers were sent, and until when the others wait.
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Text } from '../../shell/ui/index.ts'
import { type Mails, useOperationMails } from './calls.ts'

export function MailsLine({ id }: { id: string }) {
  const mails = useOperationMails(id)
  const { data } = mails
  // Nothing is shown before it is known whether there are emails at all. What was read stays shown if
  // it cannot be read again.
  if (data) return data.total === 0 ? null : <Text as="p">{textOf(data)}</Text>
  return <LoadProblem query={mails} what={t('The emails could not be counted')} />
}

function textOf({ total, sent, failed, ends_at }: Mails): string {
  const counts = t('Emails: {sent} of {total} sent', {
    sent: numberText(sent),
    total: numberText(total),
  })
  return [
    counts,
    ...(failed > 0 ? [t('{count} not delivered', { count: numberText(failed) })] : []),
    ...(ends_at === null ? [] : [t('the last one at {at}', { at: momentText(ends_at) })]),
  ].join(' · ')
}
