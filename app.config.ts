// The composition root: what this installation is made of. It reads the environment, once.
import { applyRow } from './plugins/apply-row/plugin.ts'
import { packRows } from './plugins/pack-rows/plugin.ts'
import { trashRows } from './plugins/trash-rows/plugin.ts'
import { ask } from './plugins/ask/plugin.ts'
import { assignLicenceKey } from './plugins/assign-licence-key/plugin.ts'
import { backUpFiles } from './plugins/back-up-files/plugin.ts'
import { call } from './plugins/call/plugin.ts'
import { changeStorage } from './plugins/change-storage/plugin.ts'
import { chooseFiles } from './plugins/choose-files/plugin.ts'
import { createLinks } from './plugins/create-links/plugin.ts'
import { deleteFiles } from './plugins/delete-files/plugin.ts'
import { exportFiles } from './plugins/export-files/plugin.ts'
import { fetchUrl } from './plugins/fetch-url/plugin.ts'
import { giveAccess } from './plugins/give-access/plugin.ts'
import { giveFiles } from './plugins/give-files/plugin.ts'
import { importOrders } from './plugins/import-orders/plugin.ts'
import { listLinks } from './plugins/list-links/plugin.ts'
import { mapProducts } from './plugins/map-products/plugin.ts'
import { mergeDuplicates } from './plugins/merge-duplicates/plugin.ts'
import { mergePdf } from './plugins/merge-pdf/plugin.ts'
import { mergeTagCase } from './plugins/merge-tag-case/plugin.ts'
import { moveToPack } from './plugins/move-to-pack/plugin.ts'
import { createNotice } from './plugins/create-notice/plugin.ts'
import { sendDocument } from './plugins/send-document/plugin.ts'
import { sendMail } from './plugins/send-mail/plugin.ts'
import { notify } from './plugins/notify/plugin.ts'
import { notifyDelivery } from './plugins/notify-delivery/plugin.ts'
import { optimizeImage } from './plugins/optimize-image/plugin.ts'
import { optimizePdf } from './plugins/optimize-pdf/plugin.ts'
import { purgeFiles } from './plugins/purge-files/plugin.ts'
import { renameFiles } from './plugins/rename-files/plugin.ts'
import { replaceTag } from './plugins/replace-tag/plugin.ts'
import { releaseFiles } from './plugins/release-files/plugin.ts'
import { restoreFiles } from './plugins/restore-files/plugin.ts'
import { scanFile } from './plugins/scan-file/plugin.ts'
import { splitPdf } from './plugins/split-pdf/plugin.ts'
import { takeUpload } from './plugins/take-upload/plugin.ts'
import { stampPdf } from './plugins/stamp-pdf/plugin.ts'
import { takeDrop } from './plugins/take-drop/plugin.ts'
import { syncCloud } from './plugins/sync-cloud/plugin.ts'
import { tagByRule } from './plugins/tag-by-rule/plugin.ts'
import { tagFiles } from './plugins/tag-files/plugin.ts'
import { tellBuyers } from './plugins/tell-buyers/plugin.ts'
import { updateSettings } from './plugins/update-settings/plugin.ts'
import { unmapProducts } from './plugins/unmap-products/plugin.ts'
import { unpackZip } from './plugins/unpack-zip/plugin.ts'
import { validateFile } from './plugins/validate-file/plugin.ts'
import { wait } from './plugins/wait/plugin.ts'
import { watermarkPdf } from './plugins/watermark-pdf/plugin.ts'
import { zipFiles } from './plugins/zip-files/plugin.ts'
import { apiChannel } from './server/features/imports/api-channel.ts'
import { cloudChannel } from './server/features/cloud/channel.ts'
import { csvChannel } from './server/features/csv/channel.ts'
import { dropChannel } from './server/features/drop/channel.ts'
import { feedChannel } from './server/features/feeds/channel.ts'
import {
  adminChannel,
  catalogChannel,
  scheduleChannel,
  triggerChannel,
} from './server/features/imports/origins.ts'
import { uploadChannel } from './server/features/upload/channel.ts'
import { defineConfig, type Config } from './server/startup/config.ts'
import { readEnvironment } from './server/core/configuration/environment.ts'
import { createLinksWorkflow } from './workflows/create-links.ts'
import { importApi } from './workflows/import-api.ts'
import { importDrop } from './workflows/import-drop.ts'
import { importCloud } from './workflows/import-cloud.ts'
import { importUpload } from './workflows/import-upload.ts'
import { importCsv } from './workflows/import-csv.ts'
import { importFeed } from './workflows/import-feed.ts'
import { updateFromCsv } from './workflows/update-from-csv.ts'
import { updateFromFeed } from './workflows/update-from-feed.ts'

// Menus show actions in this order.
const plugins = [
  fetchUrl,
  takeUpload,
  takeDrop,
  syncCloud,
  validateFile,
  unpackZip,
  scanFile,
  applyRow,
  packRows,
  trashRows,
  mapProducts,
  createLinks,
  tagFiles,
  updateSettings,
  deleteFiles,
  unmapProducts,
  tellBuyers,
  giveFiles,
  giveAccess,
  exportFiles,
  zipFiles,
  listLinks,
  renameFiles,
  moveToPack,
  changeStorage,
  backUpFiles,
  releaseFiles,
  optimizeImage,
  optimizePdf,
  wait,
  ask,
  call,
  watermarkPdf,
  splitPdf,
  mergePdf,
  replaceTag,
  mergeTagCase,
  mergeDuplicates,
  tagByRule,
  restoreFiles,
  purgeFiles,
  chooseFiles,
  stampPdf,
  assignLicenceKey,
  notifyDelivery,
  importOrders,
  notify,
  sendDocument,
  sendMail,
  createNotice,
]

const workflows = [
  importApi,
  importUpload,
  importDrop,
  importCsv,
  importCloud,
  importFeed,
  updateFromCsv,
  updateFromFeed,
  createLinksWorkflow,
]

const channels = [
  adminChannel,
  apiChannel,
  csvChannel,
  uploadChannel,
  dropChannel,
  cloudChannel,
  feedChannel,
  scheduleChannel,
  triggerChannel,
  catalogChannel,
]

/** Throws `ConfigError`, which names everything that is missing or wrong. */
export function appConfig(
  variables: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const environment = readEnvironment(variables)
  return defineConfig({
    environment,
    plugins,
    workflows,
    channels,
    storage: environment.storage,
    // The plans that shops pay for (docs/operators.md, "Plans"). Null: nothing requires a plan.
    plans: null,
    // Files of at least `min_bytes` are sent by browsers straight to the bucket: `{ min_bytes: 64 * 1024 ** 2 }`
    // (docs/operators.md, "Uploads straight to the bucket"). Null: all bytes pass the web processes.
    directUploads: null,
  })
}
