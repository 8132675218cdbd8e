// The script of the viewer's page: plays tracks and videos from where the buyer stopped, and passes
// the bytes of a document to the reader's frame. Positions stay in this browser.

const viewer = document.querySelector('.viewer')
const { place, until, kind } = viewer.dataset
const problem = viewer.querySelector('[data-problem]')

/** localStorage can be forbidden or full: then the position is not kept. */
function keep(name, value) {
  try {
    localStorage.setItem(`view:${name}`, String(value))
  } catch {}
}
function kept(name) {
  try {
    return Number(localStorage.getItem(`view:${name}`)) || 0
  } catch {
    return 0
  }
}

/**
 * The addresses of the bytes end after some hours: opening the page again makes new ones. A page that
 * was opened just now has new ones, even if the clock of this device says otherwise.
 */
function failed() {
  if (Date.now() > Number(until) && performance.now() > 60_000) return location.reload()
  problem.textContent = viewer.dataset.failed
  problem.hidden = false
}

if (kind === 'image') showImage()
else if (kind === 'video') playVideo(viewer.querySelector('video'))
else if (kind === 'audio') playTracks(viewer.querySelector('audio'))
else readDocument(viewer.querySelector('iframe'))

function showImage() {
  const picture = viewer.querySelector('.picture')
  const image = picture.querySelector('img')
  image.addEventListener('error', failed)
  if (image.complete && image.naturalWidth === 0) failed()
  picture.addEventListener('click', () =>
    picture.setAttribute('aria-pressed', String(picture.getAttribute('aria-pressed') !== 'true')),
  )
}

/** Continues where this browser stopped, unless that was at the end. */
function keepPosition(media, nameOf) {
  media.addEventListener('loadedmetadata', () => {
    const at = kept(nameOf())
    if (at > 0 && at < media.duration - 2) media.currentTime = at
  })
  const save = () => {
    if (media.readyState > 0) keep(nameOf(), media.ended ? 0 : media.currentTime)
  }
  media.addEventListener('pause', save)
  media.addEventListener('seeked', save)
  media.addEventListener('timeupdate', save)
}

function playVideo(video) {
  keepPosition(video, () => place)
  video.addEventListener('error', failed)
  // The metadata may have arrived before this script.
  if (video.readyState > 0) video.dispatchEvent(new Event('loadedmetadata'))
  if (video.error) failed()
}

function playTracks(audio) {
  const tracks = [...viewer.querySelectorAll('.track')]
  let current
  const open = (track) => {
    current = track
    for (const one of tracks) one.removeAttribute('aria-current')
    track.setAttribute('aria-current', 'true')
    problem.hidden = true
    audio.src = track.dataset.src
  }
  keepPosition(audio, () => current.dataset.place)
  audio.addEventListener('error', failed)
  audio.addEventListener('ended', () => {
    const next = tracks[tracks.indexOf(current) + 1]
    if (!next) return
    open(next)
    void audio.play()
  })
  for (const track of tracks)
    track.addEventListener('click', () => {
      if (track !== current) open(track)
      void audio.play().catch(() => {})
    })
  open(tracks.find((track) => track.hasAttribute('aria-current')) ?? tracks[0])
}

/** The reader's frame has no origin: it asks for parts of the document, and gets them here. */
function readDocument(frame) {
  const { src, size } = frame.dataset
  const input = viewer.querySelector('[name=page]')
  const count = viewer.querySelector('[data-count]')
  let pages = 0
  const tell = (message, parts = []) => frame.contentWindow?.postMessage(message, '*', parts)
  const go = (page) => tell({ type: 'go', page })
  const part = async (begin, end) => {
    const response = await fetch(src, { headers: { Range: `bytes=${begin}-${end - 1}` } })
    if (response.status === 412) throw new Error('changed')
    if (!response.ok) throw new Error('failed')
    return response.arrayBuffer()
  }
  const send = async (begin, end) => {
    try {
      const bytes = await part(begin, end)
      tell({ type: 'part', begin, bytes }, [bytes])
    } catch (error) {
      failed()
      if (error.message === 'changed') problem.textContent = viewer.dataset.changed
    }
  }
  const answers = {
    ready: () => tell({ type: 'open', size: Number(size), page: kept(place) || 1 }),
    need: ({ begin, end }) => send(begin, end),
    opened: (message) => {
      pages = message.pages
      count.textContent = `/ ${pages}`
    },
    page: ({ page }) => {
      if (document.activeElement !== input) input.value = String(page)
      keep(place, page)
    },
    failed,
  }
  addEventListener('message', ({ source, data }) => {
    if (source === frame.contentWindow) answers[data.type]?.(data)
  })
  // The frame may have been ready before this script.
  tell({ type: 'hello' })
  const current = () => Number(input.value) || 1
  const step = (by) => {
    const page = Math.min(Math.max(current() + by, 1), pages)
    input.value = String(page)
    // Before the frame shows it: the page may be closed or reloaded at this moment.
    keep(place, page)
    go(page)
  }
  viewer.querySelector('[data-go=previous]').addEventListener('click', () => step(-1))
  viewer.querySelector('[data-go=next]').addEventListener('click', () => step(1))
  input.addEventListener('change', () => step(0))
  for (const button of viewer.querySelectorAll('[data-zoom-by]'))
    button.addEventListener('click', () =>
      tell({ type: 'zoom', by: Number(button.dataset.zoomBy) }),
    )
}
