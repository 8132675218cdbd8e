// Versions that an operation replaces and does not keep: they expire when it can no longer be
// undone.
import { defineEffect } from './effect.ts'

export const droppedVersions = defineEffect({
  name: 'drop_previous',
  write: (_tx, _operation, requests) =>
    Promise.resolve(
      new Map(
        requests
          .filter(({ before }) => before.version !== undefined)
          .map(({ item }) => [item, { drop_previous: true }]),
      ),
    ),
})
