import { expect, it } from 'vitest'
import { withExtensionOf } from './versions.ts'

it.each([
  ['cover.jpg', 'cover.webp', 'cover.jpg'],
  ['cover.JPG', 'Front page.webp', 'Front page.JPG'],
  ['cover.JPG', 'other.jpg', 'other.jpg'],
  ['archive.tar.gz', 'archive.tar.zst', 'archive.tar.gz'],
  ['README', 'notes.md', 'notes'],
  ['notes.md', 'README', 'README.md'],
  ['.env', 'settings.env', 'settings'],
  ['a.pdf', '.hidden', '.hidden.pdf'],
  ['a.pdf', 'v1.2.3.webp', 'v1.2.3.pdf'],
])('a version that was created by %s makes %s %s', (model, filename, expected) => {
  expect(withExtensionOf(model, filename)).toBe(expected)
})
