import { createHash, createHmac } from 'node:crypto'
import type { Asked } from './wire.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** RFC 3986, stricter than the language's own. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

export interface Signature {
  accessKey: string
  region: string
  service: string
  /** Whether the signature fits the request and the secret. */
  right: boolean
}

/** The signature of a request by AWS Signature Version 4, made anew with the secret; undefined where there is none. */
export function signatureOf({ method, path, headers, text }: Asked, secret: string): Signature | undefined {
  const [, accessKey, date, region, service, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (!accessKey || !date || !region || !service || !names) return undefined
  const { pathname } = new URL(path, 'http://stand-in')
  // The path is encoded twice, save for S3.
  const canonical = [
    method,
    pathname.split('/').map(encoded).join('/'),
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    names,
    sha256(text),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  // Headers outside the signature could be changed in transit.
  const covered = ['host', 'x-amz-date', ...(headers['x-amz-security-token'] ? ['x-amz-security-token'] : [])]
  const right =
    covered.every((name) => names.split(';').includes(name)) && hmac(key, toSign).toString('hex') === signature
  return { accessKey, region, service, right }
}
