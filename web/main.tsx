// Where the admin page starts.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './place/leaving.ts'
import { App } from './app.tsx'
import { reloadWhenUpgraded } from './place/upgraded.ts'

reloadWhenUpgraded()

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
