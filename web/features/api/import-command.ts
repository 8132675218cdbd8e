// The command that imports a file, for people to copy.

/** A curl command for a POSIX shell. `origin`: the address of this installation in the browser. */
export function importCommand(origin: string): string {
  const body = {
    files: [
      { filename: 'guide.pdf', url: 'https://example.com/guide.pdf', product_sku: 'YOUR-SKU' },
    ],
    auto_map: true,
  }
  return [
    `curl ${origin}/api/files/import \\`,
    `  -H 'Authorization: Bearer YOUR_API_KEY' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`,
  ].join('\n')
}
