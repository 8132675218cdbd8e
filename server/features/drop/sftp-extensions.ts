// Announces the extensions of SFTP that are served. ssh2 sends a VERSION without any, and clients
// (OpenSSH, sshfs, WinSCP) then do not use them: their rename over an existing file fails.
import type { SFTPWrapper } from 'ssh2'

/** The extensions, each with its version, as OpenSSH's PROTOCOL describes. */
const EXTENSIONS = [
  ['posix-rename@openssh.com', '1'],
  ['statvfs@openssh.com', '2'],
  ['fsync@openssh.com', '1'],
  ['limits@openssh.com', '1'],
] as const

export type ExtensionName = (typeof EXTENSIONS)[number][0]

const VERSION = 2
const PROTOCOL_VERSION = 3

interface Protocol {
  channelData(channel: number, payload: Buffer): unknown
}

/** Announces the extensions. Must be called before the client's first request. */
export function announceExtensions(sftp: SFTPWrapper): void {
  const internals = sftp as unknown as { _protocol: Protocol; outgoing: { window: number } }
  const protocol = internals._protocol
  // The first packet of the channel is VERSION. It is replaced once, for this channel.
  internals._protocol = Object.create(protocol, {
    channelData: {
      value: (channel: number, payload: Buffer) => {
        internals._protocol = protocol
        const packet = payload[4] === VERSION ? versionPacket() : payload
        // ssh2 counts the shorter packet that it made.
        internals.outgoing.window -= packet.length - payload.length
        return protocol.channelData(channel, packet)
      },
    },
  }) as Protocol
}

function versionPacket(): Buffer {
  const strings = EXTENSIONS.flat().map((text) => {
    const bytes = Buffer.alloc(4 + text.length)
    bytes.writeUInt32BE(text.length)
    bytes.write(text, 4)
    return bytes
  })
  const head = Buffer.alloc(9)
  head[4] = VERSION
  head.writeUInt32BE(PROTOCOL_VERSION, 5)
  const packet = Buffer.concat([head, ...strings])
  packet.writeUInt32BE(packet.length - 4)
  return packet
}
