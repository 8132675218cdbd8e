import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import { faultsOf } from '../../test/documents.ts'
import { ODD_DOCUMENTS } from '../../test/odd-documents.ts'
import {
  differences,
  differingPixels,
  imagesAndTitles,
  type Looks,
} from '../../test/page-pictures.ts'
import { someOf } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

it('covers twenty documents', () => expect(Object.keys(ODD_DOCUMENTS)).toHaveLength(20))

/** The pages of a document before an action, for the comparison after it. */
const CHECKS: Record<string, (bytes: Buffer, source: Looks) => Promise<void>> = {
  'look the same and say the same under a mark that cannot be seen': async (bytes, source) => {
    const { document } = await house.watermark(bytes, { opacity: 0 })
    expect(await faultsOf(document)).toBe('')
    expect(differences(source, await imagesAndTitles(document))).toEqual([])
  },
  'look the same beside a mark in a corner, and have the mark there': async (bytes, source) => {
    const { document } = await house.watermark(bytes, { position: 'top-left', opacity: 1 })
    const made = await imagesAndTitles(document)
    expect(made.texts).toEqual(source.texts)
    for (const [at, picture] of source.pictures.entries()) {
      const pixels = differingPixels(picture, made.pictures[at]!)
      expect(pixels.length).toBeGreaterThan(0)
      const outside = pixels.filter((pixel) => !isInCorner(pixel, picture.width, picture.height))
      expect(outside).toEqual([])
    }
  },
  'look the same and say the same in a part of their own': async (bytes, source) => {
    const { parts } = await house.split(bytes, { every: 1 })
    expect(parts).toHaveLength(source.pictures.length)
    for (const [at, { document }] of parts.entries()) {
      expect(await faultsOf(document)).toBe('')
      expect(differences(pageOf(source, at), await imagesAndTitles(document))).toEqual([])
    }
  },
  'look the same and say the same in a document of several': async (bytes, source) => {
    const { document } = await house.merge([bytes, bytes])
    const twice = {
      pictures: [...source.pictures, ...source.pictures],
      texts: [...source.texts, ...source.texts],
    }
    expect(differences(twice, await imagesAndTitles(document))).toEqual([])
  },
  'look the same and say the same when the document was made smaller': async (bytes, source) => {
    const result = await house.optimize(bytes)
    if ('document' in result)
      expect(differences(source, await imagesAndTitles(result.document))).toEqual([])
    else expect(result.unchanged).toBe('It would not become smaller')
  },
}
const NAMES = Object.keys(CHECKS)
/**
 * In npm test each check has one document, another one each; in soak each document has all checks.
 */
const checksOf = (document: number) =>
  someOf(NAMES, (_, at) => (at + document) % NAMES.length === 0)

const DOCUMENTS = Object.entries(ODD_DOCUMENTS).map(([name, bytes], at) => ({ name, bytes, at }))
describe.each(someOf(DOCUMENTS, ({ at }) => at < NAMES.length))(
  'the pages of a document with $name',
  ({ bytes, at }) => {
    let source: Looks
    beforeAll(async () => void (source = await imagesAndTitles(bytes)))

    it.each(checksOf(at))('%s', (check) => CHECKS[check]!(bytes, source))
  },
)

const pageOf = ({ pictures, texts }: Looks, at: number): Looks => ({
  pictures: [pictures[at]!],
  texts: [texts[at]!],
})

/**
 * The possible positions of a mark in the upper left corner: the crop box may hide content above it
 * and to its left.
 */
const isInCorner = (pixel: number, width: number, height: number) =>
  pixel % width < width * 0.75 && pixel < width * height * 0.55
