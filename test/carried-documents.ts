// Documents that have more than pages: layers, bookmarks, links, a structure, attached files.
import { documentOf, numberedPages, streamOf, type PageSpec } from './documents.ts'

/** Pages with a line of each of two layers, as sewing patterns have one for each size. */
export const layered = (configuration: string, pages = 1, more = '') =>
  documentOf(
    Array.from({ length: pages }, (): PageSpec => ({
      resources: '/Properties << /A 10 0 R /B 11 0 R >>',
      draws:
        '/OC /A BDC BT /F 24 Tf 20 120 Td (Size 12) Tj ET EMC /OC /B BDC BT /F 24 Tf 20 60 Td (Size 14) Tj ET EMC',
    })),
    {
      extra: ['<< /Type /OCG /Name (Size 12) >>', '<< /Type /OCG /Name (Size 14) >>'],
      catalog: `/OCProperties << /OCGs [10 0 R 11 0 R] /D << ${configuration} /Order [10 0 R 11 0 R] >> ${more} >>`,
    },
  )

const DESTINATIONS = {
  names: ['(two)', '/Names << /Dests << /Names [(two) [16 0 R /XYZ 0 100 0]] >> >>'],
  'old names': ['/two', '/Dests << /two << /D [16 0 R /Fit] >> >>'],
  numbers: ['[1 /Fit]', ''],
} as const

/** Two pages. A link on the first and a bookmark below another lead to the second. */
export function linked(title: string, by: keyof typeof DESTINATIONS = 'names'): Buffer {
  const [second, catalog] = DESTINATIONS[by]
  const [one, two] = numberedPages(2)
  const first = { ...one, says: '/MediaBox [0 0 200 300] /Annots [10 0 R]' }
  return documentOf([first, two ?? {}], {
    extra: [
      `<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoTo /D ${second} >> >>`,
      '<< /Type /Outlines /First 12 0 R /Last 12 0 R /Count 2 >>',
      `<< /Title (${title}) /Parent 11 0 R /Dest [14 0 R /Fit] /First 13 0 R /Last 13 0 R /Count 1 >>`,
      `<< /Title (${title} two) /Parent 12 0 R /A << /S /GoTo /D ${second} >> >>`,
    ],
    catalog: `/Outlines 11 0 R ${catalog}`,
  })
}

/** A tagged page with a heading and a text box, both found by their numbers. */
export const tagged = (text: string, pages = 1) =>
  documentOf(
    Array.from({ length: pages }, (_, at): PageSpec => ({
      says: `/MediaBox [0 0 200 300] /StructParents ${at}`,
      draws: `/H1 << /MCID 0 >> BDC BT /F 24 Tf 20 120 Td (${text} ${at + 1}) Tj ET EMC`,
    })),
    {
      extra: [
        '<< /Type /StructTreeRoot /K [11 0 R] /ParentTree 12 0 R /RoleMap << /Head /H1 >> >>',
        `<< /S /Document /P 10 0 R /K [${Array.from({ length: pages }, (_, at) => `${13 + at} 0 R`).join(' ')}] >>`,
        `<< /Nums [${Array.from({ length: pages }, (_, at) => `${at} [${13 + at} 0 R]`).join(' ')}] >>`,
        ...Array.from(
          { length: pages },
          (_, at) => `<< /S /Head /P 11 0 R /K 0 /Pg ${13 + pages + 2 * at} 0 R >>`,
        ),
      ],
      catalog: '/StructTreeRoot 10 0 R /MarkInfo << /Marked true >> /Lang (de)',
    },
  )

export const attached = (text: string) =>
  documentOf(numberedPages(2), {
    extra: [
      '<< /Type /Filespec /F (cutting.txt) /UF (cutting.txt) /EF << /F 11 0 R >> >>',
      streamOf('/Type /EmbeddedFile', text),
    ],
    catalog: '/Names << /EmbeddedFiles << /Names [(cutting.txt) 10 0 R] >> >> /AF [10 0 R]',
  })

/** A document with all that describes a whole document. */
export const described = documentOf(numberedPages(2), {
  extra: [
    streamOf('/Type /Metadata /Subtype /XML', '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'),
    '<< /S /JavaScript /JS (app.alert\\(1\\)) >>',
    '<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (FOGRA39) >>',
  ],
  catalog:
    '/Metadata 10 0 R /Lang (fr) /ViewerPreferences << /Direction /R2L >> /PageLayout /TwoColumnLeft /PageMode /UseOutlines' +
    ' /Names << /JavaScript << /Names [(start) 11 0 R] >> >> /OutputIntents [12 0 R] /OpenAction [13 0 R /Fit]' +
    ' /PageLabels << /Nums [0 << /S /r >>] >>',
})

/** One of each kind. */
export const CARRYING_DOCUMENTS: Record<string, Buffer> = {
  'hidden layers': layered('/OFF [11 0 R]', 3),
  'layers of which some are shown': layered('/BaseState /OFF /ON [10 0 R]', 3),
  'bookmarks by names': linked('A'),
  'bookmarks by old names': linked('B', 'old names'),
  'bookmarks by numbers': linked('C', 'numbers'),
  'a structure': tagged('T', 7),
  'attached files': attached('cutting layout'),
  'a description': described,
}
