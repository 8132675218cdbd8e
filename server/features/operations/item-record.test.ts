import { expect, test } from 'vitest'
import { toPublicId } from '../../core/ids.ts'
import { shownChange } from './item-record.ts'

const ID = '01a21a71-b540-7000-9b04-4a9e9320bf92'

test('a change names the link that was made by its id, as lists of links do', () => {
  const change = shownChange({ before: {}, after: { link: ID } })
  expect(change.after).toEqual({ link: toPublicId('link', ID) })
  // A preview has made none.
  expect(shownChange({ before: {}, after: { link: {} } }).after).toEqual({ link: {} })
})
