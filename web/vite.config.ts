// Builds the admin page into web/dist; in development the server mounts Vite with this same file.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { catalogFiles } from './catalog-files.ts'
import { CHUNKS } from './chunks.ts'
import { firstFiles } from './first-files.ts'
import { polarisPatches } from './polaris-patches.ts'
import { unusedParts } from './unused-parts.ts'
import { usedStyles } from './used-styles.ts'
import { usedTexts } from './used-texts.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [
    react(),
    unusedParts(),
    polarisPatches(),
    usedStyles(),
    usedTexts(),
    catalogFiles(),
    firstFiles(),
  ],
  // In development the plugins above do not see Polaris, which is bundled ahead. Its parts without styles
  // must be left out there too: an empty save bar would take room beside the page.
  optimizeDeps: { rolldownOptions: { plugins: [unusedParts(), polarisPatches()] } },
  // An import of types alone would load the module that has them.
  oxc: { typescript: { onlyRemoveTypeImports: false } },
  build: {
    outDir: 'dist',
    // It is a new folder, and the command is built in it at the same time.
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Pictures stay files, so that the page's content policy needs no exception for them.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { codeSplitting: { groups: CHUNKS } },
      preserveEntrySignatures: 'allow-extension',
      // A page that imports one component must not wait for all others.
      treeshake: { moduleSideEffects: [{ test: /shell.ui.index\.ts$/, sideEffects: false }] },
    },
    // The components are most of it, and every page needs them.
    chunkSizeWarningLimit: 700,
  },
})
