// The composition root: what this installation is made of. It reads the environment, once.
import { applyRow } from './plugins/apply-row/plugin.ts'
import { backUpFiles } from './plugins/back-up-files/plugin.ts'
import { changeStorage } from './plugins/change-storage/plugin.ts'
import { createLinks } from './plugins/create-links/plugin.ts'
import { deleteFiles } from './plugins/delete-files/plugin.ts'
import { exportFiles } from './plugins/export-files/plugin.ts'
import { fetchUrl } from './plugins/fetch-url/plugin.ts'
import { listLinks } from './plugins/list-links/plugin.ts'
import { mapProducts } from './plugins/map-products/plugin.ts'
import { mergePdf } from './plugins/merge-pdf/plugin.ts'
import { mergeTagCase } from './plugins/merge-tag-case/plugin.ts'
import { moveToPack } from './plugins/move-to-pack/plugin.ts'
import { notify } from './plugins/notify/plugin.ts'
import { optimizeImage } from './plugins/optimize-image/plugin.ts'
import { optimizePdf } from './plugins/optimize-pdf/plugin.ts'
import { purgeFiles } from './plugins/purge-files/plugin.ts'
import { renameFiles } from './plugins/rename-files/plugin.ts'
import { replaceTag } from './plugins/replace-tag/plugin.ts'
import { restoreFiles } from './plugins/restore-files/plugin.ts'
import { splitPdf } from './plugins/split-pdf/plugin.ts'
import { takeUpload } from './plugins/take-upload/plugin.ts'
import { tagByRule } from './plugins/tag-by-rule/plugin.ts'
import { tagFiles } from './plugins/tag-files/plugin.ts'
import { updateSettings } from './plugins/update-settings/plugin.ts'
import { unmapProducts } from './plugins/unmap-products/plugin.ts'
import { validateFile } from './plugins/validate-file/plugin.ts'
import { watermarkPdf } from './plugins/watermark-pdf/plugin.ts'
import { defineConfig, readEnvironment, type Config } from './server/config.ts'
import { backUpFilesWorkflow } from './workflows/back-up-files.ts'
import { changeStorageWorkflow } from './workflows/change-storage.ts'
import { createLinksWorkflow } from './workflows/create-links.ts'
import { deleteFilesWorkflow } from './workflows/delete-files.ts'
import { exportFilesWorkflow } from './workflows/export-files.ts'
import { mapProductsWorkflow } from './workflows/map-products.ts'
import { mergePdfWorkflow } from './workflows/merge-pdf.ts'
import { mergeTagCaseWorkflow } from './workflows/merge-tag-case.ts'
import { moveToPackWorkflow } from './workflows/move-to-pack.ts'
import { optimizePdfWorkflow } from './workflows/optimize-pdf.ts'
import { optimizeImageWorkflow } from './workflows/optimize-image.ts'
import { purgeFilesWorkflow } from './workflows/purge-files.ts'
import { renameFilesWorkflow } from './workflows/rename-files.ts'
import { replaceTagWorkflow } from './workflows/replace-tag.ts'
import { restoreFilesWorkflow } from './workflows/restore-files.ts'
import { splitPdfWorkflow } from './workflows/split-pdf.ts'
import { tagByRuleWorkflow } from './workflows/tag-by-rule.ts'
import { tagFilesWorkflow } from './workflows/tag-files.ts'
import { unmapProductsWorkflow } from './workflows/unmap-products.ts'
import { updateSettingsWorkflow } from './workflows/update-settings.ts'
import { watermarkPdfWorkflow } from './workflows/watermark-pdf.ts'
import { importApi } from './workflows/import-api.ts'
import { importUpload } from './workflows/import-upload.ts'
import { importCsv } from './workflows/import-csv.ts'
import { updateFromCsv } from './workflows/update-from-csv.ts'

/** Throws `ConfigError` that names everything missing or wrong. */
export function appConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Config {
  const environment = readEnvironment(variables)
  return defineConfig({
    environment,
    plugins: [
      fetchUrl,
      takeUpload,
      validateFile,
      mapProducts,
      unmapProducts,
      backUpFiles,
      updateSettings,
      tagFiles,
      replaceTag,
      mergeTagCase,
      tagByRule,
      moveToPack,
      changeStorage,
      deleteFiles,
      renameFiles,
      optimizePdf,
      watermarkPdf,
      splitPdf,
      mergePdf,
      applyRow,
      optimizeImage,
      restoreFiles,
      purgeFiles,
      createLinks,
      listLinks,
      exportFiles,
      notify,
    ],
    workflows: [
      importApi,
      importUpload,
      importCsv,
      updateFromCsv,
      backUpFilesWorkflow,
      updateSettingsWorkflow,
      mapProductsWorkflow,
      unmapProductsWorkflow,
      tagFilesWorkflow,
      replaceTagWorkflow,
      mergeTagCaseWorkflow,
      tagByRuleWorkflow,
      moveToPackWorkflow,
      changeStorageWorkflow,
      deleteFilesWorkflow,
      renameFilesWorkflow,
      optimizeImageWorkflow,
      optimizePdfWorkflow,
      watermarkPdfWorkflow,
      splitPdfWorkflow,
      mergePdfWorkflow,
      restoreFilesWorkflow,
      purgeFilesWorkflow,
      createLinksWorkflow,
      exportFilesWorkflow,
    ],
    storage: environment.storage,
  })
}
