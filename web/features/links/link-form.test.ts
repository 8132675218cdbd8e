import { describe, expect, test } from 'vitest'
import { ApiError } from '../../shell/client/error.ts'
import { linkFormFor, linkProblems, packLinkFormFor, readLinkForm } from './link-form.ts'

const form = linkFormFor({ expiry_days: 60, download_limit: 5 })

test('starts with the file’s settings', () => {
  expect(readLinkForm(form)).toEqual({ link: { expiry_days: 60, download_limit: 5 } })
  expect(readLinkForm(linkFormFor({ expiry_days: null, download_limit: null }))).toEqual({
    link: { expiry_days: null, download_limit: null },
  })
})

describe('refuses', () => {
  test.each(['', '0', '-1', '1.5', '1e3', 'x', '36501'])('"%s" days', (expiryDays) =>
    expect(readLinkForm({ ...form, expiryDays })).toHaveProperty('errors.expiryDays'),
  )
  test.each(['', '0', '99999999999'])('a limit of "%s"', (downloadLimit) =>
    expect(readLinkForm({ ...form, downloadLimit })).toHaveProperty('errors.downloadLimit'),
  )
  test.each(['nobody', 'a@b', 'a b@example.com'])('the address %s', (email) =>
    expect(readLinkForm({ ...form, email })).toHaveProperty('errors.email'),
  )
  test('every field together', () =>
    expect(readLinkForm({ ...form, expiryDays: '', downloadLimit: '', email: 'x' })).toEqual({
      errors: {
        expiryDays: expect.any(String),
        downloadLimit: expect.any(String),
        email: expect.any(String),
      },
    }))
})

test('asks for the terms of views if the file is viewed', () => {
  const viewed = linkFormFor({
    expiry_days: null,
    download_limit: null,
    view: 'both',
    view_limit: 3,
    view_days: null,
  })
  expect(readLinkForm(viewed)).toEqual({
    link: { expiry_days: null, download_limit: null, view_limit: 3, view_days: null },
  })
  expect(readLinkForm({ ...viewed, viewLimit: '0', viewsEnd: true, viewDays: '' })).toEqual({
    errors: { viewLimit: expect.any(String), viewDays: expect.any(String) },
  })
})

test('a link to a pack has no terms of views', () => {
  const shop = { expiry_days: 60, download_limit: 5, view_limit: 3, view_days: 365 }
  expect(readLinkForm(packLinkFormFor({ ...shop, view: 'both' }))).toEqual({
    link: { expiry_days: 60, download_limit: 5 },
  })
})

test('a field that is switched off is not checked', () => {
  expect(
    readLinkForm({ ...form, expires: false, expiryDays: 'x', email: ' buyer@example.com ' }),
  ).toEqual({
    link: { expiry_days: null, download_limit: 5, email: 'buyer@example.com' },
  })
})

test('the server’s problems are next to the fields that they name, the rest above them', () => {
  const error = (params: string[]) =>
    new ApiError('validation_failed', 'Not valid', {
      status: 422,
      details: params.map((param) => ({ param, code: 'invalid_value', message: `About ${param}` })),
    })
  const placed = error(['expiry_days', 'email'])
  expect(linkProblems(placed)).toEqual({
    fields: { expiryDays: 'About expiry_days', email: 'About email' },
    other: null,
  })
  const mixed = error(['file_ids', 'email'])
  expect(linkProblems(mixed)).toEqual({ fields: { email: 'About email' }, other: mixed })
  const bare = error([])
  expect(linkProblems(bare)).toEqual({ fields: {}, other: bare })
})
