// The sample provider of demo mode: a folder in the data folder.
import path from 'node:path'
import { joined, field, folderRule, type Provider } from './provider.ts'

export const demo: Provider = {
  id: 'demo',
  title: 'Sample folder',
  signIn: 'none',
  fields: [field('folder', 'Folder', 'Below demo-cloud. Empty: all of it.', { rule: folderRule })],
  nameOf: ({ folder }) => joined('Sample folder', folder),
  folder: (settings, demoFolder) => path.resolve(demoFolder, joined(settings.folder)),
}
