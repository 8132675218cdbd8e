// Makes a chosen image small enough for a logo, in the browser.

/** Twice the width on pages, for screens with two pixels per CSS pixel. */
const MAX_WIDTH = 800
const MAX_HEIGHT = 160
/** The server accepts 100 KB. */
const MAX_BYTES = 100 * 1024

/** The image in base64. Rejects if the browser cannot read the file as an image. */
export async function logoOf(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, MAX_WIDTH / image.width, MAX_HEIGHT / image.height)
  if (scale === 1 && file.size <= MAX_BYTES && file.type !== 'image/svg+xml') return base64Of(file)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return base64Of(await drawn(canvas))
}

/** PNG keeps edges and transparency; a photograph may need WebP to be small enough. */
async function drawn(canvas: HTMLCanvasElement): Promise<Blob> {
  const as = (type: string) =>
    new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No image'))), type, 0.9),
    )
  const png = await as('image/png')
  return png.size <= MAX_BYTES ? png : as('image/webp')
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
