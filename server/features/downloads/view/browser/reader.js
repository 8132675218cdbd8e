// The script of the reader's frame: shows the pages of a document with pdf.js. It asks the page
// outside for the document's bytes, because the frame itself may load nothing but scripts.
const asset = (name) => new URL(name, import.meta.url).href
const pdfjs = await import(asset('pdfjs/legacy/build/pdf.min.mjs'))
pdfjs.GlobalWorkerOptions.workerSrc = asset('pdfjs/legacy/build/pdf.worker.min.mjs')

const PART_BYTES = 256 * 1024
/** Pages that keep their picture: the others are drawn again when they are scrolled to. */
const KEPT_PAGES = 8
const GAP = 12

const host = document.querySelector('#pages')
const tell = (message) => parent.postMessage(message, '*')

/** Gives pdf.js the parts that the page outside sends. */
class PassedIn extends pdfjs.PDFDataRangeTransport {
  requestDataRange(begin, end) {
    tell({ type: 'need', begin, end })
  }
}

let transport
let reading
let pages = []
let zoom = 1
let shown = 1
const drawn = new Map()

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  if (data.type === 'hello') tell({ type: 'ready' })
  else if (data.type === 'open' && !transport) void open(data).catch(() => tell({ type: 'failed' }))
  else if (data.type === 'part') transport.onDataRange(data.begin, new Uint8Array(data.bytes))
  else if (data.type === 'go') go(data.page)
  else if (data.type === 'zoom') zoomBy(data.by)
})
tell({ type: 'ready' })

async function open({ size, page }) {
  transport = new PassedIn(size, null)
  reading = await pdfjs.getDocument({
    range: transport,
    rangeChunkSize: PART_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    isEvalSupported: false,
    enableXfa: false,
    // Fonts of the system have other widths than those that a document names.
    useSystemFonts: false,
    cMapUrl: asset('pdfjs/cmaps/'),
    standardFontDataUrl: asset('pdfjs/standard_fonts/'),
    wasmUrl: asset('pdfjs/wasm/'),
    iccUrl: asset('pdfjs/iccs/'),
  }).promise
  const first = await reading.getPage(1)
  const { width, height } = first.getViewport({ scale: 1 })
  pages = Array.from({ length: reading.numPages }, (_, at) => placeholder(at + 1, width, height))
  host.replaceChildren(...pages.map(({ element }) => element))
  layOut()
  tell({ type: 'opened', pages: pages.length })
  go(Math.min(Math.max(page, 1), pages.length))
  watch()
}

function placeholder(number, width, height) {
  const element = document.createElement('section')
  element.className = 'page'
  element.dataset.number = String(number)
  element.setAttribute('aria-label', String(number))
  return { number, element, width, height, turn: 0 }
}

const fitted = () => Math.max(host.clientWidth - 2 * GAP, 100)
const scaleOf = ({ width }) => (fitted() / width) * zoom

function layOut() {
  for (const page of pages) {
    const scale = scaleOf(page)
    page.element.style.width = `${Math.floor(page.width * scale)}px`
    page.element.style.height = `${Math.floor(page.height * scale)}px`
  }
}

function go(number) {
  const page = pages[number - 1]
  if (!page) return
  host.scrollTop = page.element.offsetTop - GAP
  report()
}

/** The page at the top of the window. */
function report() {
  const middle = host.scrollTop + host.clientHeight / 3
  const page = pages.findLast(({ element }) => element.offsetTop <= middle) ?? pages[0]
  if (!page || page.number === shown) return
  shown = page.number
  tell({ type: 'page', page: shown })
}

function watch() {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) void draw(pages[Number(target.dataset.number) - 1]).catch(() => {})
    },
    { root: host, rootMargin: '50%' },
  )
  for (const { element } of pages) seen.observe(element)
  host.addEventListener('scroll', report, { passive: true })
  new ResizeObserver(redraw).observe(host)
  tell({ type: 'page', page: shown })
}

let width = 0
function redraw() {
  if (host.clientWidth === width && zoom === redraw.zoom) return
  const first = width === 0
  width = host.clientWidth
  redraw.zoom = zoom
  if (first) return
  const number = shown
  layOut()
  const before = [...drawn.keys()]
  for (const page of before) clear(page)
  go(number)
  for (const page of before) void draw(page).catch(() => {})
}

function zoomBy(by) {
  zoom = Math.min(Math.max(zoom * by, 0.4), 5)
  redraw()
}

function clear(page) {
  page.turn++
  page.element.replaceChildren()
  drawn.delete(page)
}

async function draw(page) {
  if (drawn.has(page)) return
  drawn.set(page, true)
  const turn = ++page.turn
  const source = await reading.getPage(page.number)
  const own = source.getViewport({ scale: 1 })
  // Pages can have different sizes: only the first was known.
  if (own.width !== page.width || own.height !== page.height) {
    Object.assign(page, { width: own.width, height: own.height })
    layOut()
  }
  const viewport = source.getViewport({ scale: scaleOf(page) })
  const density = Math.min(devicePixelRatio || 1, 2)
  const canvas = document.createElement('canvas')
  canvas.width = Math.floor(viewport.width * density)
  canvas.height = Math.floor(viewport.height * density)
  const transform = density === 1 ? null : [density, 0, 0, density, 0, 0]
  await source.render({ canvas, viewport, transform }).promise
  if (turn !== page.turn) return
  const text = document.createElement('div')
  text.className = 'textLayer'
  text.style.setProperty('--total-scale-factor', String(scaleOf(page)))
  page.element.replaceChildren(canvas, text)
  page.element.dataset.drawn = ''
  // Selectable, and readable by screen readers.
  await new pdfjs.TextLayer({
    textContentSource: source.streamTextContent(),
    container: text,
    viewport,
  }).render()
  forgetFar(page)
}

function forgetFar({ number }) {
  const far = [...drawn.keys()].sort(
    (a, b) => Math.abs(b.number - number) - Math.abs(a.number - number),
  )
  for (const page of far.slice(0, Math.max(drawn.size - KEPT_PAGES, 0))) clear(page)
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'ArrowRight' && zoom <= 1) go(shown + 1)
  else if (event.key === 'ArrowLeft' && zoom <= 1) go(shown - 1)
  else if (event.key === '+') zoomBy(1.25)
  else if (event.key === '-') zoomBy(0.8)
  else return
  event.preventDefault()
})
