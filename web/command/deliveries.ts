// `deliveries resend`: sends buyers the mail of their delivery again.
import { textOption, type Command, type Context } from './context.ts'
import { dataOf } from './errors.ts'
import { EXIT, errorLines, UsageError } from './exit.ts'
import type { Schemas } from './paths.ts'

export const deliveriesCommand: Command = {
  about: 'resend: send buyers their downloads again',
  help: `stevedore deliveries resend DELIVERY … | --email A | --order NAME [options]

Sends the mail of deliveries again. DELIVERY is an id, delivery_….

  --email ADDRESS  all deliveries of this buyer
  --order NAME     the delivery of this order, as the shop shows it: #1001
  --dry-run        only says which
  --yes            without asking, if they are several
  --json           one JSON object a line

  stevedore deliveries resend --order '#1001'`,
  options: {
    email: { type: 'string' },
    order: { type: 'string' },
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  run: async (context) => {
    const { values, client, terminal, signal } = context
    const deliveries = await chosen(context)
    if (deliveries.length === 0) throw new UsageError('No delivery matches')
    for (const one of deliveries)
      terminal.line(`${one.id}  ${one.order_name}  ${one.email ?? one.phone ?? ''}  ${one.status}`)
    if (values['dry-run'] === true) return EXIT.all
    if (deliveries.length > 1 && values.yes !== true) {
      const answer = await terminal.confirm(`Send ${deliveries.length} mails?`, signal)
      if (answer === null) throw new UsageError('Nobody can be asked here: give --yes')
      if (!answer) return EXIT.all
    }
    let failed = 0
    for (const { id, order_name } of deliveries) {
      const answer = await client.POST('/api/deliveries/{id}/resend', { params: { path: { id } } })
      try {
        const { status } = dataOf(answer)
        terminal.result({ event: 'resent', id, order_name, status }, `sent       ${order_name}`)
      } catch (error) {
        failed++
        const message = errorLines(error).join(' ')
        terminal.result(
          { event: 'failed', id, order_name, message },
          `FAILED     ${order_name}: ${message}`,
        )
      }
    }
    return failed > 0 ? EXIT.some : EXIT.all
  },
}

async function chosen({ given, values, client }: Context): Promise<Schemas['Delivery'][]> {
  const [verb, ...ids] = given
  if (verb !== 'resend') throw new UsageError('There is: stevedore deliveries resend')
  const [email, order] = [textOption(values, 'email'), textOption(values, 'order')]
  const ways = [ids.length > 0, email !== undefined, order !== undefined].filter(Boolean)
  if (ways.length !== 1) throw new UsageError('Name deliveries, or give --email or --order')
  const found: Schemas['Delivery'][] = []
  for (const id of ids)
    found.push(dataOf(await client.GET('/api/deliveries/{id}', { params: { path: { id } } })))
  if (ids.length > 0) return found
  const query = { ...(email ? { email } : {}), ...(order ? { order } : {}) }
  for await (const one of client.all('/api/deliveries', query)) found.push(one)
  return found
}
