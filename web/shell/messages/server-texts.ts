// Texts with values that the server keeps in large numbers, in English and without their values: why
// a file belongs to a product, and problems of CSV files. `serverText()` finds the message that such
// a text was made of. All other texts of the server come with their values.
import { IMPORT_TEMPLATES } from './import-texts.ts'

/** Marks a message for the catalogs. */
const template = (message: string): string => message

/** Of those that fit, the first counts. */
export const SERVER_TEMPLATES: readonly string[] = [
  ...IMPORT_TEMPLATES,
  template('It was sent {count} times within an hour'),
  template('This link was sent {count} times within an hour: wait before you send it again'),
  template('The import names the SKU {sku}'),
  template('The export names the product {name}'),
  template('The export names the handle {name}'),
  template('The export names the title {name}'),
  template('The filename begins with the SKU {sku}'),
  template('The filename contains the SKU {sku}'),
  template('The filename has a part like the SKU {sku}'),
  template('The file has the name of the SKU {sku}'),
  template('One of its tags is the SKU {sku}'),
  template('The product has the same tag {tags}'),
  template('The product has the same tags {tags}'),
  template('Its name is {count} % like the title'),
  template('The shop’s rule: names that start with {text}'),
  template('The shop’s rule: names that contain {text}'),
  template('The shop’s rule: the name {text}'),
  template('The file has {size} MB: up to {most} MB are recommended'),
  template('“{name}” is taken'),
]
