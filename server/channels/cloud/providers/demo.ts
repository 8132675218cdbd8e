// The sample provider of demo mode: a folder in the data folder, used through the same code.
import { joined, field, folderRule, type Provider } from './provider.ts'

export const demo: Provider = {
  id: 'demo',
  title: 'Sample folder',
  signIn: 'none',
  fields: [
    field('folder', 'Folder', 'Below DATA_DIR/demo-cloud. Empty: all of it.', { rule: folderRule }),
  ],
  nameOf: ({ folder }) => joined('Sample folder', folder),
  remote: ({ settings, place: { demoFolder } }) => ({
    // Symbolic links could lead out of the folder.
    settings: { TYPE: 'local', SKIP_LINKS: 'true' },
    root: [demoFolder, joined(settings.folder)].filter((part) => part !== '').join('/'),
    hash: 'md5',
    listing: [],
    fetching: {},
  }),
}
