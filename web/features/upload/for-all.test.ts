import { expect, test } from 'vitest'
import { batchFilesOf, NOTHING_FOR_ALL } from './for-all.ts'

test('only what is chosen and valid is sent', () => {
  expect(batchFilesOf(NOTHING_FOR_ALL)).toEqual({})
  expect(
    batchFilesOf({
      tags: ['spring'],
      pack: ' Course ',
      product: { sku: 'EB-001', title: 'Tides' },
      expiry_days: ' 30',
      download_limit: '0',
      available_from: '2027-03-01',
      available_after_days: '7',
      first_use_hours: '0',
      customer_tag: ' vip ',
      view_limit: '3',
      view_days: 'x',
      ask_for: 'email',
    }),
  ).toEqual({
    tags: ['spring'],
    pack: 'Course',
    product_sku: 'EB-001',
    expiry_days: 30,
    available_from: '2027-03-01',
    available_after_days: 7,
    customer_tag: 'vip',
    view_limit: 3,
    ask_for: 'email',
  })
})
