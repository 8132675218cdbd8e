// Audio files, for tests.

const RATE = 8000

/**
 * A WAV file with samples of 8 bits.
 * @param sampleAt the sample of a place in the file, from 0 to 255; absent: silence
 */
export function wav(seconds: number, sampleAt: (place: number) => number = () => 128): Buffer {
  const header = Buffer.alloc(44)
  const size = RATE * seconds
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + size, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(size, 40)
  return Buffer.concat([header, Uint8Array.from({ length: size }, (_, place) => sampleAt(place))])
}
