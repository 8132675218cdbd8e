import { expect, test } from 'vitest'
import { parseLocation, type LocationConfig } from '../core/store/address.ts'
import { bucketOrigins } from './delivery.ts'

const disk: LocationConfig = { kind: 'disk', folder: '/data' }
const bucket = (address: string) => parseLocation(address, null, 'eu-west-1') as LocationConfig

test('the origins of buckets: at a path, at a host, and each once', async () => {
  expect(await bucketOrigins({ primary: disk, backup: disk })).toEqual([])
  const host = bucket('s3://harbour')
  expect(await bucketOrigins({ primary: host, backup: disk })).toEqual([
    'https://harbour.s3.eu-west-1.amazonaws.com',
  ])
  const path = 's3://harbour?endpoint=https://s3.example.com:9000&path_style=1'
  expect(await bucketOrigins({ primary: bucket(path), backup: host })).toEqual([
    'https://s3.example.com:9000',
    'https://harbour.s3.eu-west-1.amazonaws.com',
  ])
  const both = { primary: bucket(path), backup: bucket(path.replace('harbour', 'copies')) }
  expect(await bucketOrigins(both)).toEqual(['https://s3.example.com:9000'])
})
