// The files of the sample shop that are looked at first: one or several for some products of the
// bundled catalog, each with its own cover.
import { SAMPLES_PATH } from './path.ts'

export interface Work {
  filename: string
  /** The name of its kind in bytes.ts. */
  kind: string
  sku: string
  tags: readonly string[]
  /** The address that serves it, without the host. */
  path: string
}

interface Maker {
  vendor: string
  type: string
  /** The tag of its files. */
  tag: string
}

const PRESS: Maker = { vendor: 'Harbour Press', type: 'E-book', tag: 'ebook' }
const MUSIC: Maker = { vendor: 'Breakwater Music', type: 'Sheet music', tag: 'sheet music' }
const SOUND: Maker = { vendor: 'Breakwater Music', type: 'Audio', tag: 'audio' }
const KNIT: Maker = { vendor: 'Wool & Water', type: 'Knitting pattern', tag: 'pattern' }
const SEW: Maker = { vendor: 'Wool & Water', type: 'Sewing pattern', tag: 'pattern' }
const ART: Maker = { vendor: 'Quayside Studio', type: 'Wall art', tag: 'print-at-home' }
const COURSE: Maker = { vendor: 'Quayside Studio', type: 'Course', tag: 'course' }
const PRESET: Maker = { vendor: 'Lumen & Co.', type: 'Photo preset', tag: 'preset' }
const PAPER: Maker = { vendor: 'Paper Plane', type: 'Template', tag: 'template' }

/** A file of a product: its name is the title and, for further ones, what it is. */
function work(maker: Maker, sku: string, title: string, kind: string, what?: string): Work {
  const cover = new URLSearchParams({
    title: what ? `${title}: ${what}` : title,
    vendor: maker.vendor,
    type: maker.type,
  })
  return {
    filename: `${title.replaceAll(/[/\\:]/g, '')}${what ? ` – ${what}` : ''}.${kind.split('.').at(-1)}`,
    kind,
    sku,
    tags: what ? [maker.tag, 'bonus'] : [maker.tag],
    path: `${SAMPLES_PATH}${kind}?${cover}`,
  }
}

const TIDES = 'The Tide Tables of Memory'
const BIRDS = 'A Field Guide to Coastal Birds'
const BREAD = 'Slow Bread'

/** The newest first, as the list shows them. The first products are those of the sample orders. */
export const WORKS: readonly Work[] = [
  work(PRESS, 'EB-001', TIDES, 'guide.pdf'),
  work(SOUND, 'AUD.01.WAV', 'Rain on Canvas', 'recording.wav'),
  work(ART, 'ART-07', 'Harbour at Night – Digital Print', 'poster.jpg'),
  work(PRESS, 'EB-002', BIRDS, 'guide.pdf'),
  work(MUSIC, 'SM-1001', 'Clair de lune (Piano) – Debussy', 'score.pdf'),
  work(PRESET, 'PRE-GOLDEN', 'Golden Hour Presets', 'presets.zip'),
  work(SEW, 'SEW 03', 'Linen Camp Shirt Sewing Pattern', 'pattern.pdf'),
  work(PRESS, 'EB-003', BREAD, 'guide.pdf'),
  work(ART, 'ART-03', 'Map of Invented Islands – Digital Print', 'print.jpg'),
  work(SOUND, 'AUD.03.WAV', 'Wind in the Rigging', 'recording.wav'),
  work(KNIT, 'knit.storm', 'Storm Cowl Knitting Pattern', 'pattern.pdf'),
  work(MUSIC, 'SM-1002', 'Gymnopédie No. 1 (Piano) – Satie', 'score.pdf'),
  work(PAPER, 'tpl_restaurant_menu', 'Restaurant Menu Template', 'template.png'),
  work(PRESS, 'EB-005', 'Salt and Starboard', 'guide.pdf'),
  work(ART, 'ART-06', 'Moon Phases – Digital Print', 'poster.jpg'),
  work(COURSE, 'COURSE_01', 'Bookbinding from Scratch', 'workbook.pdf'),
  work(PRESET, 'PRE-SEAFOG', 'Sea Fog Presets', 'presets.zip'),
  work(KNIT, 'knit.kelp', 'Kelp Lace Shawl Knitting Pattern', 'pattern.pdf'),
  work(MUSIC, 'SM-1008', 'Träumerei (Piano) – Schumann', 'score.pdf'),
  work(ART, 'ART-02', 'Lobster Study – Digital Print', 'poster.jpg'),
  work(SOUND, 'AUD.05.WAV', 'Foley: Kitchen', 'recording.wav'),
  work(SEW, 'SEW 06', 'Bucket Hat Sewing Pattern', 'pattern.pdf'),
  work(PAPER, 'tpl_media_kit', 'Media Kit Template', 'template.png'),
  work(COURSE, 'COURSE_02', 'Watercolour in Ten Evenings', 'workbook.pdf'),
  work(PRESS, 'EB-001', TIDES, 'print.jpg', 'Tide clock'),
  work(PRESS, 'EB-003', BREAD, 'print.jpg', 'Poster'),
  work(PRESS, 'EB-002', BIRDS, 'recording.wav', 'Calls and songs'),
  work(PRESS, 'EB-001', TIDES, 'recording.wav', 'Read aloud'),
  work(PRESS, 'EB-002', BIRDS, 'workbook.pdf', 'Sightings diary'),
  work(PRESS, 'EB-003', BREAD, 'workbook.pdf', 'Baking diary'),
  work(PRESS, 'EB-001', TIDES, 'brushes.zip', 'Wallpapers'),
  work(PRESS, 'EB-002', BIRDS, 'brushes.zip', 'Illustrations'),
  work(PRESS, 'EB-003', BREAD, 'presets.zip', 'Kitchen labels'),
  work(PRESS, 'EB-001', TIDES, 'licence.txt', 'Licence'),
  work(PRESS, 'EB-002', BIRDS, 'licence.txt', 'Licence'),
  work(PRESS, 'EB-003', BREAD, 'licence.txt', 'Licence'),
]
