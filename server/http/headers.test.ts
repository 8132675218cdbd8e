import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/code-points.ts'
import { contentDisposition, fileHeaders, safeType } from './headers.ts'

test.each([
  ['plan.pdf', 'attachment; filename="plan.pdf"'],
  ['two words (1).pdf', 'attachment; filename="two words (1).pdf"'],
  ['a"b\\c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b_c.pdf`],
  ['café.pdf', `attachment; filename="cafe.pdf"; filename*=UTF-8''caf%C3%A9.pdf`],
  ['計画.pdf', `attachment; filename="__.pdf"; filename*=UTF-8''%E8%A8%88%E7%94%BB.pdf`],
  [
    '🎁 it’s.zip',
    `attachment; filename="_ it_s.zip"; filename*=UTF-8''%F0%9F%8E%81%20it%E2%80%99s.zip`,
  ],
  ["100%*'.txt", `attachment; filename="100__'.txt"; filename*=UTF-8''100%25%2A%27.txt`],
  [
    'a\r\nSet-Cookie: x=1\u0000.pdf',
    `attachment; filename="aSet-Cookie_ x=1.pdf"; filename*=UTF-8''aSet-Cookie%3A%20x%3D1.pdf`,
  ],
  ['harmless\u202efdp.exe', 'attachment; filename="harmlessfdp.exe"'],
  ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
  ['\ud800.pdf', `attachment; filename="_.pdf"; filename*=UTF-8''%EF%BF%BD.pdf`],
  [' \t', 'attachment; filename="download"'],
  ['\u1732', `attachment; filename="download"; filename*=UTF-8''%E1%9C%B2`],
])('%j is saved as %s', (name, header) => {
  expect(contentDisposition(name)).toBe(header)
})

test('a very long name keeps its extension, in a header that clients accept', () => {
  const header = contentDisposition('計'.repeat(5000) + '.tar.gz')
  // As long as a name may be.
  expect(header.length).toBeLessThan(2700)
  const longest = `${'計'.repeat(251)}.pdf`
  expect(decodeURIComponent(contentDisposition(longest).split("UTF-8''")[1]!)).toBe(longest)
  expect(header).toMatch(/\.gz$/)
})

test('for any name the header is plain ASCII, well-formed, and decodes to the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 300 }), (name) => {
      const header = contentDisposition(name)
      expect(header).toMatch(
        /^attachment; filename="[ !#-[\]-~]+"(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+)?$/,
      )
      const encoded = header.split("UTF-8''")[1]
      if (encoded) expect(() => decodeURIComponent(encoded)).not.toThrow()
    }),
  )
})

test('a browser never gets a type that it would execute', () => {
  const opaque = [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/javascript',
  ]
  opaque.push(
    'application/xml',
    'text/css',
    'multipart/x-mixed-replace',
    'message/rfc822',
    'nonsense',
    'a/b\r\nX: y',
    '',
  )
  for (const type of opaque)
    expect([type, safeType(type)]).toEqual([type, 'application/octet-stream'])
  const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  for (const type of [
    'application/pdf',
    'image/png',
    'application/zip',
    'audio/mpeg',
    'text/plain',
    docx,
  ])
    expect(safeType(type)).toBe(type)
  expect(safeType('text/plain; charset=utf-8')).toBe('text/plain')
})

test('every file is sent as an attachment in a sandbox', () => {
  const flat = fileHeaders({
    filename: 'a.html',
    contentType: 'text/html',
    etag: '"x"',
    modifiedMs: 1.5e12,
  })
  const headers = Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 ? [] : [[name, flat[at + 1]]])),
  ) as object
  expect(headers).toEqual({
    'Cache-Control': 'private, no-store, no-transform',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Accept-Ranges': 'bytes',
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': 'attachment; filename="a.html"',
    ETag: '"x"',
    'Last-Modified': 'Fri, 14 Jul 2017 02:40:00 GMT',
  })
})
