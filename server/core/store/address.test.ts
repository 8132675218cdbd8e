import { describe, expect, test } from 'vitest'
import { isSamePlace, parseLocation, type LocationConfig } from './address.ts'

const KEYS = { accessKeyId: 'key', secretAccessKey: 'secret' }
const parse = (text: string, region?: string) => parseLocation(text, KEYS, region)
const PLAIN = { kind: 's3', prefix: '', endpoint: null, pathStyle: false, credentials: KEYS }

describe('a storage location', () => {
  test.each<[string, LocationConfig]>([
    ['disk:/var/lib/files/', { kind: 'disk', folder: '/var/lib/files' }],
    ['disk:/', { kind: 'disk', folder: '/' }],
    [
      's3://harbour?region=eu-central-1',
      { ...PLAIN, bucket: 'harbour', region: 'eu-central-1' } as LocationConfig,
    ],
    [
      's3://har.bour_1/a/b-c/?endpoint=https://s3.example.com:9000/v1&path_style=1',
      {
        kind: 's3',
        bucket: 'har.bour_1',
        prefix: 'a/b-c/',
        region: 'us-east-1',
        credentials: KEYS,
        endpoint: 'https://s3.example.com:9000/v1',
        pathStyle: true,
      },
    ],
  ])('%s is read', (text, location) => {
    expect(parse(text)).toEqual(location)
  })

  test('takes its region from the environment by default', () => {
    expect(parse('s3://harbour', 'eu-west-3')).toMatchObject({ region: 'eu-west-3' })
    expect(parse('s3://harbour?region=eu-central-1', 'eu-west-3')).toMatchObject({
      region: 'eu-central-1',
    })
    expect(parse('s3://harbour')).toMatch(/^set the region/)
  })

  test.each([
    ['/var/lib/files', 'set disk:'],
    ['disk:files', 'set disk:'],
    ['https://s3.example.com/harbour', 'set disk:'],
    ['s3:harbour', 'set disk:'],
    ['s3://x?region=a', 'a bucket has 3 to 63'],
    ['s3://key:secret@harbour?region=a', 'leave the keys out'],
    ['s3://harbour/a%2Fb?region=a', 'set the prefix'],
    ['s3://harbour/a b?region=a', 'set the prefix'],
    ['s3://harbour?endpoint=s3.example.com', 'endpoint: set'],
    ['s3://harbour?endpoint=https://a:b@s3.example.com', 'endpoint: set'],
    ['s3://harbour?region=a&path_style=yes', 'path_style: set 1 or 0'],
    ['s3://harbour?region=a&path-style=1', 'there is no path-style'],
  ])('%s is refused, with the correct format', (text, message) => {
    const read = parse(text)
    expect(read).toContain(message)
    expect(read).not.toContain('secret@')
  })

  test('equals another one only if its bytes are in the same place', () => {
    const at = (text: string) => parse(text) as LocationConfig
    const bucket = 's3://harbour/a?region=x'
    expect(isSamePlace(at('disk:/a'), at('disk:/a/'))).toBe(true)
    expect(isSamePlace(at('disk:/a'), at('disk:/b'))).toBe(false)
    expect(isSamePlace(at(bucket), at('s3://harbour/a/?region=y'))).toBe(true)
    for (const other of [
      's3://harbour/b?region=x',
      's3://other/a?region=x',
      `${bucket}&endpoint=https://b.example.com`,
    ])
      expect(isSamePlace(at(bucket), at(other)), other).toBe(false)
    expect(isSamePlace(at('disk:/a'), at(bucket))).toBe(false)
  })
})
