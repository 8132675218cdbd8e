// Documents that violate the specification and that readers open: they are processed, with a
// warning if something was repaired.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DAMAGED_DOCUMENTS, ODD_BUT_SOUND } from '../../test/damaged-documents.ts'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import { textsOf } from '../../test/documents.ts'
import { someOf } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

const PAGES = ['page 1', 'page 2']
/** One of each way in which a document is repaired. */
const FEW = [
  'a name with a stray #',
  'a JPEG that is none',
  'no header',
  'no table',
  'content with parts that are none',
  'content that cannot be decompressed',
]

type Made = { documents: Buffer[]; warnings: readonly { code: string }[] }
const WAYS: Record<string, (bytes: Buffer) => Promise<Made>> = {
  split: async (bytes) => {
    const { parts, warnings } = await house.split(bytes, { every: 1 })
    return { documents: parts.map(({ document }) => document), warnings }
  },
  merge: async (bytes) => {
    const { document, warnings } = await house.merge([bytes])
    return { documents: [document], warnings }
  },
  watermark: async (bytes) => {
    const { document, warnings } = await house.watermark(bytes)
    return { documents: [document], warnings }
  },
  optimize: async (bytes) => {
    const result = await house.optimize(bytes)
    if ('unchanged' in result) return { documents: [bytes], warnings: [] }
    return { documents: [result.document], warnings: result.warnings }
  },
}

async function madeBy(way: string, bytes: Buffer) {
  const { documents, warnings } = await WAYS[way]!(bytes)
  const texts = await Promise.all(documents.map(textsOf))
  // Without a font, poppler extracts no text.
  return {
    texts: texts.flat().filter((text) => text !== ''),
    warnings: warnings.map(({ code }) => code),
  }
}

const SOUND = Object.entries(ODD_BUT_SOUND)
const ways = Object.keys(WAYS)
/** In npm test each of these documents goes one of the ways, and each way has one sound document. */
const goes = (at: number, way: string) => ways[at % ways.length] === way

describe.each(ways)('%s', (way) => {
  it.each(someOf(Object.keys(DAMAGED_DOCUMENTS), (name) => goes(FEW.indexOf(name), way)))(
    'repairs %s',
    async (name) => {
      const { texts, warnings } = await madeBy(way, DAMAGED_DOCUMENTS[name]!)
      if (name !== 'a name with a stray #') expect(texts).toEqual(PAGES)
      // A mark may not meet the damage, or mend it itself.
      const mayMissIt = way === 'watermark' || way === 'optimize'
      expect(mayMissIt ? ['', 'pdf_repaired'] : ['pdf_repaired']).toContain(warnings.join())
    },
  )
  it('does not call sound documents damaged', async () => {
    for (const [name, bytes] of someOf(SOUND, (_, at) => at < ways.length && goes(at, way)))
      expect(await madeBy(way, bytes), name).toEqual({ texts: PAGES, warnings: [] })
  })
})
