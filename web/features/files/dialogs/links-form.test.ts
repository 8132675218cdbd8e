import { expect, test } from 'vitest'
import { EMPTY_LINKS, type LinksForm, readLinks } from './links-form.ts'

const read = (part: Partial<LinksForm>) => readLinks({ ...EMPTY_LINKS, ...part })

test('terms of the files’ own settings are not sent', () => {
  expect(read({})).toEqual({ options: {} })
})

test('common terms, and other ones for some files', () => {
  expect(
    read({
      expiry: 'set',
      days: ' 30 ',
      limit: 'unlimited',
      email: ' a@b.example ',
      send: true,
      custom: { file_1: '7', file_2: ' ' },
    }),
  ).toEqual({
    options: {
      expiry_days: 30,
      download_limit: null,
      email: 'a@b.example',
      per_file: [{ file_id: 'file_1', expiry_days: 7 }],
    },
  })
  expect(read({ expiry: 'never', limit: 'set' })).toEqual({
    options: { expiry_days: null, download_limit: 5 },
  })
})

test('names every invalid field together', () => {
  const all = {
    expiry: 'set',
    days: '0',
    limit: 'set',
    downloads: '',
    email: 'nobody',
    custom: { file_1: 'x' },
  } as const
  expect(Object.keys((read(all) as { errors: object }).errors)).toEqual([
    'days',
    'downloads',
    'email',
    'custom',
  ])
  expect(read({ send: true })).toEqual({ errors: { email: 'Enter the email address' } })
})
