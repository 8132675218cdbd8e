// Assigns the buyer one licence key from a list of the shop for each unit bought: the files of one
// product share it. A repeated run assigns no further keys. If the list has too few keys, the
// delivery is held.
import { z } from 'zod'
import { definePlugin, failed, type Outcome, say, sayPlain } from '../contract/index.ts'

const options = z.strictObject({
  list: z
    .string()
    .regex(/^licences_[0-9a-f]{32}$/, sayPlain('This is not the id of a list of licence keys'))
    .meta({ title: 'List of licence keys', widget: 'licence-list', missing: 'Choose a list' }),
  per: z
    .enum(['unit', 'file'])
    .default('unit')
    .meta({
      title: 'Keys',
      choices: {
        unit: 'One for each unit bought',
        file: 'One for each file, however many units are bought',
      },
    }),
})

/** Items fail with `licence_keys_used_up` and `licence_list_not_found`. */
export const assignLicenceKey = definePlugin({
  id: 'assign-licence-key',
  kind: 'act',
  title: 'Assign licence keys',
  actions: [],
  options,
  undo: 'none',
  worksOn: 'deliveries',
  needs: ['licences'],
  advice: {
    licence_keys_used_up: 'Add keys to the list: the deliveries that wait for them then continue.',
    licence_list_not_found: 'Choose a list of this shop in the workflow, then prepare it again.',
  },
  summary: ({ per }) =>
    per === 'unit' ? say('A licence key for each unit bought') : say('A licence key for each file'),
  async *plan(items, { list }, { licences, signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      const found = await licences.find(list)
      yield found
        ? { item: item.id, status: 'ok' as const }
        : {
            item: item.id,
            status: 'failed' as const,
            code: 'licence_list_not_found',
            message: 'There is no such list of licence keys',
            retryable: false,
          }
    }
  },
  async *run(items, { list, per }, { licences, signal }): AsyncGenerator<Outcome> {
    for (const item of items) {
      signal.throwIfAborted()
      const { id: file } = item.file
      if (file === null) throw new Error('A delivery has only files that exist')
      try {
        await licences.assign(list, file, per)
        yield { item: item.id, status: 'ok' }
      } catch (error) {
        yield failed(item, error)
      }
    }
  },
})
