// Buyers' links that steps ask for: created with the file's outcome, mailed if they have an address,
// and revoked by an undo.
import { lastOf, present } from '../../core/lazy.ts'
import type { NewLink } from '../../../plugins/contract/index.ts'
import type { Secrets } from '../../core/secrets.ts'
import { defineEffect, type EffectRequest } from '../../engine/effect.ts'
import { revokeLinks } from './model/changes.ts'
import { makeLinks } from './model/creation.ts'
import { queueLinkMails } from './mail.ts'

export const linkEffect = (secrets: Secrets) =>
  defineEffect({
    name: 'link',
    write: async (tx, operation, requests) => {
      const wanted = requests.map((request) => ({ ...linkOf(request), file_id: request.file }))
      const links = await makeLinks(
        tx,
        secrets,
        {
          file_ids: wanted.map(({ file_id }) => file_id),
          per_file: wanted,
          operation: operation.id,
        },
        new Date(),
      )
      const linkAt = (at: number) => present(links[at], 'The link that was made')
      const mailed = wanted.flatMap(({ send, email }, at) => (send && email ? [linkAt(at)] : []))
      await queueLinkMails(tx, mailed, { occasion: 'made', operation: operation.id })
      return new Map(requests.map(({ item }, at) => [item, { link: linkAt(at) }]))
    },
    preview: (_tx, requests) =>
      Promise.resolve(
        new Map(requests.map((request) => [request.item, { link: linkOf(request) }])),
      ),
    undo: (tx, recorded) =>
      revokeLinks(
        tx,
        recorded.filter((link) => typeof link === 'string'),
      ),
  })

/** The last step that asks for a link decides. */
const linkOf = ({ values }: EffectRequest<NewLink>): NewLink => lastOf(values)
