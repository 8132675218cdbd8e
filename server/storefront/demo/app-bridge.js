// A stand-in for the storefront admin's bridge, for a page that is not inside that admin: the same
// `window.shopify`, as far as this app uses it.
;(() => {
  const REFRESH_BEFORE_SECONDS = 10
  const TOAST_MS = 5000
  const config = __CONFIG__
  let cached = null

  const fetchToken = async () => {
    const response = await fetch('/demo/session-token', { headers: { accept: 'application/json' } })
    if (!response.ok) throw new Error(`No session token: HTTP ${response.status}`)
    const { token, expires_in: seconds } = await response.json()
    return { token, until: performance.now() + (seconds - REFRESH_BEFORE_SECONDS) * 1000 }
  }

  const showToast = (message, { duration = TOAST_MS, isError = false } = {}) => {
    const toast = document.createElement('div')
    toast.setAttribute('role', isError ? 'alert' : 'status')
    toast.textContent = message
    toast.style.cssText = `position:fixed;inset:auto 0 24px;margin:auto;width:fit-content;max-width:80vw;z-index:1000;
      padding:8px 16px;border-radius:8px;font:14px/20px Inter,system-ui,sans-serif;color:#fff;
      background:${isError ? '#8e1f0b' : '#1a1a1a'}`
    document.body.append(toast)
    setTimeout(() => toast.remove(), duration)
    return toast
  }

  window.shopify = {
    config,
    environment: { embedded: false, mobile: false, intent: false },
    ready: Promise.resolve(),
    async idToken() {
      // One request, however many ask at once.
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
      hide: (toast) => toast?.remove(),
    },
    loading() {},
  }
})()
