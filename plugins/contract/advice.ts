// The next step after errors that any plugin may report, because ports and the engine raise them. A
// plugin's own `advice` overrides entries with the same code.

const COMMON: Readonly<Record<string, string>> = {
  url_not_accessible:
    'Open the URLs that were not accessible in a private browser window. If they open, choose Retry Failed. Otherwise correct them and import those files again.',
  duplicate_filename:
    'Rename the files whose names are taken, or choose what happens to taken names, and import them again.',
  file_too_large: 'Split the files that are too large, or contact support.',
  sha256_mismatch:
    'Compare the files at their addresses with the given SHA-256: they were changed or damaged. Correct the hash or the file, and import them again.',
  empty_file: 'Replace the files that are empty.',
  web_page:
    'Replace the addresses that lead to web pages by those that download the files, or connect the cloud folder.',
  file_in_use: 'Choose Retry Failed once the other operation on those files has ended.',
  permission_denied: 'Correct the access that was refused, then choose Retry Failed.',
  memory_limit: 'Replace the files that take too much memory with smaller or simpler ones.',
  time_limit: 'Replace the files that take too long with smaller or simpler ones.',
  processor_crashed:
    'Replace the files that could not be opened: buyers may not be able to open them either.',
  upload_lost: 'Upload the files whose bytes are missing again.',
  file_not_found:
    'Leave out the deleted files, or restore them from the trash and choose Retry Failed.',
  workflow_broken: 'Correct the workflow, then start it again.',
  file_quota: 'Delete files that are not needed, then choose Retry Failed.',
  storage_quota:
    'Delete files or backups permanently, or ask for more storage, then choose Retry Failed.',
  storage_full: 'Make room in the storage location, then choose Retry Failed.',
  file_damaged: 'Upload the file again as a new version.',
  storage_failed: 'Choose Retry Failed: the storage location may answer by now.',
  storefront_unavailable: 'Choose Retry Failed: the storefront may answer by now.',
}

/** All advice for a plugin's errors, by code. */
export const adviceOf = (plugin: {
  advice?: Readonly<Record<string, string>>
}): Readonly<Record<string, string>> => ({
  ...COMMON,
  ...plugin.advice,
})
