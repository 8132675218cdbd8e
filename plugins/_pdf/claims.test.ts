// The standards that documents claim to follow, and what is left of the claims.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFile } from '../../test/deliveries.ts'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import { documentOf, faultsOf, numberedPages, streamOf, unpacked } from '../../test/documents.ts'
import { photo } from '../../test/images.ts'
import { randomOf, soakTest, someOf } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

const rdf = (content: string, attributes = '') =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description ${attributes}>${content}<dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">Kept</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`
const A = 'xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"'
const UA = 'xmlns:ua="http://www.aiim.org/pdfua/ns/id/"'
const X = 'xmlns:pdfx="http://ns.adobe.com/pdfx/1.3/"'
const METADATA = {
  'PDF/A-1': rdf('<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>', A),
  'PDF/A-2': rdf('', `${A} pdfaid:part="2" pdfaid:conformance='U'`),
  'PDF/UA-1': rdf('<ua:part>1</ua:part>', UA),
  'PDF/X-3:2002': rdf('<pdfx:GTS_PDFXVersion>PDF/X-3:2002</pdfx:GTS_PDFXVersion>', X),
}
type Standard = keyof typeof METADATA

const claiming = (standard: Standard, profile = '/OutputIntents [<< /S /GTS_PDFA1 >>]') =>
  documentOf(
    numberedPages(40).map(({ draws }) => ({ draws: `${draws}${' '.repeat(3000)}` })),
    {
      extra: [streamOf('/Type /Metadata /Subtype /XML', METADATA[standard])],
      catalog: `/Metadata 10 0 R ${profile}`,
    },
  )
const claimsIn = async (document: Buffer) =>
  [...(await unpacked(document)).matchAll(/(?:pdfaid|ua):(?:part|conformance)|GTS_PDFXVersion/g)]
    .length
const lost = (standard: string) => [
  {
    code: 'pdf_standard_lost',
    message: { message: 'The result no longer claims to be {standard}', values: { standard } },
  },
]

describe('an optimized document', () => {
  it.each(someOf(['PDF/A-1', 'PDF/X-3:2002'] as const, (_, at) => at < 1))(
    'of %s has no object streams',
    async (standard) => {
      const document = await house.smaller(claiming(standard), { linearize: false })
      expect(document.toString('latin1')).not.toContain('/ObjStm')
      // The metadata must not be compressed either.
      expect(document.toString('latin1')).toContain('<x:xmpmeta')
      expect(await claimsIn(document)).toBeGreaterThan(0)
    },
  )
  soakTest('of a standard that allows them has them', async () => {
    const document = await house.smaller(claiming('PDF/A-2'), { linearize: false })
    expect(document.toString('latin1')).toContain('/ObjStm')
    expect(await claimsIn(document)).toBe(2)
  })
})

describe('a watermark', () => {
  it.each(
    someOf(
      [
        ['PDF/A-1', 0.5, true],
        ['PDF/A-1', 1, false],
        ['PDF/X-3:2002', 0.5, true],
        ['PDF/A-2', 0.5, false],
      ] as const,
      (_, at) => at < 2,
    ),
  )('on %s of opacity %f: the claim is lost: %s', async (standard, opacity, isLost) => {
    const { document, warnings } = await house.watermark(claiming(standard), { opacity })
    expect(warnings).toEqual(isLost ? lost(standard) : [])
    expect((await claimsIn(document)) === 0).toBe(isLost)
    expect(await unpacked(document)).toContain('Kept')
    expect(await faultsOf(document)).toBe('')
  })
  soakTest('in a colour that no profile defines breaks every claim', async () => {
    const picture = await addFile(house.engine, 'logo.png', await photo(60, 40).png().toBuffer())
    const made = [
      await house.watermark(claiming('PDF/A-2'), { picture }),
      await house.watermark(claiming('PDF/A-2', '')),
    ]
    for (const { warnings } of made) expect(warnings).toEqual(lost('PDF/A-2'))
  })
})

const STANDARDS = Object.keys(METADATA) as Standard[]
/** In npm test the seed chooses one of them. */
const CHOSEN = randomOf('claims')(0, STANDARDS.length)

describe.each(someOf(STANDARDS, (_, at) => at === CHOSEN))('of %s', (standard) => {
  it('parts and merged documents make no claim', async () => {
    const source = claiming(standard)
    const { parts, warnings } = await house.split(source, { every: 30 })
    expect(warnings).toEqual(lost(standard))
    for (const { document } of parts) expect(await claimsIn(document)).toBe(0)
    const merged = await house.merge([source, source])
    expect(merged.warnings).toHaveLength(2)
    expect(await claimsIn(merged.document)).toBe(0)
  })
})
