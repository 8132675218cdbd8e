// Runs an admin extension of the app in its frame, as the platform does: the global `shopify`, calls
// that reach the app, and the platform's elements, as far as these extensions use them.
;(() => {
  const given = JSON.parse(document.getElementById('given').textContent)
  const send = fetch.bind(window)

  const translate = (key, values = {}) => {
    let text = key.split('.').reduce((part, name) => part?.[name], given.texts)
    if (typeof text === 'object' && text !== null)
      text = text[new Intl.PluralRules('en').select(Number(values.count))] ?? text.other
    if (typeof text !== 'string') throw new Error(`There is no text ${key}`)
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => String(values[name]))
  }

  const idToken = async () => {
    const response = await send('/store/session-token', { method: 'POST' })
    return response.ok ? (await response.json()).token : null
  }

  // The admin resolves relative addresses against the app's address.
  window.fetch = (address, init) => send(`/store/app${address}`, init)
  window.shopify = {
    i18n: {
      translate,
      formatDate: (date, options) => new Intl.DateTimeFormat('en', options).format(date),
      formatNumber: (value) => new Intl.NumberFormat('en').format(value),
    },
    auth: { idToken },
    data: { selected: given.selected.map((id) => ({ id })) },
    close: () => parent.postMessage({ type: 'extension-closed' }, location.origin),
  }

  /** An element that is pressed like a button or a link, by mouse and keyboard. */
  class Pressed extends HTMLElement {
    connectedCallback() {
      this.setAttribute('role', this.constructor.role)
      this.tabIndex = 0
      this.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        this.click()
      })
      this.addEventListener(
        'click',
        (event) => {
          if (this.hasAttribute('disabled')) event.stopImmediatePropagation()
          else this.pressed()
        },
        { capture: true },
      )
    }
    pressed() {}
  }
  class Button extends Pressed {
    static role = 'button'
    static observedAttributes = ['disabled']
    attributeChangedCallback() {
      this.setAttribute('aria-disabled', String(this.hasAttribute('disabled')))
    }
  }
  class Link extends Pressed {
    static role = 'link'
    pressed() {
      const href = this.getAttribute('href') ?? ''
      if (href.startsWith('app:')) parent.location.assign(`${given.app}/${href.slice(4)}`)
      else open(href, '_blank', 'noopener')
    }
  }
  class SearchField extends HTMLElement {
    #input = document.createElement('input')
    connectedCallback() {
      this.#input.type = 'search'
      this.#input.setAttribute('aria-label', this.getAttribute('label') ?? '')
      this.#input.placeholder = this.getAttribute('label') ?? ''
      this.append(this.#input)
    }
    get value() {
      return this.#input.value
    }
    set value(text) {
      if (this.#input.value !== text) this.#input.value = text
    }
  }
  class Block extends HTMLElement {
    connectedCallback() {
      this.setAttribute('role', 'region')
      this.setAttribute('aria-label', this.getAttribute('heading') ?? '')
    }
  }
  customElements.define('s-button', Button)
  customElements.define('s-link', Link)
  customElements.define('s-search-field', SearchField)
  customElements.define('s-admin-block', Block)
  customElements.define('s-admin-action', class extends Block {})

  // The admin gives the frame the height of its content.
  new ResizeObserver(() => {
    parent.postMessage(
      { type: 'extension-height', name: given.name, height: document.body.scrollHeight },
      location.origin,
    )
  }).observe(document.body)
})()
