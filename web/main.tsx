// Where the admin page starts.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './url-state/leaving.ts'
import { App } from './app.tsx'
import { reloadWhenUpgraded } from './url-state/upgraded.ts'

reloadWhenUpgraded()

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
