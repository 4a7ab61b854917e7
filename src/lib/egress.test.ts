import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEgress } from './egress.ts'
import { EgressError } from './egress-address.ts'

/** A server on loopback that counts its requests. */
let inside: Server
let port: number
let visits = 0
beforeAll(async () => {
  inside = createServer((request, response) => {
    visits++
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
    else if (request.url === '/large') response.end('x'.repeat(2_000_000))
    else if (request.url === '/bomb') {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2_000_000)))
    } else if (request.url === '/silent') return
    else if (request.url === '/drip') response.write('a')
    else response.end('inside')
  })
  await new Promise<void>((done) => inside.listen(0, '127.0.0.1', done))
  port = (inside.address() as AddressInfo).port
})
afterAll(() => {
  inside.closeAllConnections()
  inside.close()
})

const at = (address: string) => async () => [{ address, family: address.includes(':') ? 6 : 4 }]

describe('an address that a user gives', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fd00::1]:PORT/',
    'http://[fec0::1]:PORT/',
    'http://[ff02::1]:PORT/',
    'http://[2001:db8::1]:PORT/',
    'http://[100::1]:PORT/',
    'http://10.0.0.1:PORT/',
    'http://172.16.0.1:PORT/',
    'http://192.168.1.1:PORT/',
    'http://169.254.169.254:PORT/latest/meta-data/',
    'http://100.64.0.1:PORT/',
    'http://224.0.0.1:PORT/',
    'http://240.0.0.1:PORT/',
    'http://255.255.255.255:PORT/',
    'http://192.0.2.1:PORT/',
    'http://198.18.0.1:PORT/',
    'http://localhost:PORT/',
  ])('is refused in a private or reserved network, however it is written: %s', async (written) => {
    const egress = createEgress([])
    const before = visits
    const url = written.replace('PORT', String(port))
    await expect(egress.fetch(url)).rejects.toThrow(/CAIRN_ALLOWED_NETWORKS/)
    await expect(egress.check(url)).rejects.toThrow(EgressError)
    expect(visits).toBe(before)
    await egress.close()
  })

  test.each([
    ['file:///etc/passwd', /http and https/],
    ['ftp://example.com/', /http and https/],
    ['gopher://127.0.0.1/', /http and https/],
    ['data:text/plain,a', /http and https/],
    ['http://example.com@127.0.0.1/', /user name/],
    ['http://user:password@example.com/', /user name/],
    ['nowhere', /not a URL/],
  ])('is refused unless it is plain http or https: %s', async (url, reason) => {
    const egress = createEgress(['loopback'])
    await expect(egress.fetch(url)).rejects.toThrow(reason)
    await expect(egress.check(url)).rejects.toThrow(reason)
    await egress.close()
  })

  test.each(['127.0.0.1', '10.1.2.3', '::1', '::ffff:10.0.0.1', 'fe80::1', '169.254.169.254'])(
    'is refused when its name leads to %s',
    async (address) => {
      const egress = createEgress([], {}, at(address))
      const before = visits
      for (const name of ['innocent.example', 'innocent.example.', 'LOCALHOST.']) {
        await expect(egress.fetch(`http://${name}:${port}/`)).rejects.toThrow(EgressError)
        await expect(egress.check(`http://${name}:${port}/`)).rejects.toThrow(EgressError)
      }
      expect(visits).toBe(before)
      await egress.close()
    },
  )

  test('is refused when one of the addresses of its name is private', async () => {
    const both = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    const egress = createEgress([], {}, both)
    await expect(egress.fetch(`http://both.example:${port}/`)).rejects.toThrow(EgressError)
    await egress.close()
  })

  test('is refused when the second lookup of its name leads elsewhere', async () => {
    const answers = ['93.184.215.14', '127.0.0.1']
    const asked: string[] = []
    const egress = createEgress([], { connectMs: 200 }, async (name) => {
      asked.push(name)
      return [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
    })
    const before = visits
    const url = `http://rebinding.example:${port}/`
    await egress.check(url)
    await expect(egress.fetch(url)).rejects.toThrow(EgressError)
    expect(asked).toHaveLength(2)
    expect(visits).toBe(before)
    await egress.close()
  })

  test('is connected to where it was checked: the name is not resolved once more', async () => {
    const answers = ['127.0.0.1', '127.0.0.2']
    const asked: string[] = []
    const egress = createEgress(['127.0.0.1'], {}, async (name) => {
      asked.push(name)
      return [{ address: answers.shift()!, family: 4 }]
    })
    expect(await (await egress.fetch(`http://once.example:${port}/`)).text()).toBe('inside')
    expect(asked).toEqual(['once.example'])
    await egress.close()
  })

  test('is not left by a redirect', async () => {
    const egress = createEgress(['loopback'])
    const before = visits
    await expect(egress.fetch(`http://127.0.0.1:${port}/away`)).rejects.toThrow(/redirect, which is not followed/)
    expect(visits).toBe(before + 1)
    await egress.close()
  })

  test.each([['loopback'], ['127.0.0.0/8'], ['127.0.0.1'], ['::ffff:127.0.0.1']])(
    'is connected to where the operator allows it: %s',
    async (allowed) => {
      const egress = createEgress([allowed])
      for (const url of [`http://127.0.0.1:${port}/`, `http://2130706433:${port}/`]) {
        await egress.check(url)
        expect(await (await egress.fetch(url)).text()).toBe('inside')
      }
      await expect(egress.fetch('http://10.0.0.1/')).rejects.toThrow(EgressError)
      await egress.close()
    },
  )

  test('whose name is not known passes the check, and fails when it is used', async () => {
    const unknown = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const egress = createEgress([], {}, unknown)
    await egress.check('https://not-yet.example/v1')
    await expect(egress.fetch('https://not-yet.example/v1')).rejects.toThrow('fetch failed')
    await egress.close()
  })
})

describe('the body of a response', () => {
  const egress = createEgress(['loopback'], { maxBytes: 1_000_000, headersMs: 200, bodyMs: 200 })
  afterAll(() => egress.close())

  test.each(['large', 'bomb'])('ends at a size, before and after decompression: %s', async (path) => {
    const response = await egress.fetch(`http://127.0.0.1:${port}/${path}`)
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  test('ends when nothing comes', async () => {
    await expect(egress.fetch(`http://127.0.0.1:${port}/silent`)).rejects.toThrow()
    const response = await egress.fetch(`http://127.0.0.1:${port}/drip`)
    await expect(response.text()).rejects.toThrow()
  })

  test('from an address of the server’s own settings has equal bounds, and no policy', async () => {
    const strict = createEgress([], { maxBytes: 1_000_000 })
    expect(await (await strict.trusted(`http://127.0.0.1:${port}/`)).text()).toBe('inside')
    const response = await strict.trusted(`http://127.0.0.1:${port}/large`)
    await expect(response.text()).rejects.toThrow()
    await expect(strict.trusted(`http://127.0.0.1:${port}/away`)).rejects.toThrow(/redirect/)
    await strict.close()
  })
})
