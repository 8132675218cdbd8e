import { describe, expect, test } from 'vitest'
import { type Mapping } from '../client/types.ts'
import { extensionOf, familyOf, kindText, productTitles } from './labels.ts'

describe('extensions', () => {
  test.each([
    ['Guide.PDF', 'pdf'],
    ['archive.tar.gz', 'gz'],
    ['.hidden', ''],
    ['no extension', ''],
    ['ends with a dot.', ''],
    ['v1.2 of the manual', ''],
    ['x.averyverylongone', ''],
  ])('of %s', (name, extension) => expect(extensionOf(name)).toBe(extension))
})

describe('kinds', () => {
  test.each([
    ['guide.pdf', '', 'PDF', 'document'],
    ['photo.JPG', '', 'JPG image', 'image'],
    ['lesson.mp4', '', 'MP4 video', 'video'],
    ['pack.zip', '', 'ZIP archive', 'archive'],
    ['thing.xyz', 'application/octet-stream', 'XYZ', 'other'],
    ['thing', 'image/png', 'Image', 'image'],
    ['thing', '', 'File', 'other'],
  ])('%s (%s) is %s', (name, type, kind, family) => {
    expect(kindText(name, type)).toBe(kind)
    expect(familyOf(name, type)).toBe(family)
  })
})

test('a product with several variants is named once', () => {
  const mapping = (product_id: string, product_title: string) =>
    ({ product_id, product_title }) as Mapping
  expect(
    productTitles([mapping('1', 'Knots'), mapping('2', 'Tides'), mapping('1', 'Knots')]),
  ).toEqual(['Knots', 'Tides'])
})
