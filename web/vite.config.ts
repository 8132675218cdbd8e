// Builds the admin page into web/dist; in development the server mounts Vite with this same file.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { usedStyles } from './used-styles.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), usedStyles()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Pictures stay files, so that the page's content policy needs no exception for them.
    assetsInlineLimit: 0,
    // The components are most of it, and every page needs them.
    chunkSizeWarningLimit: 700,
  },
})
