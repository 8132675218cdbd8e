// import.csv: the columns of the CSV import, for the files beside it.
import { english } from '../../../../plugins/contract/index.ts'
import { expect, it } from 'vitest'
import { nameKey } from '../../../files/rules.ts'
import { readManifest } from './manifest.ts'

it('rows give settings, products and the pack of their files; wrong ones say which cell', async () => {
  const { rows, wrong } = await readManifest(
    Buffer.from(
      [
        'file_name;visibility;cdn;notify;tracking;referrers;sample_pages;pack',
        'a.pdf;public;no;yes;off;"shop.example.com;*.example.org";3;Kit',
        'b.pdf;;;;;any;none;none',
        'c.pdf;secret;;;;;;',
        'd.pdf;;maybe;;;;;',
        'e.pdf;;;;;not a host!;;',
      ].join('\n'),
    ),
  )
  expect(rows.get(nameKey('a.pdf'))?.values).toMatchObject({
    visibility: 'public',
    cdn: false,
    download_notification: true,
    download_tracking: false,
    allowed_referrers: ['shop.example.com', '*.example.org'],
    sample_pages: 3,
    pack: { packs: ['Kit'] },
  })
  expect(rows.get(nameKey('b.pdf'))?.values).toMatchObject({
    visibility: undefined,
    cdn: undefined,
    allowed_referrers: [],
    sample_pages: null,
    pack: { packs: [] },
  })
  expect([...wrong.values()].map(english)).toEqual([
    'Row 4, visibility (secret): This is none of private, public',
    'Row 5, cdn (maybe): This is none of yes, no, true, false, on, off, 1, 0',
    'Row 6, allowed_referrers (not a host!): host!: Enter a host, like shop.example.com or *.example.com',
  ])
})
