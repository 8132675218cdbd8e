// Questions between the parts of a workflow: the next part is a preview, and this preview is the
// question. An approval confirms the preview, and a rejection discards it; the end of the time to
// answer does one of the two, or reminds. Each of these is one transaction with the operation's row
// locked, so that a question has one answer.
import { say, sentences, type Plugin, type Text } from '../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { Engine } from '../../engine/engine.ts'
import { asksNow } from '../../engine/lifecycle.ts'
import { readOperation } from '../../engine/read.ts'
import type { QuestionAnswer, OperationQuestion, OperationRow } from '../../engine/types.ts'
import { queueQuestionMails } from './question-mail.ts'
import { questionSummary } from './question-summary.ts'
import { queueWait, WAIT_DUE } from './wait.ts'

/** How often those who may answer are reminded before the question is rejected. */
const MAX_REMINDERS = 5

type Asked = OperationRow & { question: OperationQuestion }

/** Asks the question of a preview that is ready. In the transaction that makes it ready. */
export async function askQuestion(
  tx: ShopScope,
  { id, question, workflow }: OperationRow,
  plugins: readonly Plugin[],
): Promise<void> {
  if (!question) return
  await askUntil(tx, { id, question }, { reminders: 0, plugins })
  await raiseNotice(tx, {
    level: 'info',
    title: say('“{name}” waits for an answer', { name: workflow.title }),
    body: sentences(
      question.who.length === 0
        ? say('Nothing is changed before it is approved: look at the preview.')
        : say('Nothing is changed before it is approved by {who}.', {
            who: question.who.join(', '),
          }),
    ),
    operation_id: id,
  })
}

/** Begins the time to answer, at first or after a reminder, and queues the mails. */
async function askUntil(
  tx: ShopScope,
  { id, question: { who, seconds } }: Pick<Asked, 'id' | 'question'>,
  { reminders, plugins }: { reminders: number; plugins: readonly Plugin[] },
): Promise<void> {
  const asked = await tx.first<{ due: Date }>(
    `update operations set question = question || jsonb_build_object('reminders', :reminders::int,
         'asked_at', coalesce(question -> 'asked_at', to_jsonb(now()))),
       continue_at = now() + :seconds * interval '1 second'
     where shop_id = :shop and id = :id returning ${WAIT_DUE}`,
    { id, reminders, seconds },
  )
  await queueWait(tx, id, present(asked, 'The operation').due)
  const operation = present(await readOperation(tx, id), 'The operation')
  const summary = await questionSummary(tx, operation, plugins)
  await queueQuestionMails(tx, { id, who, reminders, summary })
}

/** What became of a question. `ended`: it was cancelled, or its preview failed. */
export type QuestionState = 'asking' | 'open' | QuestionAnswer | 'ended'

export function questionState(operation: OperationRow): QuestionState {
  if (operation.question?.answer) return operation.question.answer
  if (operation.status === 'previewing') return 'asking'
  return asksNow(operation) ? 'open' : 'ended'
}

/** Who answers. */
export interface Answerer {
  /** A name as operations have it, or an address. */
  name: string
  /** Whether it is one of the people who were asked by mail. */
  asked: boolean
}

/**
 * Answers the question of an operation.
 * @throws `not_found`, `operation_state` if it is not open, `answer_refused` if this answerer may not
 *   answer it so, and what confirming a preview throws
 */
export const answerQuestion = (
  engine: Engine,
  scope: ShopScope,
  id: string,
  { answer, by }: { answer: QuestionAnswer; by: Answerer },
): Promise<void> =>
  retryTransaction(scope, async (tx) => {
    const operation = await lockQuestion(tx, id)
    if (!operation) throw new AppError('not_found')
    if (questionState(operation) !== 'open')
      throw new AppError('operation_state', { message: closedText(operation) })
    const message = refusalOf(operation, answer, by)
    if (message) throw new AppError('answer_refused', { message })
    await closeQuestion(engine, tx, operation, { answer, by: by.name })
    if (by.asked)
      await raiseNotice(tx, {
        level: 'info',
        title: ANSWERED[answer](operation.workflow.title, by.name),
        body: sentences(NEXT[answer]),
        operation_id: id,
      })
  })

