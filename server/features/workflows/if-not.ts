// What a workflow does when runs of it fail, in requests, in answers and in the database: whom it
// tells, when the failed files are tried again, and which workflow works on those that still fail.
import { z } from 'zod'
import {
  emailAddress,
  say,
  sayFixed,
  sayPlain,
  type Plugin,
  type Step,
  type Text,
  type Workflow,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { parsePublicId } from '../../core/ids.ts'
import { waitAt } from '../../engine/steps.ts'
import type { Given } from '../../http/endpoint.ts'
import type { WorkflowProblem } from './problems.ts'

/** The runs in a row that are kept, and that `after` may state. */
export const MAX_FAILED_RUNS = 100
const MAX_TIMES = 5
const MAX_PEOPLE = 10
const MAX_ADDRESS = 320
const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }
/** What a retry needs of an operation is kept for 7 days after its end. */
const MAX_AGAIN_SECONDS = 6 * 86_400
const TIME = /^([1-9]\d{0,3})([mhd])$/

export const ifNotSchema = z
  .strictObject({
    after: z
      .int()
      .min(1)
      .max(MAX_FAILED_RUNS)
      .default(1)
      .describe(
        'The runs in a row with failed files after which the shop is told and `run` starts',
      ),
    mail: z
      // Addresses are checked apart, so that each problem has its place.
      .union([z.boolean(), z.array(z.string().trim().max(MAX_ADDRESS)).max(MAX_PEOPLE)])
      .default(false)
      .describe(
        'Who gets a mail, once until it works again: `true`: the recipients in the settings; or these addresses. A notice is always created',
      ),
    run: z
      .string()
      .max(100)
      .nullable()
      .default(null)
      .describe('The workflow that runs on the files of a run that still fail when no try is left'),
    again: z
      .array(
        z
          .string()
          .max(10)
          .meta({ example: '6h' })
          .describe('Minutes, hours or days after the run: `30m`, `6h`, `2d`'),
      )
      .max(MAX_TIMES, sayFixed('At most {count} times', { count: MAX_TIMES }))
      .default([])
      .describe('When the failed files of a run are tried again, up to 6 days after it'),
    on_recovery: z
      .boolean()
      .default(true)
      .describe('Whether those who were told are also told when it works again'),
  })
  .meta({ id: 'IfNot' })

export type IfNot = z.output<typeof ifNotSchema>

/** The seconds of `30m`, `6h`, `2d`; null: it is no such time. */
export function againSeconds(time: string): number | null {
  const [, count, unit = ''] = TIME.exec(time) ?? []
  return count === undefined ? null : Number(count) * (SECONDS[unit] ?? 0)
}

/** What the check of a workflow needs. */
interface CheckedBody {
  kind: Workflow['kind']
  steps: readonly Pick<Step, 'plugin'>[]
  if_not?: IfNot | null | undefined
}

/**
 * Finds the problems of what follows a failure.
 * @param id the workflow’s bare UUID; null: a new one
 */
export async function ifNotProblems(
  scope: ShopScope,
  { kind, if_not: ifNot, steps = [] }: Given<CheckedBody>,
  { id, plugins }: { id: string | null; plugins: readonly Plugin[] },
): Promise<WorkflowProblem[]> {
  if (!ifNot) return []
  if (kind === 'delivery') return [{ param: 'if_not', message: DELIVERY }]
  const { again = [], run, mail } = ifNot
  const problems = [
    ...again.flatMap((time, at) => timeProblem(again, time, at)),
    ...(Array.isArray(mail) ? peopleProblems(mail) : []),
  ]
  if (!run) return problems
  const message =
    kind === 'import' && waitAt(steps as Step[], plugins) < 0
      ? NO_FILES
      : await runProblem(scope, run, id)
  return message ? [...problems, { param: 'if_not.run', ...message }] : problems
}

const DELIVERY = say('A delivery is held if a step fails, and you are told: leave this out')
const NO_FILES = {
  message: say('Files that could not be imported do not exist: no workflow can run on them'),
}

const address = emailAddress(sayPlain('Enter an email address'))

function peopleProblems(people: readonly (string | undefined)[]): WorkflowProblem[] {
  if (people.length === 0)
    return [{ param: 'if_not.mail', message: say('Enter an email address, or choose nobody') }]
  return people.flatMap((one, at) =>
    one === undefined || address.safeParse(one).success
      ? []
      : [{ param: `if_not.mail[${at}]`, message: say('Enter an email address') }],
  )
}

function timeProblem(
  again: readonly (string | undefined)[],
  time: string | undefined,
  at: number,
): WorkflowProblem[] {
  if (time === undefined) return []
  const wrong = (message: Text) => [{ param: `if_not.again[${at}]`, message }]
  const seconds = againSeconds(time)
  if (seconds === null || seconds > MAX_AGAIN_SECONDS)
    return wrong(say('Enter minutes, hours or days, like 30m, 6h or 2d: at most 6 days'))
  const before = at === 0 ? null : againSeconds(again[at - 1] ?? '')
  return before !== null && before >= seconds
    ? wrong(say('Each time is later than the one before'))
    : []
}

async function runProblem(
  scope: ShopScope,
  run: string,
  id: string | null,
): Promise<Pick<WorkflowProblem, 'message' | 'code'> | null> {
  const uuid = parsePublicId('workflow', run)
  const row =
    uuid &&
    (await scope.first<{ kind: Workflow['kind'] }>(
      'select kind from workflows where shop_id = :shop and id = :uuid',
      { uuid },
    ))
  if (!row)
    return { message: say('There is no such workflow: choose one of this shop'), code: 'not_found' }
  if (uuid === id) return { message: say('A workflow does not run because of itself') }
  return row.kind === 'bulk' ? null : { message: say('This workflow does not work on files') }
}

/** The names of the workflows whose If not runs this one, by its id in requests. */
export async function ifNotUsers(scope: ShopScope, workflow: string): Promise<string[]> {
  const rows = await scope.query<{ name: string }>(
    `select name from workflows where shop_id = :shop and if_not ->> 'run' = :workflow
     order by name`,
    { workflow },
  )
  return rows.map(({ name }) => name)
}
