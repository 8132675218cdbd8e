import { expect, test } from 'vitest'
import { linksCsv } from './list-labels.ts'

test('links in a format that spreadsheets read', () => {
  const links = [
    {
      filename: 'a, "b".pdf',
      url: 'https://x.example/d?key=1',
      email: null,
      expires_at: null,
      download_limit: 5,
    },
    {
      filename: '=SUM(A1)',
      url: null,
      email: '+1@x.example',
      expires_at: '2026-01-31T00:00:00Z',
      download_limit: null,
    },
  ]
  expect(linksCsv(links).split('\r\n')).toEqual([
    '\ufefffilename,url,email,expires_at,download_limit',
    '"a, ""b"".pdf",https://x.example/d?key=1,,,5',
    "'=SUM(A1),,'+1@x.example,2026-01-31T00:00:00Z,",
    '',
  ])
})
