// Makes a chosen image small enough for a logo, in the browser.

/** Twice the width on pages, for screens with two pixels per CSS pixel. */
const MAX_WIDTH = 800
const MAX_HEIGHT = 160
/** The server accepts 100 KB. */
const MAX_BYTES = 100 * 1024
/** Types that are drawn again: the server accepts no SVG, and Outlook shows no WebP in mails. */
const DRAWN = ['image/svg+xml', 'image/webp']

/** The image in base64. Rejects if the browser cannot read the file as an image. */
export async function logoOf(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, MAX_WIDTH / image.width, MAX_HEIGHT / image.height)
  if (scale === 1 && file.size <= MAX_BYTES && !DRAWN.includes(file.type)) return base64Of(file)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return base64Of(await drawn(canvas, context))
}

/** PNG keeps edges and transparency; a photograph may need another type to be small enough. */
async function drawn(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): Promise<Blob> {
  const as = (type: string) =>
    new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No image'))), type, 0.9),
    )
  const png = await as('image/png')
  if (png.size <= MAX_BYTES) return png
  return as(isOpaque(context) ? 'image/jpeg' : 'image/webp')
}

function isOpaque(context: CanvasRenderingContext2D): boolean {
  const { width, height } = context.canvas
  const { data } = context.getImageData(0, 0, width, height)
  for (let alpha = 3; alpha < data.length; alpha += 4) if (data[alpha] !== 255) return false
  return true
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
