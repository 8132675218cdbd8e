// The demo's replacement for the storefront admin's bridge (App Bridge): the same `window.shopify`
// and elements, as far as this app uses them. In the frame of the demo's admin it speaks with the admin
// by messages, and the admin draws menu, save bar, toasts and modals (admin/admin.js). Elsewhere, with
// `?embedded=1`, the page is shown as inside the admin: without its own frame, its menu drawn here.
;(() => {
  const REFRESH_BEFORE_SECONDS = 10
  const TOAST_MS = 5000
  const config = __CONFIG__
  const FONT = 'font:14px/20px Inter,system-ui,sans-serif'
  const BUTTON = `${FONT};padding:6px 12px;border-radius:8px;border:0;cursor:pointer`
  const MODAL = `<style>
      dialog { ${FONT}; border: 0; border-radius: 16px; padding: 0; width: min(620px, 92vw); box-sizing: border-box }
      dialog[open] { display: flex; flex-direction: column }
      h2 { margin: 0; padding: 12px 16px; font-size: 14px; background: #f3f3f3 }
      ::slotted(ui-title-bar) { order: 2 }
    </style><dialog aria-labelledby="title"><h2 id="title"></h2><slot></slot></dialog>`
  let cached = null

  /** The admin around this page. Only its messages are read, and only it gets ours. */
  function openAdmin(origin) {
    const waiting = new Map()
    const receivers = new Map()
    let last = 0
    const send = (type, data = {}) => parent.postMessage({ ...data, type }, origin)
    addEventListener('message', ({ source, origin: from, data }) => {
      if (source !== parent || from !== origin || typeof data !== 'object' || data === null) return
      if (data.type === 'answer') {
        waiting.get(data.id)?.(data.value)
        waiting.delete(data.id)
      } else receivers.get(data.type)?.(data)
    })
    return {
      send,
      ask: (type) =>
        new Promise((resolve) => {
          waiting.set(++last, resolve)
          send(type, { id: last })
        }),
      receive: (type, receiver) => receivers.set(type, receiver),
    }
  }
  const admin =
    typeof document === 'object' && parent !== window ? openAdmin(config.adminOrigin) : null

  const isEmbedded = () => {
    if (admin) return true
    try {
      const asked = new URLSearchParams(location.search).get('embedded')
      if (asked !== null) sessionStorage.setItem('demo-embedded', asked)
      return sessionStorage.getItem('demo-embedded') === '1'
    } catch {
      // Storage may be forbidden: then the page is not embedded.
      return false
    }
  }

  const tokenOf = ({ token, expires_in: seconds }) => ({
    token,
    until: performance.now() + (seconds - REFRESH_BEFORE_SECONDS) * 1000,
  })

  const fetchToken = async () => {
    if (admin) {
      const given = await admin.ask('token')
      if (!given) throw new Error('No session token: the admin gave none')
      return tokenOf(given)
    }
    const response = await fetch('/demo/session-token', { headers: { accept: 'application/json' } })
    if (!response.ok) throw new Error(`No session token: HTTP ${response.status}`)
    return tokenOf(await response.json())
  }

  const showToast = (message, { duration = TOAST_MS, isError = false } = {}) => {
    if (admin) return admin.send('toast', { text: String(message), isError })
    const toast = document.createElement('div')
    toast.setAttribute('role', isError ? 'alert' : 'status')
    toast.textContent = message
    toast.style.cssText = `position:fixed;inset:auto 0 24px;margin:auto;width:fit-content;max-width:80vw;z-index:1000;
      padding:8px 16px;border-radius:8px;${FONT};color:#fff;background:${isError ? '#8e1f0b' : '#1a1a1a'}`
    document.body.append(toast)
    setTimeout(() => toast.remove(), duration)
    return toast
  }

  const modal = {
    async show(id) {
      elementOf(id).open()
    },
    async hide(id) {
      document.getElementById(id)?.close()
    },
  }

  const shownBar = () => document.querySelector('ui-save-bar:not([hidden])')
  const elementOf = (id) => {
    const element = document.getElementById(id)
    if (!element) throw new Error(`There is no element with the id ${id}`)
    return element
  }
  const saveBar = {
    async show(id) {
      elementOf(id).hidden = false
    },
    async hide(id) {
      const element = document.getElementById(id)
      if (element) element.hidden = true
    },
    async toggle(id) {
      elementOf(id).hidden = !elementOf(id).hidden
    },
    leaveConfirmation: () => {
      if (!shownBar()) return Promise.resolve()
      return admin ? leaveByAdmin() : confirmLeaving()
    },
  }

  const leaveByAdmin = async () => {
    if (!(await admin.ask('leave'))) throw new Error('The merchant stays')
  }

  const buttonsOf = (element) =>
    [...element.querySelectorAll('button')].map((button) => ({
      label: button.textContent,
      disabled: button.disabled,
      primary: button.getAttribute('variant') === 'primary',
      critical: button.getAttribute('tone') === 'critical',
    }))

  // In the admin's frame: what these elements contain is sent, and again at each change, until they are
  // hidden, which may be after they have left the page.
  const watchers = new Map()
  function showInAdmin(element, send) {
    send()
    watchers.get(element.id)?.disconnect()
    const watcher = new MutationObserver(send)
    watcher.observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    })
    watchers.set(element.id, watcher)
  }
  const hideInAdmin = (type, id) => {
    watchers.get(id)?.disconnect()
    watchers.delete(id)
    admin.send(type, { id, buttons: null })
  }

  function defineInAdmin() {
    const style = document.createElement('style')
    style.textContent = 'ui-save-bar, ui-modal, s-app-nav { display: none !important }'
    document.head.append(style)
    class SaveBar extends HTMLElement {
      connectedCallback() {
        this.hidden = true
      }
    }
    class Modal extends HTMLElement {
      connectedCallback() {
        if (this.content) return
        this.content = document.createElement('div')
        this.append(this.content)
      }
    }
    class AppNav extends HTMLElement {
      connectedCallback() {
        showInAdmin(this, () =>
          admin.send('menu', {
            links: [...this.querySelectorAll('s-link:not([rel=home])')].map((link) => ({
              href: link.getAttribute('href'),
              label: link.textContent,
            })),
          }),
        )
      }
    }
    customElements.define('ui-save-bar', SaveBar)
    customElements.define('ui-modal', Modal)
    customElements.define('s-app-nav', AppNav)
    saveBar.show = async (id) => {
      const element = elementOf(id)
      element.hidden = false
      showInAdmin(element, () => admin.send('save-bar', { id, buttons: buttonsOf(element) }))
    }
    saveBar.hide = async (id) => {
      const element = document.getElementById(id)
      if (element) element.hidden = true
      hideInAdmin('save-bar', id)
    }
    // The keys still go to this frame, where the question was asked.
    let asked = null
    addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') document.getElementById(asked)?.dispatchEvent(new Event('hide'))
    })
    modal.show = async (id) => {
      asked = id
      const element = elementOf(id)
      showInAdmin(element, () => {
        const words = [...element.content.querySelectorAll('p, li')]
        admin.send('modal', {
          id,
          title: element.querySelector('ui-title-bar')?.getAttribute('title') ?? '',
          words:
            words.length > 0 ? words.map((one) => one.textContent) : [element.content.textContent],
          buttons: buttonsOf(element),
        })
      })
      element.dispatchEvent(new Event('show'))
    }
    modal.hide = async (id) => {
      if (asked === id) asked = null
      hideInAdmin('modal', id)
    }
    admin.receive('press', ({ id, at }) =>
      document.getElementById(id)?.querySelectorAll('button')[at]?.click(),
    )
    admin.receive('closed', ({ id }) =>
      document.getElementById(id)?.dispatchEvent(new Event('hide')),
    )
    admin.receive('navigate', ({ href }) =>
      document
        .querySelector(`s-app-nav s-link[href="${CSS.escape(href)}"]`)
        ?.dispatchEvent(new CustomEvent('shopify:navigate', { bubbles: true })),
    )
    followInAdmin()
  }

  /** The admin's address and title stay in step with those of this page. */
  function followInAdmin() {
    const hidden = ['embedded', 'shop', 'host']
    const report = () => {
      const url = new URL(location.href)
      hidden.forEach((name) => url.searchParams.delete(name))
      const path = url.pathname === '/' ? '' : url.pathname
      admin.send('location', { path: path + url.search + url.hash })
    }
    for (const name of ['pushState', 'replaceState']) {
      const change = history[name].bind(history)
      history[name] = (...given) => {
        change(...given)
        report()
      }
    }
    addEventListener('popstate', report)
    report()
    const title = () => admin.send('title', { text: document.title })
    new MutationObserver(title).observe(document.head, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    title()
  }

  function confirmLeaving() {
    const dialog = document.createElement('dialog')
    dialog.style.cssText = `${FONT};border:0;border-radius:16px;padding:20px;max-width:min(420px, 90vw)`
    dialog.setAttribute('aria-labelledby', 'demo-leave-title')
    dialog.innerHTML = `<form method="dialog">
      <h2 id="demo-leave-title" style="margin:0 0 8px;font-size:16px">Leave page with unsaved changes?</h2>
      <p style="margin:0 0 16px">Leaving this page will delete all unsaved changes.</p>
      <div style="display:flex;gap:8px;justify-content:flex-end">
        <button value="stay" autofocus style="${BUTTON}">Stay</button>
        <button value="leave" style="${BUTTON};background:#8e1f0b;color:#fff">Leave page</button>
      </div></form>`
    document.body.append(dialog)
    dialog.showModal()
    return new Promise((resolve, reject) => {
      dialog.addEventListener('close', () => {
        const leaves = dialog.returnValue === 'leave'
        dialog.remove()
        if (leaves) resolve()
        else reject(new Error('The merchant stays'))
      })
    })
  }

  function defineElements() {
    // The admin draws the buttons of a visible bar in its own frame: here the element itself is
    // shown.
    class SaveBar extends HTMLElement {
      connectedCallback() {
        this.setAttribute('role', 'region')
        this.setAttribute('aria-label', 'Unsaved changes')
        this.hidden = true
      }
    }
    // The admin draws a modal in its own frame, with what the page puts into its content: here a shadow
    // tree shows it, and the page's elements stay where they are.
    class Modal extends HTMLElement {
      connectedCallback() {
        if (this.shadowRoot) return
        this.attachShadow({ mode: 'open' }).innerHTML = MODAL
        this.content = document.createElement('div')
        this.append(this.content)
        this.dialog.addEventListener('close', () => this.dispatchEvent(new Event('hide')))
      }
      get dialog() {
        return this.shadowRoot?.querySelector('dialog')
      }
      open() {
        const title = this.querySelector('ui-title-bar')?.getAttribute('title') ?? ''
        this.shadowRoot.querySelector('h2').textContent = title
        if (!this.dialog.open) this.dialog.showModal()
        this.dispatchEvent(new Event('show'))
      }
      close() {
        this.dialog?.close()
      }
    }
    const style = document.createElement('style')
    style.textContent = `
    ui-modal ui-title-bar { display: flex; gap: 8px; justify-content: flex-end; padding: 12px 16px; flex-direction: row-reverse }
    ui-modal ui-title-bar button { ${BUTTON} }
    ui-modal ui-title-bar button[variant='primary'] { background: #1a1a1a; color: #fff }
    ui-modal ui-title-bar button[tone='critical'] { background: #8e1f0b; color: #fff }
    ui-modal ui-title-bar button:disabled { opacity: .6; cursor: default }
    ui-modal ui-title-bar button:focus-visible { outline: 2px solid #005bd3; outline-offset: 1px }
    ui-save-bar { position: fixed; inset: 8px 0 auto; margin: auto; width: min(560px, 90vw); z-index: 900;
      display: flex; gap: 8px; align-items: center; padding: 6px 8px 6px 16px; border-radius: 12px;
      background: #303030; color: #fff; ${FONT}; box-sizing: border-box }
    ui-save-bar[hidden] { display: none }
    ui-save-bar::before { content: 'Unsaved changes'; flex: 1; order: 0 }
    ui-save-bar button { ${BUTTON}; background: #4a4a4a; color: #fff; order: 1 }
    ui-save-bar button[variant='primary'] { background: #fff; color: #303030; order: 2 }
    ui-save-bar button:disabled { opacity: .6; cursor: default }
    ui-save-bar button:focus-visible, s-app-nav s-link:focus-visible { outline: 2px solid #005bd3; outline-offset: 1px }
    s-app-nav { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 0 20px 12px; background: #ebebeb; ${FONT} }
    s-app-nav::before { content: 'Demo admin'; flex: 0 0 calc(100% + 40px); box-sizing: border-box; height: 60px; margin: 0 -20px 8px;
      padding: 20px; background: #1a1a1a; color: #fff }
    s-app-nav s-link { cursor: pointer; border-radius: 4px }
    s-app-nav s-link[rel='home'] { font-weight: 600 }`
    document.head.append(style)

    // The admin's menu: it navigates the page, after a question if a save bar is visible.
    class NavLink extends HTMLElement {
      connectedCallback() {
        this.setAttribute('role', 'link')
        this.tabIndex = 0
        const go = () =>
          saveBar.leaveConfirmation().then(
            () => this.dispatchEvent(new CustomEvent('shopify:navigate', { bubbles: true })),
            () => undefined,
          )
        this.addEventListener('click', go)
        this.addEventListener('keydown', ({ key }) => key === 'Enter' && go())
      }
    }
    class AppNav extends HTMLElement {
      connectedCallback() {
        this.setAttribute('role', 'navigation')
        this.setAttribute('aria-label', 'App')
      }
    }
    customElements.define('ui-save-bar', SaveBar)
    customElements.define('ui-modal', Modal)
    customElements.define('s-link', NavLink)
    customElements.define('s-app-nav', AppNav)
  }

  const webVitals = {
    onReport(callback) {
      let largest = 0
      const watch = new PerformanceObserver((list) => {
        largest = Math.max(largest, ...list.getEntries().map(({ startTime }) => startTime))
      })
      watch.observe({ type: 'largest-contentful-paint', buffered: true })
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState !== 'hidden' || largest === 0) return
        callback({ metrics: [{ id: `demo-${Date.now()}`, name: 'LCP', value: largest }] })
        largest = 0
      })
    },
  }

  // Absent where a test runs the script without a page.
  if (admin) defineInAdmin()
  else if (typeof document === 'object') defineElements()
  window.shopify = {
    config,
    environment: { embedded: isEmbedded(), mobile: false, intent: false },
    ready: Promise.resolve(),
    async idToken() {
      // One request for all concurrent callers.
      cached ??= fetchToken()
      const mine = cached
      try {
        const { token, until } = await mine
        if (performance.now() < until) return token
      } catch (error) {
        if (cached === mine) cached = null
        throw error
      }
      if (cached === mine) cached = null
      return this.idToken()
    },
    toast: {
      show: showToast,
      hide: (toast) => toast?.remove?.(),
    },
    saveBar,
    modal,
    webVitals,
    loading() {},
  }
})()
