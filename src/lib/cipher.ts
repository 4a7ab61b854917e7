import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes, scryptSync } from 'node:crypto'

/** Encrypts values that must not be readable in the database. */
export interface Cipher {
  /** `context` binds the ciphertext to its row and column: moved elsewhere it doesn't decrypt. */
  encrypt(text: string, context: string): string
  /** Throws for a ciphertext of another key or context, and for an altered one. */
  decrypt(sealed: string, context: string): string
  /** Identifies the key without revealing it. */
  fingerprint: string
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit IV per value and the context as additional authenticated data.
 * 64 hex digits are the key itself; any other text is stretched with scrypt (RFC 7914).
 */
export function createCipher(secret: string): Cipher {
  const bytes = /^[0-9a-f]{64}$/i.test(secret)
    ? Buffer.from(secret, 'hex')
    : scryptSync(secret, 'cairn secrets', 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 })
  const key = createSecretKey(bytes)
  return {
    fingerprint: createHash('sha256').update('cairn key fingerprint').update(bytes).digest('hex').slice(0, 16),
    encrypt(text, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64')
    },
    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      decipher.final()
      return text.toString()
    },
  }
}
