// The demo's admin around the app: answers the messages of the bridge script in the app's frame, and
// draws what the platform's admin draws outside of it.
;(() => {
  const TOAST_MS = 5000
  /** The app's bridge speaks as soon as its page is parsed. */
  const SILENT_MS = 15_000
  const $ = (id) => document.getElementById(id)
  const [frame, bar, modal, menu] = ['app', 'save-bar', 'modal', 'menu'].map($)
  if (matchMedia('(max-width: 700px)').matches) menu.open = false
  let shown = null

  /** From the app's frame, where the focus was, so that the dialog gets the keys. */
  const openDialog = (dialog) => {
    window.focus()
    if (!dialog.open) dialog.showModal()
  }

  const send = (message) => frame?.contentWindow.postMessage(message, frame.dataset.origin)

  const pressable = ({ label, disabled, primary, critical }, press) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = label
    button.disabled = disabled
    button.className = critical ? 'critical' : primary ? 'primary' : ''
    button.addEventListener('click', press)
    return button
  }
  const buttonsOf = (id, buttons) =>
    buttons.map((button, at) => pressable(button, () => send({ type: 'press', id, at })))

  /** Resolves with whether the page may be left. */
  function askToLeave() {
    const dialog = $('leave')
    if (bar.hidden) return Promise.resolve(true)
    openDialog(dialog)
    dialog.returnValue = ''
    return new Promise((resolve) =>
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'leave'), {
        once: true,
      }),
    )
  }

  async function sessionToken() {
    const response = await fetch('/store/session-token', { method: 'POST' })
    return response.ok ? response.json() : null
  }

  const answers = {
    token: sessionToken,
    leave: askToLeave,
  }

  const receivers = {
    toast: ({ text, isError }) => {
      const toast = document.createElement('p')
      toast.textContent = text
      if (isError) toast.className = 'critical'
      $('toasts').append(toast)
      setTimeout(() => toast.remove(), TOAST_MS)
    },
    'save-bar': ({ id, buttons }) => {
      bar.hidden = buttons === null
      bar.replaceChildren(bar.firstElementChild, ...buttonsOf(id, buttons ?? []))
    },
    modal: ({ id, title, words, buttons }) => {
      if (buttons === null) {
        if (shown !== id) return
        shown = null
        return void modal.close()
      }
      shown = id
      $('modal-title').textContent = title
      modal.querySelector('.words').replaceChildren(
        ...words.map((text) => {
          const paragraph = document.createElement('p')
          paragraph.textContent = text
          return paragraph
        }),
      )
      modal.querySelector('.buttons').replaceChildren(...buttonsOf(id, buttons))
      openDialog(modal)
    },
    menu: ({ links }) =>
      $('app-menu').replaceChildren(
        ...links.map(({ href, label }) => {
          const [entry, link] = ['li', 'a'].map((name) => document.createElement(name))
          link.textContent = label
          link.href = frame.dataset.base + href
          link.dataset.app = href
          entry.append(link)
          return entry
        }),
      ),
    location: ({ path }) => history.replaceState(null, '', frame.dataset.base + path),
    title: ({ text }) => (document.title = text),
  }

  modal.addEventListener('close', () => {
    if (shown !== null) send({ type: 'closed', id: shown })
    shown = null
  })

  addEventListener('message', ({ source, origin, data }) => {
    if (origin === location.origin) return ofExtension(source, data)
    if (!frame || source !== frame.contentWindow || origin !== frame.dataset.origin) return
    $('silent').hidden = true
    clearTimeout(silence)
    if (Object.hasOwn(answers, data.type))
      void answers[data.type]().then(
        (value) => send({ type: 'answer', id: data.id, value }),
        () => send({ type: 'answer', id: data.id, value: null }),
      )
    else if (Object.hasOwn(receivers, data.type)) receivers[data.type](data)
  })
  const silence = frame && setTimeout(() => ($('silent').hidden = false), SILENT_MS)

  // The app's entries change its page without loading it again. Any other place leaves it.
  document.addEventListener('click', async (event) => {
    const link = event.target.closest?.('a[href]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    if (link.dataset.app === undefined && (!frame || bar.hidden)) return
    event.preventDefault()
    if (!(await askToLeave())) return
    if (link.dataset.app === undefined) location.assign(link.href)
    else send({ type: 'navigate', href: link.dataset.app })
    if (matchMedia('(max-width: 700px)').matches) menu.open = false
  })

  function ofExtension(source, { type, height }) {
    const own = [...document.querySelectorAll('.extension')].find(
      ({ contentWindow }) => contentWindow === source,
    )
    if (!own) return
    if (type === 'extension-height') own.style.blockSize = `${height}px`
    if (type === 'extension-closed') own.closest('dialog')?.close()
  }

  const links = $('links')
  if (links) {
    const chosen = () => [...document.querySelectorAll('[name=product]:checked')]
    document.addEventListener('change', () => (links.disabled = chosen().length === 0))
    links.addEventListener('click', () => {
      const query = new URLSearchParams(chosen().map(({ value }) => ['selected', value]))
      const action = $('action')
      action.querySelector('iframe').src = `/store/extensions/product-links?${query}`
      action.showModal()
    })
  }
})()
