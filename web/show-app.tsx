// Renders the page in the language that main.tsx has chosen.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onWebVitals, type WebVital } from './shell/client/bridge.ts'
import { call } from './shell/client/client.ts'
import { App, loadPageAt } from './app.tsx'

export async function showApp(): Promise<void> {
  onWebVitals(reportVitals)
  // A page that cannot be loaded shows its problem when it is rendered.
  await loadPageAt(window.location.pathname).catch(() => undefined)
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

/** Sent in the background: a lost report does no harm. */
function reportVitals(metrics: readonly WebVital[]): void {
  const body = {
    path: window.location.pathname,
    metrics: metrics.map(({ name, value }) => ({ name, value })),
  }
  call('POST /api/web-vitals', { body }).catch(() => undefined)
}
