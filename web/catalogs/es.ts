// The texts of the shell and of every feature, as one module: the page loads one language.
import { type Catalog } from '../shell/messages/t.ts'
import shell from '../shell/messages/es.json'

const features = import.meta.glob<Catalog>('../features/*/texts/es.json', {
  eager: true,
  import: 'default',
})

export const catalog: Catalog = Object.assign({}, shell, ...Object.values(features))
