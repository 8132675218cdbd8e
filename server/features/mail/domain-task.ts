// Looks up the DNS records of the shops' domains every day: without its key in the DNS, mails of a
// domain would be refused, so they are sent from the installation's address until it is back.
import { say } from '../../../plugins/contract/index.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { present } from '../../core/lazy.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import type { DomainAdvice, MailDns } from './dns-records.ts'
import { checkMailDomain } from './domain.ts'

export interface DomainTaskParts {
  database: Database
  mailAdvice: DomainAdvice
  mailDns: MailDns
  clock: () => Date
}

export const domainTask = ({
  database,
  mailAdvice: advice,
  mailDns: dns,
  clock,
}: DomainTaskParts): BackgroundTask => ({
  name: 'check-mail-domains',
  concurrency: 1,
  wanted: `select shop_id, shop_id::text as key, domain_checked_at + interval '1 day' as due_at
    from mail_settings where domain_confirmed_at is not null`,
  run: async ({ shop }) => {
    const scope = forShop(database, present(shop, 'The shop of the run'))
    const outcome = await checkMailDomain(scope, { advice, dns, now: clock() })
    if (outcome === 'lost')
      await scope.transaction((tx) =>
        raiseNotice(tx, {
          level: 'warning',
          operation_id: null,
          title: say('Your mail domain lost its DKIM record'),
          body: say(
            'Mails to buyers are sent from the installation’s address until it is back. Open Settings, Mail to buyers, add the record, and check it.',
          ),
        }),
      )
    return outcome === 'confirmed' ? new Date(clock().getTime() + 24 * 3600 * 1000) : null
  },
})
