// Twenty documents of kinds that a program which writes pages can get wrong. Each has content on
// every page.
import { documentOf, streamOf, type PageSpec } from './documents.ts'

const BOX = '/MediaBox [0 0 200 300]'
/**
 * A frame, a filled corner and a text, so that a moved, rotated or clipped page looks different.
 */
const DRAWS =
  '3 w 5 5 190 290 re S 0.2 0.6 0.3 rg 10 240 60 40 re f BT /F 18 Tf 40 150 Td (Text here) Tj ET'

const one = (page: PageSpec, more: Parameters<typeof documentOf>[1] = {}) =>
  documentOf([{ says: BOX, draws: DRAWS, ...page }], more)
const boxed = (boxes: string) => one({ says: `${BOX} ${boxes}` })

/**
 * Glyphs drawn by operators: each is an image that only the page's resources name, as old producers
 * wrote it.
 */
const TYPE3 = [
  '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 65' +
    ' /LastChar 65 /Widths [1000] /Encoding << /Type /Encoding /Differences [65 /sq] >> /CharProcs << /sq 11 0 R >> >>',
  streamOf('', '1000 0 d0 q 800 0 0 800 0 0 cm /Dot Do Q'),
  streamOf(
    '/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray',
    Buffer.from([0, 160, 90, 0]),
  ),
  '<< /Dot 12 0 R >>',
]
const DOT = '/XObject 13 0 R'
const type3Page: PageSpec = {
  says: BOX,
  fonts: '/T 10 0 R',
  resources: DOT,
  draws: `${DRAWS} BT /T 40 Tf 60 60 Td (AA) Tj ET`,
}

const FIELD = [
  '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [20 20 180 50] /F 4 /AP << /N 11 0 R >> >>',
  streamOf(
    '/Type /XObject /Subtype /Form /BBox [0 0 160 30] /Resources << /Font << /F 3 0 R >> >>',
    '/Tx BMC BT /F 14 Tf 5 8 Td (Ada Lovelace) Tj ET EMC',
  ),
]
const ATTACHMENT = [
  '<< /Type /Filespec /F (notes.txt) /EF << /F 11 0 R >> >>',
  streamOf('/Type /EmbeddedFile', 'A text next to the document'),
]
const PATTERN = [
  streamOf(
    '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 20 20] /XStep 20 /YStep 20 /Resources << >>',
    '0.8 0.2 0.2 rg 0 0 10 10 re f',
  ),
]

export const ODD_DOCUMENTS: Record<string, Buffer> = {
  'a crop box off the centre': boxed('/CropBox [50 100 190 290]'),
  'a trim box off the centre': boxed('/TrimBox [50 120 190 290]'),
  'a trim and a crop box, neither inside the other': boxed(
    '/CropBox [0 60 160 300] /TrimBox [40 0 200 280]',
  ),
  'a bleed, a trim and an art box': boxed(
    '/BleedBox [10 10 180 290] /TrimBox [30 40 170 280] /ArtBox [60 60 90 90]',
  ),
  'a trim box off the centre, turned': boxed('/TrimBox [50 120 190 290] /Rotate 90'),
  'a crop box off the centre, turned the other way': boxed('/CropBox [50 100 190 290] /Rotate -90'),
  'a box that begins elsewhere, upside down': one({
    says: '/MediaBox [-100 -150 100 150] /Rotate 180',
    draws: `1 0 0 1 -100 -150 cm ${DRAWS}`,
  }),
  'another unit': boxed('/UserUnit 2 /TrimBox [50 120 190 290]'),
  'a font of operators that uses the page’s resources': documentOf([type3Page, type3Page], {
    extra: TYPE3,
  }),
  'resources from above, which pages share': documentOf(
    ['A', 'AA'].map((text) => ({
      bare: true,
      says: BOX,
      draws: `${DRAWS} BT /T 40 Tf 60 60 Td (${text}) Tj ET`,
    })),
    { extra: TYPE3, tree: `/Resources << /Font << /F 3 0 R /T 10 0 R >> ${DOT} >>` },
  ),
  'a form field': one(
    { says: `${BOX} /Annots [10 0 R]` },
    { extra: FIELD, catalog: '/AcroForm << /Fields [10 0 R] /DR << /Font << /F 3 0 R >> >> >>' },
  ),
  'an attached file': one(
    {},
    { extra: ATTACHMENT, catalog: '/Names << /EmbeddedFiles << /Names [(notes.txt) 10 0 R] >> >>' },
  ),
  'a graphics state that is left changed': one({
    draws: `q 0.5 0 0 0.5 20 30 cm 1 0 0 RG ${DRAWS} q 2 0 0 2 9 9 cm`,
  }),
  'a state taken back that was never kept': one({ draws: `0.5 0 0 0.5 20 30 cm ${DRAWS} Q` }),
  'a text that is left open': one({ draws: `${DRAWS} /P BMC BT /F 9 Tf 20 20 Td (almost) Tj` }),
  'content in several parts': one(
    { says: `${BOX} /Contents [10 0 R 11 0 R 10 0 R]` },
    { extra: [streamOf('', 'q 0.5 0 0 0.5 10 20 cm'), streamOf('', DRAWS)] },
  ),
  'a picture in the content': one({
    draws: `${DRAWS} q 50 0 0 50 100 50 cm BI /W 2 /H 2 /BPC 8 /CS /G ID @~EI\nEI Q q 1 0 0 1 5 5 cm`,
  }),
  'a pattern': one({
    resources: '/Pattern << /P 10 0 R >>',
    draws: `0.5 0 0 0.5 10 10 cm ${DRAWS} /Pattern cs /P scn 20 20 300 100 re f`,
  }, { extra: PATTERN }), // oxfmt-ignore
  'the same page twice': Buffer.from(
    documentOf([
      { says: BOX, draws: DRAWS },
      { says: BOX, draws: '9 9 9 9 re f' },
    ])
      .toString('latin1')
      .replace('/Kids [10 0 R 12 0 R]', '/Kids [10 0 R 10 0 R]'),
    'latin1',
  ),
  'a page with a group, and one with nothing': documentOf([
    { says: `${BOX} /Group << /S /Transparency /CS /DeviceRGB /I true >>`, draws: DRAWS },
    { says: BOX },
  ]),
}
