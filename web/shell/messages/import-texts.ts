// What the server states with values about rows of a CSV file: rules of names and cells, and why an
// address could not be fetched. See server-texts.ts.
const template = (message: string): string => message

/** The special ones first. */
export const IMPORT_TEMPLATES: readonly string[] = [
  template('This cell has {count} addresses: write one row for each file'),
  template('{host} redirects without a valid address'),
  template('The address redirects more than {most} times, at last at {host}'),
  template(
    'Connect the folder under Import, Cloud connections ({host}), or use an address that downloads the file itself',
  ),
  template('Use an address of {host} that downloads the file itself'),
  template('A filename has at most {count} characters'),
  template('A URL has at most {count} characters'),
  template('A SKU has at most {count} characters'),
  template('A tag has at most {count} characters'),
  template('At most {count} tags'),
  template('This is not a number from 1 to {most}'),
  template(
    'The row has {count} cells and the header {total}: a delimiter too many, or a cell without quotes',
  ),
  template(
    'The address is in the column of {column}: there is a delimiter too many before it, or a cell without quotes',
  ),
  template(
    'The address is in the column of {column}: there is a delimiter missing before it, or a cell without quotes',
  ),
  template('The header has more than {count} columns'),
  template('Row {row} changes the same file'),
  template('Row {row} has this name too: one of them gets a number'),
  template('Row {row} has this name too: rename one of them'),
  template('{count} products have it: choose one after the import'),
  template('The server answered {status}: file not found'),
  template('The server answered {status}: access denied'),
  template('The server answered {status}'),
]
