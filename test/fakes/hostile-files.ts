// Fifty files that try to run a script in the program that opens them. The script would request an
// address of the test.

export interface HostileFile {
  filename: string
  /** The type that the channel received from the source; absent: derived from the name. */
  contentType?: string
  bytes: Buffer
}

/** `home`: an address that is requested only if a script runs. */
export function hostileFiles(home: string): HostileFile[] {
  const call = (name: string) =>
    `new Image().src='${home}/${encodeURIComponent(name)}';document.title='owned'`
  const script = (name: string) => `<script>${call(name)}</script>`
  const html = (name: string) =>
    `<!doctype html><title>hello</title>${script(name)}<body onload="${call(name)}">`
  const svg = (name: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${call(name)}"><script>${call(name)}</script></svg>`
  const xhtml = (name: string) =>
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${call(name)}</script></html>`
  const make = (write: (name: string) => string, magic = '') => {
    return (filename: string, contentType?: string): HostileFile => ({
      filename,
      ...(contentType === undefined ? {} : { contentType }),
      bytes: Buffer.from(magic + write(filename), 'latin1'),
    })
  }
  const page = make(html)
  const image = make(svg)
  const behind = (magic: string) => make(html, magic)
  return [
    page('page.html'),
    page('page.htm'),
    page('page.shtml'),
    page('page.xht'),
    make(xhtml)('page.xhtml'),
    make(xhtml)('page.xml'),
    page('page.HTML '.trim() + '.'),
    page('page.html;x=.pdf'),
    page('page.html.pdf'),
    page('page.pdf.html'),
    page('no-ending'),
    page('.html'),
    page('page.php'),
    page('page.hta'),
    page('page.mht'),
    page('page.eml'),
    page('page.txt'),
    page('page.csv'),
    page('page.json'),
    page('page.unknown-ending'),
    page('sniffed-as-text', 'text/plain'),
    page('sniffed-as-nothing', 'application/octet-stream'),
    page('said-to-be-a-page', 'text/html; charset=utf-7'),
    page('in-parts', 'multipart/x-mixed-replace; boundary=x'),
    page('as-a-bundle', 'application/webbundle'),
    page('broken-type', 'text/html\\r\\n'),
    image('image.svg'),
    image('image.svgz'),
    image('image.SVG'),
    image('image.svg.png'),
    image('image', 'image/svg+xml'),
    make(
      (name) => `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#x"?>${xhtml(name)}`,
    )('style.xml'),
    make((name) => `<?xml version="1.0"?><rss><channel>${xhtml(name)}</channel></rss>`)('feed.rss'),
    make((name) => xhtml(name))('feed.atom'),
    make((name) => xhtml(name))('math.mml'),
    make((name) => call(name))('script.js'),
    make((name) => call(name))('script.mjs'),
    make((name) => call(name))('script', 'application/javascript'),
    make((name) => `body{background:url('${home}/${name}')}`)('style.css'),
    make((name) => `[InternetShortcut]\nURL=javascript:${call(name)}`)('shortcut.url'),
    make((name) => `CACHE MANIFEST\n${home}/${name}`)('manifest.appcache'),
    // Two kinds in one file: first the bytes of an image or document, then a page or a script.
    make((name) => `=1;${call(name)}`, 'GIF89a/*\x01\x00\x01\x00*/')('polyglot.gif'),
    behind('GIF89a\x01\x00\x01\x00\x80')('page.gif'),
    behind('\xff\xd8\xff\xe0\x00\x10JFIF\x00')('page.jpg'),
    behind('\x89PNG\r\n\x1a\n')('page.png'),
    behind('RIFF\x00\x00\x00\x00WEBPVP8 ')('page.webp'),
    behind('%PDF-1.7\n')('page.pdf'),
    make(
      (name) => `1 0 obj<</OpenAction<</S/JavaScript/JS(app.launchURL("${home}/${name}"))>>>>`,
      '%PDF-1.7\n',
    )('runs.pdf'),
    behind('PK\x03\x04\x14\x00')('page.zip'),
    behind('\xef\xbb\xbf')('page-with-a-mark.bin'),
  ]
}
