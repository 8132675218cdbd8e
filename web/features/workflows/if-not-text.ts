// What follows when runs of a workflow fail, as a sentence.
import { type IfNot } from '../../shell/client/workflows.ts'
import { t } from '../../shell/messages/t.ts'

/** `names`: of workflows, by their ids. Null: nothing follows. */
export function ifNotSentence(
  ifNot: IfNot | null,
  names: ReadonlyMap<string, string>,
): string | null {
  if (ifNot === null) return null
  const { after, mail, run, again } = ifNot
  const who = Array.isArray(mail) ? mail.join(', ') : ''
  const told =
    mail === false
      ? t('a notice')
      : mail === true
        ? t('mail to the recipients in the settings')
        : t('mail to {who}', { who })
  const name = run === null ? undefined : names.get(run)
  const parts = [
    ...(again.length > 0 ? [t('try again after {times}', { times: again.join(', ') })] : []),
    after === 1 ? told : t('after {count} runs in a row {told}', { count: after, told }),
    ...(name === undefined ? [] : [t('then run “{name}”', { name })]),
  ]
  return t('If not: {list}', { list: parts.join('; ') })
}
