// Quarantine, which steps ask for: files with viruses are withheld, and released ones delivered again.
import { say } from '../../../plugins/contract/index.ts'
import { lastOf } from '../../core/lazy.ts'
import { defineEffect } from '../../engine/effect.ts'
import { quarantinedAmong, quarantineFiles, endQuarantine } from '../../files/quarantine.ts'

const NOT_IN_QUARANTINE = {
  code: 'conflict',
  message: say('The file is not in quarantine'),
} as const

export const quarantineEffect = defineEffect({
  name: 'quarantine',
  prepare: async (tx, _operation, requests) => {
    const releasing = requests.filter(({ values }) => 'released' in lastOf(values))
    const held = await quarantinedAmong(
      tx,
      releasing.map(({ file }) => file),
    )
    return new Map(
      releasing
        .filter(({ file }) => !held.has(file))
        .map(({ item }) => [item, { problem: NOT_IN_QUARANTINE }]),
    )
  },
  write: async (tx, { requested_by: by }, requests) => {
    const wanted = requests.map(({ item, file, values }) => ({ item, file, value: lastOf(values) }))
    await quarantineFiles(
      tx,
      wanted.flatMap(({ file, value }) => ('found' in value ? [{ file, found: value.found }] : [])),
    )
    await endQuarantine(
      tx,
      wanted.flatMap(({ file, value }) =>
        'released' in value ? [{ file, reason: value.released, by }] : [],
      ),
    )
    return new Map(wanted.map(({ item, value }) => [item, { quarantine: value }]))
  },
})