/** The operation with its question, locked; null: it asks nothing, or its shop was uninstalled. */
const lockQuestion = (tx: ShopScope, id: string): Promise<Asked | null> =>
  tx.first<Asked>(
    `select o.* from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
     where o.shop_id = :shop and o.id = :id and o.question is not null for no key update of o`,
    { id },
  )

/** Why a question takes no answer. */
export function closedText(operation: OperationRow): Text {
  const { question } = operation
  const state = questionState(operation)
  if (state === 'asking') return say('Its preview is not ready: wait a moment')
  if (state === 'ended') return say('This run was cancelled: nothing waits for an answer')
  if (question?.by === null) return say('The time to answer is over')
  const name = answererText(question?.by ?? '')
  return state === 'approved'
    ? say('{name} has approved this already', { name })
    : say('{name} has rejected this already', { name })
}

/** Staff is known by a number, which tells people nothing. */
const answererText = (name: string): Text | string =>
  /^user \S+$/.test(name) ? say('A staff member') : name

/** Why this answerer may not give this answer; null: they may. */
function refusalOf(
  { question: { who, starter_may_approve }, requested_by }: Asked,
  answer: QuestionAnswer,
  { name, asked }: Answerer,
): Text | null {
  if (who.length > 0 && !asked)
    return say('Only {who} may answer, with the link in their mail', { who: who.join(', ') })
  return answer === 'approved' && !starter_may_approve && name === requested_by
    ? say('Who started the run may not approve it')
    : null
}

async function closeQuestion(
  engine: Engine,
  tx: ShopScope,
  { id }: Asked,
  { answer, by }: { answer: QuestionAnswer; by: string | null },
): Promise<void> {
  await tx.query(
    `update operations set continue_at = null, question = question || jsonb_build_object(
       'answer', :answer::text, 'by', :by::text, 'answered_at', now())
     where shop_id = :shop and id = :id`,
    { id, answer, by },
  )
  await engine.move(tx, id, answer === 'approved' ? 'confirm' : 'cancel')
}

/** Ends the time to answer the question of an operation, if it is over. */
export const endQuestion = (engine: Engine, scope: ShopScope, id: string): Promise<void> =>
  retryTransaction(scope, async (tx) => {
    const operation = await tx.first<Asked>(
      `select o.* from operations o join shops s on s.id = o.shop_id and s.uninstalled_at is null
       where o.shop_id = :shop and o.id = :id and o.question is not null
         and o.status = 'previewed' and o.continue_at <= now() for no key update of o`,
      { id },
    )
    if (!operation) return
    const { no_answer, reminders = 0 } = operation.question
    if (no_answer === 'remind' && reminders < MAX_REMINDERS)
      return askUntil(tx, operation, { reminders: reminders + 1, plugins: engine.plugins })
    const answer = no_answer === 'approve' ? 'approved' : 'rejected'
    await closeQuestion(engine, tx, operation, { answer, by: null })
    await raiseNotice(tx, {
      level: answer === 'approved' ? 'info' : 'warning',
      title: say('Nobody answered about “{name}”', { name: operation.workflow.title }),
      body: sentences(NEXT[answer]),
      operation_id: id,
    })
  })

const ANSWERED: Readonly<Record<QuestionAnswer, (name: string, by: string) => Text>> = {
  approved: (name, by) => say('{by} approved “{name}”', { name, by }),
  rejected: (name, by) => say('{by} rejected “{name}”', { name, by }),
}
const NEXT: Readonly<Record<QuestionAnswer, Text>> = {
  approved: say('Its next steps run.'),
  rejected: say('Its next steps do not run, and nothing was changed by them.'),
}

/** Says that a run ended because its question could not be previewed. */
export async function tellUnasked(tx: ShopScope, operation: OperationRow): Promise<void> {
  if (!operation.question || operation.status !== 'previewing') return
  await raiseNotice(tx, {
    level: 'critical',
    title: say('“{name}” could not ask', { name: operation.workflow.title }),
    body: sentences(
      say('What its next steps would do could not be previewed, so they do not run.'),
    ),
    operation_id: operation.id,
  })
}
