// Where the admin page starts.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './place/leaving.ts'
import { App } from './app.tsx'

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
