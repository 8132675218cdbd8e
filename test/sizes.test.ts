// A file's size is formatted the same on the admin page, in mails and on a buyer's page.
import { expect, test } from 'vitest'
import { sizeText as inMails } from '../plugins/contract.ts'
import { translatorFor } from '../server/features/downloads/translate.ts'
import { sizeText as inThePage } from '../web/shell/labels/size.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1023, '1,023 bytes'],
  [1024, '1 KB'],
  [1550, '1.5 KB'],
  [22_528, '22 KB'],
  [99_499, '97 KB'],
  [1024 ** 2 - 1, '1 MB'],
  [5_000_000_000, '4.7 GB'],
  [3000 * 1024 ** 4, '3,000 TB'],
])('%d is %s', (bytes, text) => {
  expect([inThePage(bytes, 'en-US'), inMails(bytes), translatorFor('en').size(bytes)]).toEqual([
    text,
    text,
    text,
  ])
})
