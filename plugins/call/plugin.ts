// Lets another program work on files: it is sent their fields, and answers what to change. Without
// an answer the files are only sent to it, once they are written.
import { z } from 'zod'
import {
  definePlugin,
  type Item,
  type Outcome,
  type PostRequest,
  type ProgramAnswers,
  type ProgramCall,
  type ReadContext,
  say,
  sayPlain,
} from '../contract/index.ts'
import { decider } from './answers.ts'

const options = z.strictObject({
  webhook: z
    .string()
    .regex(/^webhook_[0-9a-f]{32}$/, sayPlain('This is not the id of a webhook'))
    .meta({ title: 'Program', widget: 'webhook', missing: 'Choose an address' }),
  answer: z.boolean().default(true).meta({
    title: 'Wait for its answer',
    help: 'Its answer says what to change. Otherwise the files are only sent to it, at the end of their run.',
  }),
  bytes: z.boolean().default(false).meta({
    title: 'Send an address of the contents',
    help: 'Anyone who has the address can download the file for four days.',
  }),
})
type Options = z.output<typeof options>
type Context = ReadContext<'catalog' | 'packs'>

/**
 * A preview asks the program with `dry_run`. Items fail with `program_failed`, `invalid_answer` and,
 * as the program says, `program_refused`.
 */
export const call = definePlugin({
  id: 'call',
  kind: 'act',
  title: 'Call a program',
  actions: [],
  options,
  undo: 'fields',
  announces: ['mapping.changed'],
  needs: ['programs', 'catalog', 'packs'],
  outside: true,
  advice: {
    program_failed: 'Check that the program runs and its address is right, then try again.',
    program_refused: 'The program says what is wrong with the file: correct it, then try again.',
    invalid_answer: 'Tell the developer of the program what its answer lacks, then try again.',
  },
  summary: ({ answer }) =>
    answer ? say('Calls a program and does what it answers') : say('Sends the files to a program'),
  plan: (items, given, context) =>
    outcomesOf(items, given, context, (call) => context.programs.preview(call, context.signal)),
  run: (items, given, context) =>
    outcomesOf(items, given, context, (call) => context.programs.call(call, context.signal)),
})

/** @param ask in a preview it asks the program only what it would do */
const outcomesOf = (
  items: readonly Item[],
  { answer, webhook, bytes }: Options,
  context: Context,
  ask: (call: ProgramCall) => ProgramAnswers,
): AsyncGenerator<Outcome> =>
  answer
    ? answered(items, context, ask({ items, webhook, bytes, operation: context.operation }))
    : posted(items, { webhook, bytes }, context.signal)

/** The outcomes of the program's answers. */
async function* answered(
  items: readonly Item[],
  context: Context,
  answers: ProgramAnswers,
): AsyncGenerator<Outcome> {
  const byId = new Map(items.map((item) => [item.id, item]))
  for await (const part of answers) {
    const outcomeOf = await decider([...part.values()], context)
    for (const [id, answer] of part) {
      const item = byId.get(id)
      context.signal.throwIfAborted()
      if (item) yield { item: id, ...(await outcomeOf(item, answer)) }
    }
  }
  context.signal.throwIfAborted()
}

async function* posted(
  items: readonly Item[],
  post: PostRequest,
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  for (const item of items) {
    signal.throwIfAborted()
    yield { item: item.id, status: 'ok', post }
  }
  signal.throwIfAborted()
}
